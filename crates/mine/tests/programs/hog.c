/* Takes more memory in every step, and trusts that it gets it. */
#include <stdlib.h>
#include <string.h>

#define PIECE (4u << 20)

int go;
int taken;
char *last;     /* visible elsewhere, so that no compiler leaves it out */

void step(void)
{
    if (go) {
        last = malloc(PIECE);
        memset(last, taken, PIECE);
        taken++;
    }
}
