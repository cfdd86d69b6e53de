/*
 * Scheduler of stations on a token ring, with a main loop of its own.
 *
 * Each round the station that holds the token may send one frame and passes the
 * token on. A station that wants the line for longer reserves it and keeps the
 * token for up to HOLD_LIMIT rounds. A token that is lost is made again by the
 * monitor after SILENCE_LIMIT rounds; two tokens are a fault that purges the ring.
 */
#include <stdbool.h>

#define STATIONS      3
#define HOLD_LIMIT    4
#define SILENCE_LIMIT 6

/* The environment, linked from elsewhere. */
int  read_request(void);         /* a station that wants to send, or STATIONS for none */
bool read_reserve(void);         /* the holder wants to keep the token */
int  read_line(void);            /* what happened on the line: see line_t */
void report_state(int state);
void report_holder(int holder);
void report_served(int served);
void wait_round(void);

typedef enum { LINE_QUIET, LINE_TOKEN_LOST, LINE_TOKEN_TWICE } line_t;
typedef enum { RING_IDLE, RING_SENDING, RING_HOLDING, RING_SILENT, RING_PURGE } ring_t;

typedef struct {
    bool pending;
    bool served;         /* since the last purge */
} station_t;

static station_t station[STATIONS];
static ring_t state = RING_IDLE;
static int holder;
static int held_rounds;
static int silent_rounds;

static void pass_token(void)
{
    holder = (holder + 1) % STATIONS;
    held_rounds = 0;
    state = RING_IDLE;
}

static void purge(void)
{
    int i;
    for (i = 0; i < STATIONS; i++) {
        station[i].pending = false;
        station[i].served = false;
    }
    holder = 0;
    held_rounds = 0;
    silent_rounds = 0;
}

static void with_token(bool reserve)
{
    station_t *me = &station[holder];
    if (me->pending) {
        me->pending = false;
        me->served = true;
        state = RING_SENDING;
    } else if (reserve && held_rounds < HOLD_LIMIT) {
        held_rounds++;
        state = RING_HOLDING;
    } else {
        pass_token();
    }
}

static void round_of(int request, bool reserve, line_t line)
{
    if (request >= 0 && request < STATIONS) {
        station[request].pending = true;
    }
    if (line == LINE_TOKEN_TWICE && state != RING_SILENT) {
        purge();
        state = RING_PURGE;
        return;
    }
    switch (state) {
    case RING_SILENT:
        silent_rounds++;
        if (silent_rounds >= SILENCE_LIMIT || (line == LINE_TOKEN_TWICE && silent_rounds > 2)) {
            silent_rounds = 0;
            state = RING_IDLE;
        }
        break;
    case RING_PURGE:
        state = RING_IDLE;
        break;
    case RING_SENDING:
        pass_token();
        break;
    case RING_IDLE:
    case RING_HOLDING:
    default:
        if (line == LINE_TOKEN_LOST) {
            state = RING_SILENT;
        } else {
            with_token(reserve);
        }
        break;
    }
}

int main(void)
{
    for (;;) {
        int request = read_request();
        bool reserve = read_reserve();
        round_of(request, reserve, (line_t)read_line());
        report_state(state);
        report_holder(holder);
        report_served(station[holder].served);
        wait_round();
    }
}
