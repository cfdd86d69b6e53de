/* Takes more memory in every step, and trusts that it gets it. */
#include <stdlib.h>
#include <string.h>

#define PIECE (4u << 20)

int go;
int taken;
static char *last;

void step(void)
{
    if (go) {
        last = malloc(PIECE);
        memset(last, taken, PIECE);
        taken++;
    }
}
