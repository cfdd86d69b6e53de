/* A target for tests: y = a and b, n counts steps with a. Steps every 80 ms. Its argument says how it
   misbehaves after a while; with a second argument, lines have checksums. */
#define _DEFAULT_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const char *mode;
static int sums, lines;
static long a, b, n, y, shown_y, shown_n, received, sent, step;
static double next = -1;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int is(const char *word) { return strcmp(mode, word) == 0; }

static char pending[4096];
static size_t filled;

/* What belongs together goes together, so that nothing else of the machine comes between. */
static void flush(void)
{
    if (filled > 0 && write(1, pending, filled) != (ssize_t)filled) exit(1);
    filled = 0;
}

static void say(const char *text)
{
    char line[200];
    unsigned char sum = 0;
    for (const char *c = text; *c; c++) sum ^= (unsigned char)*c;
    int length = sums ? sprintf(line, "%s*%02X\n", text, sum) : sprintf(line, "%s\n", text);
    lines++;
    if (is("drop") && lines == 9) memmove(line + 4, line + 5, (size_t)(length-- - 5));
    if (filled + sizeof line > sizeof pending) flush();
    memcpy(pending + filled, line, (size_t)length);
    filled += (size_t)length;
}

static void out(const char *name, long value)
{
    char text[50];
    sprintf(text, "out %s %ld", name, value);
    say(text);
    sent++;
}

static void do_step(void)
{
    char text[60];
    y = a && b;
    n += a;
    if (is("fault") && n == 2) n = 3;
    if (!is("silent") && !is("forget")) {
        sprintf(text, "step %ld a=%ld b=%ld", step, a, b);
        say(text);
    }
    /* The line stands still for more than half a step. */
    if (is("stutter") && step == 1) { flush(); usleep(50000); }
    if (step == 0 || y != shown_y) out("y", shown_y = y);
    if (step == 0 || n != shown_n) out("n", shown_n = n);
    step++;
    flush();
    if (step != 4) return;
    if (is("reboot")) say("ready");
    if (is("restart")) step = 0;
    if (is("forget")) n = received = sent = step = 0;
    if (is("hang") || is("silent")) for (;;) pause();
    if (is("close")) { fprintf(stderr, "out of battery\n"); exit(3); }
    if (is("garbage")) say("\x01\xff}{ what?");
    if (is("unknown")) say("out z 1");
    if (is("value")) say("out y 7");
    if (is("flood")) for (;;) say("out y 0");
    if (is("endless")) for (;;) if (write(1, "xxxxxxxx", 8) != 8) exit(1);
    if (is("lose")) sent += 2;
}

static void take(char *text)
{
    char name[20];
    long value;
    if (sums) {
        char *star = strrchr(text, '*');
        unsigned char sum = 0;
        for (char *c = text; star && c < star; c++) sum ^= (unsigned char)*c;
        if (!star || strtol(star + 1, NULL, 16) != sum) { say("error bad checksum"); return; }
        *star = 0;
    }
    if (sscanf(text, "reset %ld", &value) == 1) {
        n = received = sent = step = 0;
        next = now() + value;
        if (!is("mute")) say("ready");
    } else if (sscanf(text, "set %19s %ld", name, &value) == 2) {
        received++;
        if (is("small")) {
            char answer[60];
            sprintf(answer, "in %s %ld", name, value);
            say(answer);
        }
        if (strcmp(name, "a") == 0) a = value;
        else if (strcmp(name, "b") == 0) b = value;
        else say("error no such signal");
    } else if (strcmp(text, "stop") == 0) {
        char answer[60];
        next = -1;
        sprintf(answer, "done %ld %ld", received, sent);
        say(answer);
    }
}

int main(int count, char **arguments)
{
    static char buffer[4096];
    size_t used = 0;
    mode = count > 1 ? arguments[1] : "right";
    sums = count > 2;
    if (is("banner")) say("U-Boot 2026 \x02 loading...");
    for (;;) {
        struct pollfd in = { 0, POLLIN, 0 };
        double wait = next < 0 ? 100 : next - now();
        if (poll(&in, 1, wait > 0 ? (int)wait : 0) > 0) {
            int waiting = 0;
            /* A slow target with room for 64 bytes. */
            if (is("small")) usleep(3000);
            if (is("small") && ioctl(0, FIONREAD, &waiting) == 0 && waiting > 64) say("error overrun");
            ssize_t got = read(0, buffer + used, sizeof buffer - used - 1);
            if (got <= 0) return 0;
            /* Its receiver is switched on when the first line is half over. */
            if (is("asleep")) { memmove(buffer, buffer + 3, (size_t)(got -= 3)); mode = "right"; }
            used += (size_t)got;
            buffer[used] = 0;
            for (char *end; (end = strchr(buffer, '\n')) != NULL;) {
                *end = 0;
                take(buffer);
                used -= (size_t)(end + 1 - buffer);
                memmove(buffer, end + 1, used + 1);
            }
        }
        while (next >= 0 && now() >= next) { next += 80; do_step(); }
        flush();
    }
}
