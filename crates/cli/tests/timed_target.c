/* A system that qualifies errors, well or badly, and speaks the protocol of targets: on its standard
   input and output, or, by its third and fourth arguments, behind `tcp PORT` or `serial PATH`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000.0 + t.tv_nsec / 1e6;
}

static int received, sent;

static void out(const char *name, const char *value) {
    printf("out %s %s\n", name, value);
    sent++;
}

static void use(int line) {
    dup2(line, 0);
    dup2(line, 1);
}

static void listen_on(int port) {
    int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(server, (struct sockaddr *)&here, sizeof here) || listen(server, 1)) exit(1);
    int line = accept(server, NULL, NULL);
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    use(line);
}

/* A serial line is a terminal whose other end is ours; it has no echo once the tester has opened it. */
static void make_port(const char *path) {
    int line = posix_openpt(O_RDWR | O_NOCTTY);
    if (line < 0 || grantpt(line) || unlockpt(line)) exit(1);
    unlink(path);
    if (symlink(ptsname(line), path)) exit(1);
    /* Held open, so that reading does not fail before the tester comes. */
    open(ptsname(line), O_RDWR | O_NOCTTY);
    use(line);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "good";
    double unit = argc > 2 ? atof(argv[2]) : 0.02; /* milliseconds */
    double due = 0;
    int pending = 0;
    char line[256];
    size_t filled = 0;
    if (argc > 4 && !strcmp(argv[3], "tcp")) listen_on(atoi(argv[4]));
    if (argc > 4 && !strcmp(argv[3], "serial")) make_port(argv[4]);
    srand(1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (;;) {
        struct pollfd input = {0, POLLIN, 0};
        poll(&input, 1, 1);
        if (pending && now_ms() >= due) {
            pending = 0;
            if (!strcmp(mode, "dies")) return 3;
            if (!strcmp(mode, "unknown")) out("isQualified", "maybe");
            else if (strcmp(mode, "never")) {
                out("isQualified", "1");
                out("qc", !strcmp(mode, "far") ? "777" : "1");
                if (!strcmp(mode, "twice")) out("qc", "2");
            }
        }
        if (!(input.revents & (POLLIN | POLLHUP))) continue;
        char c;
        if (read(0, &c, 1) != 1) return 0;
        if (c != '\n') {
            if (filled < sizeof line - 1) line[filled++] = c;
            continue;
        }
        line[filled] = 0;
        filled = 0;
        if (!strncmp(line, "reset", 5)) {
            received = sent = pending = 0;
            printf("ready\n");
        } else if (!strncmp(line, "set tempOutOfRange", 18)) {
            double part = rand() / (RAND_MAX + 1.0);
            double units = 3400 + 1700 * part;
            if (!strcmp(mode, "late")) units = 60000;
            if (!strcmp(mode, "early")) units = 0;
            received++;
            pending = 1;
            due = now_ms() + units * unit;
        } else if (!strncmp(line, "set", 3)) {
            received++;
        } else if (!strncmp(line, "stop", 4)) {
            printf("done %d %d\n", received, sent);
            pending = 0;
        }
    }
}
