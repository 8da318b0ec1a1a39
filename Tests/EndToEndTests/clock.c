// Preloaded into one process, it gives that process a wall clock that is CLOCK_SHIFT seconds off. What counts from a
// start, as deadlines and sleeps do, is left alone. libfaketime can't be used for this: it moves the timers of a
// monotonic clock too, so that a process whose clock is behind sleeps for an hour.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift(void) {
    const char *seconds = getenv("CLOCK_SHIFT");
    return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    if (now) *now = precise.tv_sec;
    return precise.tv_sec;
}

// The kernel would compare with its own clock.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec kernel = *until;
    kernel.tv_sec -= shift();
    return sem_clockwait(semaphore, CLOCK_REALTIME, &kernel);
}
