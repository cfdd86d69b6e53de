/*
 * A board with a Cortex-M3, as lm3s6965evb: the line is UART0. Time is read from the SysTick counter,
 * which runs freely; timer 0 only wakes the processor now and then, so that a wake-up that is lost
 * loses no time.
 */
#include "target.h"

#define CLOCK_KHZ 12500UL
#define WAKE_MS 2UL

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CLOCK_GATES REGISTER(0x400FE104UL)
#define UART_DATA REGISTER(0x4000C000UL)
#define UART_FLAGS REGISTER(0x4000C018UL)
#define UART_FORMAT REGISTER(0x4000C02CUL)
#define UART_CONTROL REGISTER(0x4000C030UL)
#define UART_MASK REGISTER(0x4000C038UL)
#define UART_CLEAR REGISTER(0x4000C044UL)
#define TIMER_CONFIG REGISTER(0x40030000UL)
#define TIMER_MODE REGISTER(0x40030004UL)
#define TIMER_CONTROL REGISTER(0x4003000CUL)
#define TIMER_MASK REGISTER(0x40030018UL)
#define TIMER_CLEAR REGISTER(0x40030024UL)
#define TIMER_LOAD REGISTER(0x40030028UL)
#define SYSTICK_CONTROL REGISTER(0xE000E010UL)
#define SYSTICK_RELOAD REGISTER(0xE000E014UL)
#define SYSTICK_VALUE REGISTER(0xE000E018UL)
#define INTERRUPTS REGISTER(0xE000E100UL)

#define RECEIVER_EMPTY 0x10UL
#define SENDER_FULL 0x20UL
#define SYSTICK_MASK 0x00FFFFFFUL
#define UART_INTERRUPT (1UL << 5)
#define TIMER_INTERRUPT (1UL << 19)

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;
void reset(void);
int main(void);

static uint32_t last;
static uint32_t ticks;
static uint32_t elapsed_ms;
/* Twice what the tester may send without an answer: `window` in target.toml. */
static volatile char queue[4096];
static volatile uint32_t head;
static uint32_t tail;

static void byte_came(void)
{
    UART_CLEAR = 0x50UL;
    while ((UART_FLAGS & RECEIVER_EMPTY) == 0UL) {
        queue[head] = (char)(UART_DATA & 0xFFUL);
        head = (head + 1UL) % sizeof queue;
    }
}

static void woken(void)
{
    TIMER_CLEAR = 1UL;
}

uint32_t board_ms(void)
{
    const uint32_t now = SYSTICK_VALUE & SYSTICK_MASK;
    ticks += (last - now) & SYSTICK_MASK;
    last = now;
    elapsed_ms += ticks / CLOCK_KHZ;
    ticks %= CLOCK_KHZ;
    return elapsed_ms;
}

void board_put(char byte)
{
    while ((UART_FLAGS & SENDER_FULL) != 0UL) {
        /* The line is slower. */
    }
    UART_DATA = (uint32_t)(uint8_t)byte;
}

int main(void)
{
    CLOCK_GATES |= (1UL << 16) | 1UL;
    /* Empties the receiver: a line that is half over is lost, and the tester sends it again. */
    UART_FORMAT = 0x70UL;
    UART_CONTROL = 0x301UL;
    UART_MASK = 0x50UL;
    SYSTICK_RELOAD = SYSTICK_MASK;
    SYSTICK_VALUE = 0UL;
    SYSTICK_CONTROL = 5UL;
    last = SYSTICK_VALUE & SYSTICK_MASK;
    TIMER_CONFIG = 0UL;
    TIMER_MODE = 2UL;
    TIMER_LOAD = CLOCK_KHZ * WAKE_MS - 1UL;
    TIMER_MASK = 1UL;
    TIMER_CONTROL = 1UL;
    INTERRUPTS = UART_INTERRUPT | TIMER_INTERRUPT;
    for (;;) {
        while (tail != head) {
            const char byte = queue[tail];
            tail = (tail + 1UL) % sizeof queue;
            target_take(byte);
        }
        target_poll();
        __asm__ volatile("wfi");
    }
}

/* What compilers call for structures. */
void *memcpy(void *to, const void *from, unsigned count);
void *memcpy(void *to, const void *from, unsigned count)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    while (count > 0U) {
        count--;
        target[count] = source[count];
    }
    return to;
}

void *memset(void *to, int value, unsigned count);
void *memset(void *to, int value, unsigned count)
{
    volatile uint8_t *target = to;
    while (count > 0U) {
        count--;
        target[count] = (uint8_t)value;
    }
    return to;
}

void reset(void)
{
    uint32_t *from = &data_load;
    for (uint32_t *to = &data_start; to < &data_end; to++) {
        *to = *from;
        from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end; to++) {
        *to = 0UL;
    }
    (void)main();
}

static void stuck(void)
{
    for (;;) {
        /* A fault: the tester sees that nothing comes any more. */
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 20])(void) = {
    (void (*)(void))&stack_top, reset, stuck, stuck, stuck, stuck, stuck, 0, 0, 0, 0, stuck, stuck, 0,
    stuck, stuck, [16 + 5] = byte_came, [16 + 19] = woken
};
