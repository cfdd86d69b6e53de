/*
 * Exterior lights of a car.
 *
 * Called every 100 ms. The rotary switch chooses off, position, automatic or
 * low beam. In automatic mode the low beam follows the brightness with a
 * hysteresis and a delay, at once in a tunnel (rain and darkness). High beam
 * needs low beam; the fog light needs low beam and falls off with it. After
 * the ignition is off the low beam lights the way home when the flasher was
 * pulled. Low voltage sheds the fog light first.
 */
#include <stdbool.h>
#include <stdint.h>

typedef enum { SWITCH_OFF, SWITCH_POSITION, SWITCH_AUTO, SWITCH_LOW } switch_t;
typedef enum { WAY_IDLE, WAY_ARMED, WAY_LIT } way_t;

struct inputs {
    bool ignition;
    switch_t rotary;
    uint8_t brightness;     /* 0 (night) to 100 (noon) */
    bool rain;
    bool flasher;           /* pulled */
    bool high_pushed;
    bool fog_pressed;
    uint8_t battery_dv;     /* tenths of a volt */
};

struct outputs {
    bool position;
    bool low;
    bool high;
    bool fog;
};

struct inputs in;
struct outputs out;

#define DARK        30u
#define BRIGHT      50u
#define DUSK_TICKS  20u     /* 2 s of darkness */
#define DAWN_TICKS  30u
#define WAY_TICKS   50u     /* 5 s */
#define BATTERY_LOW 110u
#define BATTERY_OK  118u

static bool auto_low;
static uint8_t dusk;
static uint8_t dawn;
static bool fog_wanted;
static bool fog_was_pressed;
static bool shedding;
static way_t way;
static uint8_t way_ticks;
static bool ignition_was_on;

static void follow_brightness(void)
{
    if (!auto_low) {
        dawn = 0u;
        if (in.brightness < DARK) {
            if (in.rain || dusk >= DUSK_TICKS) {
                auto_low = true;
                dusk = 0u;
            } else {
                dusk++;
            }
        } else {
            dusk = 0u;
        }
    } else if (in.brightness > BRIGHT) {
        if (dawn >= DAWN_TICKS) {
            auto_low = false;
            dawn = 0u;
        } else {
            dawn++;
        }
    } else {
        dawn = 0u;
    }
}

static void watch_battery(void)
{
    if (in.battery_dv < BATTERY_LOW) {
        shedding = true;
    } else if (in.battery_dv > BATTERY_OK) {
        shedding = false;
    }
}

static void way_home(void)
{
    switch (way) {
    case WAY_IDLE:
        if (ignition_was_on && !in.ignition && in.flasher && in.rotary == SWITCH_AUTO) {
            way = WAY_ARMED;
            way_ticks = 0u;
        }
        break;
    case WAY_ARMED:
        if (!in.flasher) {
            way = WAY_LIT;
        }
        break;
    case WAY_LIT:
    default:
        way_ticks++;
        if (way_ticks >= WAY_TICKS || in.ignition || shedding) {
            way = WAY_IDLE;
        }
        break;
    }
}

void light_step(void)
{
    watch_battery();
    if (in.rotary == SWITCH_AUTO && in.ignition) {
        follow_brightness();
    } else {
        auto_low = false;
        dusk = 0u;
        dawn = 0u;
    }
    way_home();

    out.low = (in.ignition && (in.rotary == SWITCH_LOW || (in.rotary == SWITCH_AUTO && auto_low))) || way == WAY_LIT;
    out.high = in.ignition && ((out.low && in.high_pushed && way != WAY_LIT) || in.flasher);
    out.position = out.low || in.rotary == SWITCH_POSITION || (in.rotary == SWITCH_LOW && !in.ignition);

    if (in.fog_pressed && !fog_was_pressed) {
        fog_wanted = !fog_wanted;
    }
    if (!out.low || !in.ignition) {
        fog_wanted = false;
    }
    out.fog = fog_wanted && !shedding;
    fog_was_pressed = in.fog_pressed;
    ignition_was_on = in.ignition;
}
