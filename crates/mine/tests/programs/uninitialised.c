/* An offset that is only set on some ways. */
int mode;
int level;

void step(void)
{
    int offset;
    if (mode > 1) {
        offset = 10;
    }
    level = mode + offset;
}
