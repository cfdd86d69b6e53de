/*
 * Wiper control with a pause timer.
 *
 * Called every 100 ms. In the intermittent position the wiper makes one stroke,
 * then pauses; the pause is shorter the more it rains and the faster the car is.
 * The washer wipes along and three strokes longer. A motor that does not come
 * back to its park position in time is switched off until the lever is at OFF.
 */
#include <stdbool.h>
#include <stdint.h>

typedef enum { LEVER_OFF, LEVER_INTERMITTENT, LEVER_SLOW, LEVER_FAST } lever_t;
typedef enum { MOTOR_STOP, MOTOR_SLOW, MOTOR_FAST } motor_t;

#define PAUSE_LIGHT_RAIN 40u   /* 4 s */
#define PAUSE_HEAVY_RAIN 15u   /* 1.5 s */
#define STALL_LIMIT      25u   /* 2.5 s without passing the park switch */
#define STROKES_AFTER    3u
#define FAST_DRIVE_KMH   120u

/* Inputs. */
bool ignition;
bool washer;
bool parked;            /* the arm is at its park switch */
lever_t lever;
uint8_t rain;           /* 0 (dry) to 4 (pouring) */
uint8_t speed_kmh;      /* 0 to 200 */

/* Outputs. */
motor_t motor;
bool pump;
bool fault;

/* Memory. */
static uint8_t pause_timer;
static uint8_t stall_timer;
static uint8_t strokes_left;
static bool was_parked;

static uint8_t pause_length(void)
{
    if (rain >= 3u || (rain >= 2u && speed_kmh > FAST_DRIVE_KMH)) {
        return PAUSE_HEAVY_RAIN;
    }
    return PAUSE_LIGHT_RAIN;
}

static motor_t intermittent(void)
{
    if (pause_timer > 0u && parked) {
        pause_timer--;
        return MOTOR_STOP;
    }
    if (parked && !was_parked) {
        pause_timer = pause_length();
        return MOTOR_STOP;
    }
    return MOTOR_SLOW;
}

static motor_t demanded(void)
{
    switch (lever) {
    case LEVER_FAST:
        return MOTOR_FAST;
    case LEVER_SLOW:
        return rain == 4u && speed_kmh > FAST_DRIVE_KMH ? MOTOR_FAST : MOTOR_SLOW;
    case LEVER_INTERMITTENT:
        return intermittent();
    default: /* LEVER_OFF: finish the stroke, then stand */
        pause_timer = 0u;
        return parked ? MOTOR_STOP : MOTOR_SLOW;
    }
}

static void supervise(void)
{
    if (motor == MOTOR_STOP || parked) {
        stall_timer = 0u;
    } else if (stall_timer < STALL_LIMIT) {
        stall_timer++;
    } else {
        fault = true;
    }
    if (fault && lever == LEVER_OFF && !washer) {
        fault = false;
        stall_timer = 0u;
    }
}

void wiper_step(void)
{
    pump = ignition && washer && !fault;
    if (pump) {
        strokes_left = STROKES_AFTER;
    } else if (strokes_left > 0u && parked && !was_parked) {
        strokes_left--;
    }
    if (!ignition) {
        motor = MOTOR_STOP;
        strokes_left = 0u;
    } else {
        motor = demanded();
        if (strokes_left > 0u && motor == MOTOR_STOP) {
            motor = MOTOR_SLOW;
        }
    }
    supervise();
    if (fault) {
        motor = MOTOR_STOP;
    }
    was_parked = parked;
}
