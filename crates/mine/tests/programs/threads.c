/* Work that is given to a thread of its own. */
#include <pthread.h>

int job;
int result;

static void *work(void *argument)
{
    result = *(int *)argument * 2;
    return NULL;
}

void step(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &job) == 0) {
        pthread_join(thread, NULL);
    }
}
