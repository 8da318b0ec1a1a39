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
#include <spawn.h>

/* Variadic, so that Swift can't call it itself. */
static inline int jobrunner_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}

static inline int jobrunner_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/* Their headers show them to those alone who ask for all of GNU's. */
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int memfd_create(const char *name, unsigned int flags);
static const unsigned int JOBRUNNER_MFD_CLOEXEC = 1;
