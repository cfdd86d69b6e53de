/* A verifier's program: its own loop, inputs by scanf, outputs by printf, an error that ends it. */
#include <stdio.h>
#include <stdlib.h>

static int state;

int main(void)
{
    for (;;) {
        int input;
        if (scanf("%d", &input) != 1) {
            return 0;
        }
        if (state == 0 && input == 3) {
            state = 1;
        } else if (state == 1 && input == 5) {
            state = 2;
        } else if (state == 2 && input == 2) {
            exit(4);
        } else {
            state = 0;
        }
        printf("%d\n", 20 + state);
    }
}
