/* A search in a ring that never ends when the key is not there. */
int key;
int found;
static const int ring[4] = { 1, 2, 3, 5 };

void step(void)
{
    int i = 0;
    if (key < 0) {
        found = 0;
        return;
    }
    while (ring[i % 4] != key) {
        i++;
    }
    found = i;
}
