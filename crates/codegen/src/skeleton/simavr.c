/*
 * Runs the AVR program in simavr, in real time; the USART is standard input and output.
 * Use: simavr_board PROGRAM.elf
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#define FREQUENCY 16000000UL
#define BAUD 115200UL

static int may_send;

static uint64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}

static void came(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    const char byte = (char)value;
    (void)irq;
    (void)parameter;
    (void)!write(STDOUT_FILENO, &byte, 1);
}

static void ready(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    (void)value;
    *(int *)parameter = 1;
}

static void full(struct avr_irq_t *irq, uint32_t value, void *parameter)
{
    (void)irq;
    (void)value;
    *(int *)parameter = 0;
}

int main(int count, char **arguments)
{
    elf_firmware_t firmware;
    uint32_t flags = 0;
    memset(&firmware, 0, sizeof firmware);
    if (count != 2 || elf_read_firmware(arguments[1], &firmware) != 0) {
        fprintf(stderr, "use: simavr_board PROGRAM.elf\n");
        return 2;
    }
    avr_t *avr = avr_make_mcu_by_name("atmega324pa");
    if (avr == NULL) {
        avr = avr_make_mcu_by_name("atmega324");
    }
    if (avr == NULL || avr_init(avr) != 0) {
        fprintf(stderr, "simavr does not know the atmega324\n");
        return 2;
    }
    firmware.frequency = FREQUENCY;
    avr_load_firmware(avr, &firmware);
    avr->frequency = FREQUENCY;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_t *base = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), 0);
    avr_irq_register_notify(base + UART_IRQ_OUTPUT, came, NULL);
    avr_irq_register_notify(base + UART_IRQ_OUT_XON, ready, &may_send);
    avr_irq_register_notify(base + UART_IRQ_OUT_XOFF, full, &may_send);
    const uint64_t start = now_us();
    for (;;) {
        /* As long as a byte takes on the line, then as long a rest as the real one would take. */
        const avr_cycle_count_t until = avr->cycle + FREQUENCY * 10U / BAUD;
        while (avr->cycle < until) {
            const int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "the program ended\n");
                return 1;
            }
        }
        const uint64_t due = start + avr->cycle / (FREQUENCY / 1000000U);
        const uint64_t now = now_us();
        struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
        if (may_send && poll(&in, 1, 0) > 0) {
            char byte;
            if (read(STDIN_FILENO, &byte, 1) <= 0) {
                return 0;
            }
            avr_raise_irq(base + UART_IRQ_INPUT, (uint8_t)byte);
        }
        if (due > now + 200U) {
            const struct timespec rest = { 0, (long)(due - now) * 1000L % 1000000000L };
            (void)nanosleep(&rest, NULL);
        }
    }
}
