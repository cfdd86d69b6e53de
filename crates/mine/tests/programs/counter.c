/* Counts while it is told to, and rings at a limit. */
#ifndef LIMIT
#define LIMIT 3
#endif

typedef enum { STOP, COUNT, CLEAR } order_t;

order_t order;
int count;
int ring;

void step(void)
{
    if (order == CLEAR) {
        count = 0;
    } else if (order == COUNT && count < 5) {
        count++;
    }
    ring = count >= LIMIT;
}
