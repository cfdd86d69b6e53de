/* A board that is a process: the line is standard input and output. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "target.h"

static char buffer[4096];
static size_t filled;

uint32_t board_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U);
}

/* What belongs to a step goes together, whatever else the machine has to do. */
static void flush(void)
{
    size_t gone = 0U;
    while (gone < filled) {
        const ssize_t count = write(STDOUT_FILENO, &buffer[gone], filled - gone);
        if (count <= 0) {
            exit(1);
        }
        gone += (size_t)count;
    }
    filled = 0U;
}

void board_put(char byte)
{
    buffer[filled] = byte;
    filled++;
    if (filled == sizeof buffer) {
        flush();
    }
}

int main(void)
{
    char bytes[256];
    for (;;) {
        struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
        if (poll(&in, 1U, 1) > 0) {
            const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
            if (count <= 0) {
                return 0;
            }
            for (ssize_t place = 0; place < count; place++) {
                target_take(bytes[place]);
            }
        }
        target_poll();
        flush();
    }
}
