/* A buffer with room for four of five entries; nothing crashes. */
int index_in;
int last;
static int buffer[4];
static int neighbour;

void step(void)
{
    buffer[index_in] = 7;
    last = neighbour + buffer[0];
}
