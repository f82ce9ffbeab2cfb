// Makes Swift's Mutex known to the thread sanitizer on Linux; loaded with LD_PRELOAD by `.ci/run threads`.
//
// A Mutex that is free is taken and given back by atomics that the sanitizer sees. One that is contended goes through
// _lockSlow and _unlockSlow in libswiftSynchronization, where the kernel changes the lock word (FUTEX_LOCK_PI): the
// sanitizer does not see that, and reports every later use of what the Mutex guards as a race. Here both tell it.
// Seen with Swift 6.3.1; remove this once a contended Mutex alone gives no report.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Of the sanitizer's runtime in the test program; absent in other programs that inherit LD_PRELOAD.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    SWIFT void (*original)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    original(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
    SWIFT void (*original)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    original(handle);
}
