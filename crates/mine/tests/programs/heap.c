/* A log that grows with every step. */
#include <stdlib.h>

struct entry {
    struct entry *next;
    int value;
};

int value;
int length;
static struct entry *log_head;

void step(void)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry != NULL) {
        entry->value = value;
        entry->next = log_head;
        log_head = entry;
        length = length < 5 ? length + 1 : length;
    }
}
