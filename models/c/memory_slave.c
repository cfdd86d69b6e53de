/*
 * Memory behind a serial bus: a slave that is addressed, then read or written.
 *
 * A transfer is a start condition, an address byte (seven bits and read/write),
 * a register byte, data, a stop condition. The four registers wrap. Register 3
 * is protected: it can be written after the key bytes 0x5A, 0xA5 have been
 * written to register 2 one after the other. A transfer that makes no progress
 * for TIMEOUT steps is given up.
 */
#include <stdbool.h>
#include <stdint.h>

typedef enum { BUS_IDLE, BUS_START, BUS_BYTE, BUS_STOP } bus_event_t;
typedef enum { SLAVE_WAIT, SLAVE_ADDRESS, SLAVE_REGISTER, SLAVE_WRITE, SLAVE_READ, SLAVE_DEAF } slave_t;
typedef enum { KEY_LOCKED, KEY_HALF, KEY_OPEN } key_state_t;

#define OWN_ADDRESS 0x48u
#define GENERAL_CALL 0x00u
#define REGISTERS   4u
#define KEY_REGISTER 2u
#define PROTECTED   3u
#define KEY_FIRST   0x5Au
#define KEY_SECOND  0xA5u
#define TIMEOUT     8u

typedef struct {
    slave_t state;
    uint8_t pointer;
    uint8_t memory[REGISTERS];
    key_state_t key;
    uint8_t idle;
    bool reading;
} slave_memory_t;

static slave_memory_t slave;

/* Outputs. */
bool acknowledge;
bool busy;
bool unlocked;
bool violation;
uint8_t data_out;

void slave_init(void)
{
    slave.state = SLAVE_WAIT;
    slave.memory[0] = 0x10u;        /* identification */
}

static void begin(void)
{
    slave.state = SLAVE_ADDRESS;
    slave.idle = 0u;
}

static void addressed(uint8_t byte)
{
    uint8_t address = byte >> 1;
    if (address == OWN_ADDRESS || (address == GENERAL_CALL && (byte & 1u) == 0u)) {
        slave.reading = (byte & 1u) != 0u;
        slave.state = slave.reading ? SLAVE_READ : SLAVE_REGISTER;
        acknowledge = true;
    } else {
        slave.state = SLAVE_DEAF;
    }
}

static void turn_key(uint8_t byte)
{
    if (byte == KEY_FIRST) {
        slave.key = KEY_HALF;
    } else if (byte == KEY_SECOND && slave.key == KEY_HALF) {
        slave.key = KEY_OPEN;
    } else {
        slave.key = KEY_LOCKED;
    }
}

static void write_byte(uint8_t byte)
{
    if (slave.pointer == PROTECTED && slave.key != KEY_OPEN) {
        violation = true;
        slave.state = SLAVE_DEAF;
        return;
    }
    if (slave.pointer == KEY_REGISTER) {
        turn_key(byte);
        acknowledge = true;
        return;                     /* the key register does not move on */
    }
    slave.memory[slave.pointer] = byte;
    slave.pointer = (uint8_t)((slave.pointer + 1u) % REGISTERS);
    acknowledge = true;
}

static void take(uint8_t byte)
{
    slave.idle = 0u;
    switch (slave.state) {
    case SLAVE_ADDRESS:
        addressed(byte);
        break;
    case SLAVE_REGISTER:
        if (byte < REGISTERS) {
            slave.pointer = byte;
            slave.state = SLAVE_WRITE;
            acknowledge = true;
        } else {
            slave.state = SLAVE_DEAF;
        }
        break;
    case SLAVE_WRITE:
        write_byte(byte);
        break;
    case SLAVE_READ:
        data_out = slave.memory[slave.pointer];
        slave.pointer = (uint8_t)((slave.pointer + 1u) % REGISTERS);
        acknowledge = true;
        break;
    case SLAVE_WAIT:
    case SLAVE_DEAF:
    default:
        break;
    }
}

static void wait(void)
{
    if (slave.state == SLAVE_WAIT) {
        return;
    }
    if (slave.idle < TIMEOUT) {
        slave.idle++;
    } else {
        slave.state = SLAVE_WAIT;
        slave.key = KEY_LOCKED;
    }
}

void slave_step(bus_event_t event, uint8_t byte)
{
    acknowledge = false;
    violation = false;
    data_out = 0u;
    switch (event) {
    case BUS_START:
        begin();
        break;
    case BUS_BYTE:
        take(byte);
        break;
    case BUS_STOP:
        slave.state = SLAVE_WAIT;
        break;
    case BUS_IDLE:
    default:
        wait();
        break;
    }
    busy = slave.state != SLAVE_WAIT && slave.state != SLAVE_DEAF;
    unlocked = slave.key == KEY_OPEN;
}
