// Makes Swift's Mutex visible to ThreadSanitizer; preloaded by bin/tsan, part of no product.
//
// Mutex takes a free lock in code compiled into the program, which the sanitizer sees. A contended
// one is taken and given back by functions of libswiftSynchronization.so, which is not instrumented:
// the sanitizer then misses the order that the lock makes and reports races where none are. These
// functions stand in front of those three, call them, and tell the sanitizer what they did.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF void *self __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Weak: children of a test are not built with the sanitizer, yet inherit the preloading.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*real_lock)(uint32_t, SELF);
static SWIFT bool (*real_try_lock)(SELF);
static SWIFT void (*real_unlock)(SELF);

__attribute__((constructor)) static void find(void)
{
    real_lock = dlsym(RTLD_NEXT, LOCK);
    real_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    real_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF)
{
    real_lock(thread, self);
    if (__tsan_acquire)
        __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF)
{
    bool is_locked = real_try_lock(self);
    if (is_locked && __tsan_acquire)
        __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(SELF)
{
    if (__tsan_release)
        __tsan_release(self);
    real_unlock(self);
}
