#include <stdbool.h>
bool up;
int count;
bool ring;
void step(void) { count = up ? (count < 3 ? count + 1 : 3) : 0; ring = count >= 2; }
