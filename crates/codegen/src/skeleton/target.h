/* What the board gives to the target, and the target to the board. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Texts that stay in flash memory where that is another memory. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define TEXT(text) PSTR(text)
#define TEXT_AT(place) ((char)pgm_read_byte(place))
#else
#define TEXT(text) (text)
#define TEXT_AT(place) (*(place))
#endif

/* The board: milliseconds since some time, and a byte to the line. */
uint32_t board_ms(void);
void board_put(char byte);

/* The target: a byte from the line, and whatever time it is. Call both again and again. */
void target_take(char byte);
void target_poll(void);

#endif
