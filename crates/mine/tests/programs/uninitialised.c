/* A limit that is only set on some ways. */
int mode;
int alarm;

void step(void)
{
    int limit;
    if (mode > 1) {
        limit = 10;
    }
    alarm = mode + 5 > limit;
}
