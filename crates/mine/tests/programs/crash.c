/* A mailbox whose fifth message is written outside. */
#include <stddef.h>

int command;
int stored;
static int count;
static int *place[4] = { &stored, &stored, &stored, &stored };

void step(void)
{
    if (command == 3) {
        count++;
        /* The fifth pointer is whatever lies behind the array, or nothing. */
        *(count > 4 ? NULL : place[count - 1]) = count;
    } else if (command == 1) {
        count = 0;
        stored = 0;
    }
}
