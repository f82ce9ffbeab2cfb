// Counts what a process allocates, copies and schedules; loaded with LD_PRELOAD by `.ci/counts`, on Linux with glibc.
//
// Counts do not depend on how busy the machine is, so a regression shows without timing. The wrapped functions call
// glibc's own by their second names; the hook of Swift's runtime sees each job on its way to the global executor: a
// task that begins, one that goes on after it waited, and one that hops. libdispatch writes to an eventfd to wake the
// thread that waits for its timers and sockets.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

// Below this a compiler may copy without a call, or not: that is no property of the source.
enum { LEAST_COPY = 1024 };

static _Atomic uint64_t allocations, allocated, copied, jobs, wakes;

// What ferry-bench reads: allocations, their bytes, bytes of copies, jobs, wakes.
void ferry_counts(uint64_t counts[5]) {
    counts[0] = atomic_load(&allocations);
    counts[1] = atomic_load(&allocated);
    counts[2] = atomic_load(&copied);
    counts[3] = atomic_load(&jobs);
    counts[4] = atomic_load(&wakes);
}

static void count(size_t size) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&allocated, size, memory_order_relaxed);
}

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count(size);
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    count(size);
    void *block = __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *pointer = block;
    return 0;
}

// Built with -fno-builtin, so that the loops do not become calls of what they are.
void *memmove(void *to, const void *from, size_t size) {
    if (size >= LEAST_COPY) atomic_fetch_add_explicit(&copied, size, memory_order_relaxed);
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target == source) return to;
    if (target < source || target >= source + size) {
        for (size_t index = 0; index < size; index++) target[index] = source[index];
    } else {
        for (size_t index = size; index > 0; index--) target[index - 1] = source[index - 1];
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size) { return memmove(to, from, size); }

int eventfd_write(int descriptor, uint64_t value) {
    atomic_fetch_add_explicit(&wakes, 1, memory_order_relaxed);
    return write(descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*enqueue)(void *job);

static SWIFT void enqueued(void *job, enqueue original) {
    atomic_fetch_add_explicit(&jobs, 1, memory_order_relaxed);
    original(job);
}

__attribute__((constructor)) static void install(void) {
    SWIFT void (**hook)(void *, enqueue) = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (hook) *hook = enqueued;
}
