#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <pthread.h>
#include <signal.h>

/* Variadic, so that Swift can't call it itself. */
static inline int jobrunner_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}

static inline int jobrunner_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
