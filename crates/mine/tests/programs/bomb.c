/* A program that starts others without end. */
#include <unistd.h>

int go;
int children;

void step(void)
{
    while (go) {
        if (fork() == 0) {
            pause();
        }
        children++;
    }
}
