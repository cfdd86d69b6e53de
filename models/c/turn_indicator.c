/*
 * Turn indicator of a car.
 *
 * Called every 10 ms with the position of the stalk, the hazard button and the
 * supply voltage. The lamps flash 340 ms on, 320 ms off. A short touch of the
 * stalk flashes three times. Hazard flashing has priority, except over a new
 * choice of direction, which it then interrupts when the stalk is back. A lamp
 * that takes no current makes its side flash twice as fast. Below 10 V the
 * lamps are dark.
 */
#include <stdbool.h>
#include <stdint.h>

typedef enum { STALK_IDLE, STALK_LEFT, STALK_RIGHT } stalk_t;
typedef enum { FLASH_NONE, FLASH_LEFT, FLASH_RIGHT, FLASH_BOTH } flash_t;

#define ON_TICKS      34u
#define OFF_TICKS     32u
#define TIP_TICKS     20u      /* shorter than this is a touch */
#define TIP_FLASHES   3u
#define DEBOUNCE      3u
#define VOLT_LOW_DV   100u     /* tenths of a volt */
#define VOLT_HIGH_DV  150u

typedef struct {
    flash_t mode;
    uint8_t phase;          /* ticks left in the phase */
    bool lit;
    uint8_t flashes_left;   /* 0: until the stalk is back */
} flasher_t;

typedef struct {
    bool raw;
    bool stable;
    uint8_t count;
} debounce_t;

static flasher_t flasher;
static debounce_t hazard_button;
static bool hazard_on;
static bool direction_after_hazard;
static stalk_t last_stalk;
static uint8_t stalk_ticks;

/* Outputs. */
bool lamp_left;
bool lamp_right;
bool tell_tale;

static bool debounce(debounce_t *button, bool raw)
{
    if (raw != button->raw) {
        button->raw = raw;
        button->count = 0u;
    } else if (button->count < DEBOUNCE) {
        button->count++;
        if (button->count == DEBOUNCE && button->stable != raw) {
            button->stable = raw;
            return raw;
        }
    }
    return false;
}

static void start(flash_t mode, uint8_t flashes)
{
    if (flasher.mode != mode) {
        flasher.mode = mode;
        flasher.lit = true;
        flasher.phase = ON_TICKS;
    }
    flasher.flashes_left = flashes;
}

static void stop(void)
{
    flasher.mode = FLASH_NONE;
    flasher.lit = false;
    flasher.phase = 0u;
    flasher.flashes_left = 0u;
}

static flash_t side_of(stalk_t stalk)
{
    return stalk == STALK_LEFT ? FLASH_LEFT : FLASH_RIGHT;
}

static void stalk_moved(stalk_t stalk)
{
    if (stalk != STALK_IDLE) {
        stalk_ticks = 0u;
        direction_after_hazard = hazard_on;
        start(side_of(stalk), 0u);
    } else if (hazard_on) {
        direction_after_hazard = false;
        start(FLASH_BOTH, 0u);
    } else if (stalk_ticks < TIP_TICKS) {
        flasher.flashes_left = TIP_FLASHES;
    } else {
        stop();
    }
}

static void hazard_pressed(stalk_t stalk)
{
    hazard_on = !hazard_on;
    if (hazard_on) {
        direction_after_hazard = false;
        start(FLASH_BOTH, 0u);
    } else if (stalk != STALK_IDLE) {
        start(side_of(stalk), 0u);
    } else {
        stop();
    }
}

static void flash(bool bulb_broken)
{
    if (flasher.mode == FLASH_NONE) {
        return;
    }
    if (flasher.phase > 1u) {
        flasher.phase--;
        return;
    }
    flasher.lit = !flasher.lit;
    flasher.phase = flasher.lit ? ON_TICKS : OFF_TICKS;
    if (bulb_broken && flasher.mode != FLASH_BOTH) {
        flasher.phase /= 2u;
    }
    if (!flasher.lit && flasher.flashes_left > 0u) {
        flasher.flashes_left--;
        if (flasher.flashes_left == 0u) {
            stop();
        }
    }
}

/* Returns whether the supply is good. */
bool indicator_step(stalk_t stalk, bool hazard, bool bulb_broken, uint8_t supply_dv)
{
    bool supplied = supply_dv >= VOLT_LOW_DV && supply_dv <= VOLT_HIGH_DV;

    if (debounce(&hazard_button, hazard)) {
        hazard_pressed(stalk);
    }
    if (stalk != last_stalk) {
        stalk_moved(stalk);
        last_stalk = stalk;
    } else if (stalk != STALK_IDLE && stalk_ticks < TIP_TICKS) {
        stalk_ticks++;
    }
    flash(bulb_broken);

    lamp_left = supplied && flasher.lit && (flasher.mode == FLASH_LEFT || flasher.mode == FLASH_BOTH);
    lamp_right = supplied && flasher.lit && (flasher.mode == FLASH_RIGHT || flasher.mode == FLASH_BOTH);
    tell_tale = (lamp_left || lamp_right) && !(hazard_on && direction_after_hazard);
    return supplied;
}
