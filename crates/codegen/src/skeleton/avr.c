/* A board with an ATmega324PA: the line is USART0, time comes from timer 1. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include "target.h"

#define BAUD 115200UL

static volatile uint32_t elapsed_ms;
/* A step's report takes long on the line; what comes meanwhile has to wait. Twice what the tester may
 * send without an answer: `window` in target.toml. */
static volatile char queue[512];
static volatile uint16_t head;
static uint16_t tail;

ISR(TIMER1_COMPA_vect)
{
    elapsed_ms++;
}

ISR(USART0_RX_vect)
{
    queue[head] = (char)UDR0;
    head = (uint16_t)((head + 1U) % sizeof queue);
}

uint32_t board_ms(void)
{
    const uint8_t flags = SREG;
    cli();
    const uint32_t now = elapsed_ms;
    SREG = flags;
    return now;
}

void board_put(char byte)
{
    while ((UCSR0A & (1U << UDRE0)) == 0U) {
        /* The line is slower. */
    }
    UDR0 = (uint8_t)byte;
}

int main(void)
{
    UBRR0 = (uint16_t)((F_CPU + BAUD * 4UL) / (BAUD * 8UL) - 1UL);
    UCSR0A = (1U << U2X0);
    UCSR0B = (1U << RXEN0) | (1U << TXEN0) | (1U << RXCIE0);
    UCSR0C = (1U << UCSZ01) | (1U << UCSZ00);
    OCR1A = (uint16_t)(F_CPU / 8UL / 1000UL - 1UL);
    TCCR1B = (1U << WGM12) | (1U << CS11);
    TIMSK1 = (1U << OCIE1A);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        for (;;) {
            cli();
            const bool more = tail != head;
            sei();
            if (!more) {
                break;
            }
            const char byte = queue[tail];
            tail = (uint16_t)((tail + 1U) % sizeof queue);
            target_take(byte);
        }
        target_poll();
        /* Until the next byte, or the next millisecond. */
        sleep_mode();
    }
}
