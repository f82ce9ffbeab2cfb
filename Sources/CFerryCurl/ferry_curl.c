// Typed wrappers over libcurl and zlib, which are opened at run time. See ferry_curl.h for what belongs to whom.

#ifdef __linux__

#define _GNU_SOURCE
#include "ferry_curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// MARK: What curl.h declares

enum {
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_READDATA = 10009,
    OPT_WRITEFUNCTION = 20011,
    OPT_READFUNCTION = 20012,
    OPT_POSTFIELDS = 10015,
    OPT_HTTPHEADER = 10023,
    OPT_HEADERDATA = 10029,
    OPT_CUSTOMREQUEST = 10036,
    OPT_NOPROGRESS = 43,
    OPT_NOBODY = 44,
    OPT_UPLOAD = 46,
    OPT_POST = 47,
    OPT_NETRC = 51,
    OPT_FOLLOWLOCATION = 52,
    OPT_SSL_VERIFYPEER = 64,
    OPT_HEADERFUNCTION = 20079,
    OPT_FRESH_CONNECT = 74,
    OPT_HTTPGET = 80,
    OPT_SSL_VERIFYHOST = 81,
    OPT_NOSIGNAL = 99,
    OPT_PRIVATE = 10103,
    OPT_INFILESIZE_LARGE = 30115,
    OPT_POSTFIELDSIZE_LARGE = 30120,
    OPT_HTTP_TRANSFER_DECODING = 157,
    OPT_HTTP_CONTENT_DECODING = 158,
    OPT_COPYPOSTFIELDS = 10165,
    OPT_SEEKFUNCTION = 20167,
    OPT_SEEKDATA = 10168,
    OPT_PROTOCOLS = 181,
    OPT_PINNEDPUBLICKEY = 10230,
    OPT_PATH_AS_IS = 234,
    OPT_PREREQDATA = 10313,
    OPT_PREREQFUNCTION = 20312,
    OPT_CERTINFO = 172,
    OPT_SUPPRESS_CONNECT_HEADERS = 265,
    OPT_HTTP09_ALLOWED = 285,
    OPT_QUICK_EXIT = 322,

    INFO_PRIVATE = 0x100000 + 21,
    INFO_OS_ERRNO = 0x200000 + 25,
    INFO_NUM_CONNECTS = 0x200000 + 26,
    INFO_CERTINFO = 0x400000 + 34,

    MOPT_SOCKETFUNCTION = 20001,
    MOPT_SOCKETDATA = 10002,
    MOPT_PIPELINING = 3,
    MOPT_TIMERFUNCTION = 20004,
    MOPT_TIMERDATA = 10005,
    MOPT_MAXCONNECTS = 6,
    MOPT_MAX_HOST_CONNECTIONS = 7,
    MOPT_MAX_TOTAL_CONNECTIONS = 13,

    SHOPT_SHARE = 1,
    LOCK_SSL_SESSION = 4,

    PROTO_HTTP = 1 << 0,
    PROTO_HTTPS = 1 << 1,
    PAUSE_RECV = 1 << 0,
    PAUSE_SEND = 1 << 2,
    GLOBAL_DEFAULT = 3,
    MSG_DONE = 1,
    POLL_IN = 1,
    POLL_OUT = 2,
    POLL_REMOVE = 4,
    SELECT_IN = 1,
    SELECT_OUT = 2,
    SELECT_ERR = 4,
    SOCKET_TIMEOUT = -1,
    ABORTED_BY_CALLBACK = 42,
};

struct version_info {
    int age;
    const char *version;
    unsigned version_num;
    const char *host;
    int features;
    const char *ssl_version;
};

struct message {
    int msg;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

struct certificates {
    int count;
    struct ferry_list **lists;
};

struct blob {
    void *data;
    size_t len;
    unsigned flags;
};

static struct {
    int (*global_init)(long);
    struct version_info *(*version_info)(int);
    const char *(*easy_strerror)(int);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_pause)(void *, int);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_assign)(void *, int, void *);
    int (*multi_socket_action)(void *, int, int, int *);
    struct message *(*multi_info_read)(void *, int *);
    void *(*share_init)(void);
    int (*share_setopt)(void *, int, ...);
    int (*share_cleanup)(void *);
} curl;

static const struct {
    const char *name;
    void **place;
} functions[] = {
#define FUNCTION(name) { "curl_" #name, (void **)&curl.name }
    FUNCTION(global_init), FUNCTION(version_info), FUNCTION(easy_strerror), FUNCTION(easy_init),
    FUNCTION(easy_cleanup), FUNCTION(easy_setopt), FUNCTION(easy_getinfo), FUNCTION(easy_pause), FUNCTION(multi_init),
    FUNCTION(multi_cleanup), FUNCTION(multi_setopt), FUNCTION(multi_add_handle), FUNCTION(multi_remove_handle),
    FUNCTION(multi_assign), FUNCTION(multi_socket_action), FUNCTION(multi_info_read), FUNCTION(share_init),
    FUNCTION(share_setopt), FUNCTION(share_cleanup),
#undef FUNCTION
};

static struct version_info *info;
static char problem[256];
static void load_zlib(void);

int ferry_curl_load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "%s", dlerror());
        return 1;
    }
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(library, functions[index].name);
        if (!*functions[index].place) {
            snprintf(problem, sizeof problem, "%s", functions[index].name);
            return 2;
        }
    }
    int code = curl.global_init(GLOBAL_DEFAULT);
    // The fourth edition of the structure, of 7.57, has every field that is read here.
    info = curl.version_info(4);
    if (code != 0 || !info) {
        snprintf(problem, sizeof problem, "curl_global_init gave %d", code);
        return 2;
    }
    load_zlib();
    return 0;
}

const char *ferry_curl_problem(void) { return problem; }
const char *ferry_curl_version(void) { return info->version; }
unsigned ferry_curl_version_number(void) { return info->version_num; }
int ferry_curl_features(void) { return info->features; }
const char *ferry_curl_tls(void) { return info->ssl_version ? info->ssl_version : "none"; }
const char *ferry_curl_words(int code) { return curl.easy_strerror(code); }

void ferry_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// MARK: Easy handles

// The first failing option decides.
#define SET(easy, option, value) (code = code ? code : curl.easy_setopt((easy), (option), (value)))

// The request is about to be sent. Should libcurl have to send it again, then on a new connection: another kept one may be
// dead as well, and the request be sent up to six times.
static int before_request(void *easy, char *remote, char *local, int remote_port, int local_port) {
    (void)remote, (void)local, (void)remote_port, (void)local_port;
    curl.easy_setopt(easy, OPT_FRESH_CONNECT, 1L);
    return 0;
}

ferry_easy *ferry_easy_make(
    ferry_write_function write, ferry_write_function header, ferry_read_function read, ferry_seek_function seek) {
    void *easy = curl.easy_init();
    if (!easy) return NULL;
    int code = 0;
    SET(easy, OPT_NOSIGNAL, 1L);
    SET(easy, OPT_NOPROGRESS, 1L);
    SET(easy, OPT_PROTOCOLS, (long)(PROTO_HTTP | PROTO_HTTPS));
    SET(easy, OPT_FOLLOWLOCATION, 0L);
    SET(easy, OPT_NETRC, 0L);
    SET(easy, OPT_HTTP09_ALLOWED, 0L);
    SET(easy, OPT_HTTP_TRANSFER_DECODING, 1L);
    SET(easy, OPT_HTTP_CONTENT_DECODING, 0L);
    SET(easy, OPT_PATH_AS_IS, 1L);
    SET(easy, OPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(easy, OPT_SSL_VERIFYPEER, 1L);
    SET(easy, OPT_SSL_VERIFYHOST, 2L);
    SET(easy, OPT_WRITEFUNCTION, write);
    SET(easy, OPT_HEADERFUNCTION, header);
    SET(easy, OPT_READFUNCTION, read);
    SET(easy, OPT_SEEKFUNCTION, seek);
    // Since 7.80; without it such a request is sent again on other kept connections first.
    curl.easy_setopt(easy, OPT_PREREQFUNCTION, before_request);
    curl.easy_setopt(easy, OPT_PREREQDATA, easy);
    if (code) {
        curl.easy_cleanup(easy);
        return NULL;
    }
    // Else a transfer that is removed while its name is looked up waits for the look-up, and every other one with it. The
    // thread of the look-up then ends by itself. From 7.87 on; not an error before.
    curl.easy_setopt(easy, OPT_QUICK_EXIT, 1L);
    return easy;
}

void ferry_easy_free(ferry_easy *easy) { curl.easy_cleanup(easy); }

int ferry_easy_set_long(ferry_easy *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }

int ferry_easy_set_pointer(ferry_easy *easy, int option, const void *value) {
    return curl.easy_setopt(easy, option, value);
}

int ferry_easy_set_blob(ferry_easy *easy, int option, const void *bytes, size_t count) {
    struct blob blob = { (void *)bytes, count, 1 /* copy */ };
    return curl.easy_setopt(easy, option, &blob);
}

int ferry_easy_attach(ferry_easy *easy, const struct ferry_request *request, void *context) {
    int code = 0;
    SET(easy, OPT_FRESH_CONNECT, 0L);
    SET(easy, OPT_PRIVATE, context);
    SET(easy, OPT_WRITEDATA, context);
    SET(easy, OPT_HEADERDATA, context);
    SET(easy, OPT_URL, request->url);
    SET(easy, OPT_HTTPHEADER, request->headers);
    SET(easy, OPT_CUSTOMREQUEST, request->method);
    // Undoes what an earlier transfer of the handle sent.
    SET(easy, OPT_HTTPGET, 1L);
    switch (request->body) {
    case FERRY_BODY_HEAD: SET(easy, OPT_NOBODY, 1L); break;
    case FERRY_BODY_BYTES:
        SET(easy, OPT_POST, 1L);
        SET(easy, OPT_POSTFIELDSIZE_LARGE, request->size);
        SET(easy, OPT_COPYPOSTFIELDS, request->bytes);
        break;
    case FERRY_BODY_READ:
        SET(easy, OPT_READDATA, context);
        SET(easy, OPT_SEEKDATA, context);
        SET(easy, OPT_UPLOAD, 1L);
        SET(easy, OPT_INFILESIZE_LARGE, request->size);
        break;
    default: break;
    }
    // An absent library feature is an error only where pins are asked for.
    int pinned = curl.easy_setopt((void *)easy, OPT_PINNEDPUBLICKEY, request->pins);
    if (request->pins && !code) code = pinned;
    // Where it cannot be set there are no certificates, which is told.
    curl.easy_setopt((void *)easy, OPT_CERTINFO, request->keeps_certificates ? 1L : 0L);
    return code;
}

void ferry_easy_detach(ferry_easy *easy) {
    curl.easy_setopt(easy, OPT_HTTPHEADER, NULL);
    curl.easy_setopt(easy, OPT_POSTFIELDS, NULL);
    curl.easy_setopt(easy, OPT_PRIVATE, NULL);
    curl.easy_setopt(easy, OPT_WRITEDATA, NULL);
    curl.easy_setopt(easy, OPT_HEADERDATA, NULL);
}

void *ferry_easy_context(ferry_easy *easy) {
    char *context = NULL;
    curl.easy_getinfo(easy, INFO_PRIVATE, &context);
    return context;
}

int ferry_easy_pause(ferry_easy *easy, bool receiving, bool sending) {
    return curl.easy_pause(easy, (receiving ? PAUSE_RECV : 0) | (sending ? PAUSE_SEND : 0));
}

long ferry_easy_errno(ferry_easy *easy) {
    long number = 0;
    curl.easy_getinfo(easy, INFO_OS_ERRNO, &number);
    return number;
}

const char *ferry_easy_certificate(ferry_easy *easy) {
    static const char name[] = "Cert:";
    struct certificates *certificates = NULL;
    if (curl.easy_getinfo(easy, INFO_CERTINFO, &certificates) || !certificates || certificates->count < 1) return NULL;
    for (struct ferry_list *line = certificates->lists[0]; line; line = line->next) {
        if (line->text && !strncmp(line->text, name, sizeof name - 1)) return line->text + sizeof name - 1;
    }
    return NULL;
}

long ferry_easy_connections(ferry_easy *easy) {
    long number = 0;
    curl.easy_getinfo(easy, INFO_NUM_CONNECTS, &number);
    return number;
}

// MARK: Multi handles

int ferry_wakeup_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
void ferry_wakeup_free(int wakeup) { close(wakeup); }
void ferry_wakeup_write(int wakeup) { eventfd_write(wakeup, 1); }

// The most sockets that one wait tells of; the others are told of by the next.
enum { READY_LIMIT = 64 };

struct ferry_multi {
    void *handle;
    int sockets;
    int wakeup;
    int64_t deadline;
    // The edition of each descriptor's number: it grows when the set forgets a socket. A socket may be closed, and its
    // number given to another, between the wait that found it ready and ferry_multi_act.
    uint32_t *editions;
    int edition_count;
    // What the last wait found. Used by the thread that waits alone.
    int ready_count;
    struct epoll_event ready[READY_LIMIT];
    // Transfers whose socket the system refuses to watch, for ferry_multi_next.
    int unwatched_count;
    void *unwatched[READY_LIMIT];
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

// What an event carries: the descriptor below, its edition above.
static uint64_t tag(int descriptor, uint32_t edition) { return (uint64_t)edition << 32 | (uint32_t)descriptor; }

// Makes room for the edition of a descriptor's number; whether there is.
static bool has_edition(ferry_multi *multi, int socket) {
    if (socket < multi->edition_count) return true;
    int count = socket < 32 ? 64 : socket * 2;
    uint32_t *editions = realloc(multi->editions, (size_t)count * sizeof *editions);
    if (!editions) return false;
    memset(editions + multi->edition_count, 0, (size_t)(count - multi->edition_count) * sizeof *editions);
    multi->editions = editions;
    multi->edition_count = count;
    return true;
}

// Nothing will tell of this transfer's socket, so the transfer is to end. What shares its connection, or finds no place here,
// is left to its time-outs: for -1 libcurl would give up the multi handle, with all later transfers.
static int cannot_watch(ferry_multi *multi, void *easy) {
    if (multi->unwatched_count < READY_LIMIT) multi->unwatched[multi->unwatched_count++] = easy;
    return 0;
}

// libcurl says what it wants to know of a socket. `known` is set once the socket is in the set.
static int watch(void *easy, int socket, int what, void *context, void *known) {
    ferry_multi *multi = context;
    bool has_room = has_edition(multi, socket);
    if (what == POLL_REMOVE) {
        epoll_ctl(multi->sockets, EPOLL_CTL_DEL, socket, NULL);
        if (has_room) multi->editions[socket]++;
        return 0;
    }
    if (!has_room) return cannot_watch(multi, easy);
    struct epoll_event event = { .data.u64 = tag(socket, multi->editions[socket]) };
    if (what & POLL_IN) event.events |= EPOLLIN;
    if (what & POLL_OUT) event.events |= EPOLLOUT;
    int code = epoll_ctl(multi->sockets, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    // A socket that was closed left the set by itself, and its number may come again.
    if (code && errno == ENOENT) code = epoll_ctl(multi->sockets, EPOLL_CTL_ADD, socket, &event);
    if (code && errno == EEXIST) code = epoll_ctl(multi->sockets, EPOLL_CTL_MOD, socket, &event);
    if (code) return cannot_watch(multi, easy);
    if (!known) curl.multi_assign(multi->handle, socket, multi);
    return 0;
}

static int time_out(void *handle, long milliseconds, void *context) {
    (void)handle;
    ferry_multi *multi = context;
    multi->deadline = milliseconds < 0 ? INT64_MAX : now() + (int64_t)milliseconds * 1000;
    return 0;
}

ferry_multi *ferry_multi_make(int wakeup) {
    ferry_multi *multi = calloc(1, sizeof *multi);
    if (!multi) return NULL;
    multi->wakeup = wakeup;
    multi->deadline = INT64_MAX;
    multi->sockets = epoll_create1(EPOLL_CLOEXEC);
    multi->handle = curl.multi_init();
    // Each write is told once, and nothing has to be read.
    struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = tag(wakeup, 0) };
    int code = 0;
    if (multi->sockets < 0 || !multi->handle || epoll_ctl(multi->sockets, EPOLL_CTL_ADD, wakeup, &event)) code = 1;
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_SOCKETFUNCTION, watch);
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_SOCKETDATA, multi);
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_TIMERFUNCTION, time_out);
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_TIMERDATA, multi);
    // HTTP/2 streams share a connection.
    if (!code) curl.multi_setopt(multi->handle, MOPT_PIPELINING, 2L);
    if (!code) return multi;
    ferry_multi_free(multi);
    return NULL;
}

void ferry_multi_free(ferry_multi *multi) {
    if (multi->handle) curl.multi_cleanup(multi->handle);
    if (multi->sockets >= 0) close(multi->sockets);
    free(multi->editions);
    free(multi);
}

int ferry_multi_limit(ferry_multi *multi, long cached, long perHost, long total) {
    int code = curl.multi_setopt(multi->handle, MOPT_MAXCONNECTS, cached);
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_MAX_HOST_CONNECTIONS, perHost);
    if (!code) code = curl.multi_setopt(multi->handle, MOPT_MAX_TOTAL_CONNECTIONS, total);
    return code;
}

int ferry_multi_add(ferry_multi *multi, ferry_easy *easy) { return curl.multi_add_handle(multi->handle, easy); }

int ferry_multi_remove(ferry_multi *multi, ferry_easy *easy) {
    int code = curl.multi_remove_handle(multi->handle, easy);
    // Afterwards: removing it may ask for its socket once more.
    for (int index = multi->unwatched_count; index-- > 0;) {
        if (multi->unwatched[index] == easy) multi->unwatched[index] = multi->unwatched[--multi->unwatched_count];
    }
    return code;
}

int64_t ferry_multi_deadline(const ferry_multi *multi) { return multi->deadline; }

void ferry_multi_wait(ferry_multi *multi, int64_t deadline) {
    int milliseconds = -1;
    if (deadline != INT64_MAX) {
        int64_t left = deadline <= 0 ? 0 : deadline - now();
        // Rounded up: woken too early it would only wait again.
        milliseconds = left <= 0 ? 0 : left > 60000000 ? 60000 : (int)((left + 999) / 1000);
    }
    int count = epoll_wait(multi->sockets, multi->ready, READY_LIMIT, milliseconds);
    multi->ready_count = count < 0 ? 0 : count;
}

void ferry_multi_act(ferry_multi *multi, bool sockets) {
    int running = 0;
    if (sockets) {
        for (int index = 0; index < multi->ready_count; index++) {
            struct epoll_event event = multi->ready[index];
            int socket = (int)(uint32_t)event.data.u64;
            if (socket == multi->wakeup) continue;
            // Forgotten since, by another thread or by what came before it here.
            if (socket >= multi->edition_count || multi->editions[socket] != event.data.u64 >> 32) continue;
            int what = 0;
            if (event.events & (EPOLLIN | EPOLLHUP)) what |= SELECT_IN;
            if (event.events & EPOLLOUT) what |= SELECT_OUT;
            if (event.events & EPOLLERR) what |= SELECT_ERR;
            curl.multi_socket_action(multi->handle, socket, what, &running);
        }
        multi->ready_count = 0;
    }
    // What is due at once often makes more due; what is left over is for the next wait, which then does not wait.
    for (int round = 0; round < 4 && multi->deadline != INT64_MAX && multi->deadline <= now(); round++) {
        // libcurl sets it again where it wants one still, also the same one.
        multi->deadline = INT64_MAX;
        curl.multi_socket_action(multi->handle, SOCKET_TIMEOUT, 0, &running);
    }
}

ferry_easy *ferry_multi_next(ferry_multi *multi, int *code) {
    if (multi->unwatched_count > 0) {
        *code = ABORTED_BY_CALLBACK;
        return multi->unwatched[--multi->unwatched_count];
    }
    int left = 0;
    for (struct message *message; (message = curl.multi_info_read(multi->handle, &left));) {
        if (message->msg != MSG_DONE) continue;
        *code = message->data.result;
        return message->easy;
    }
    return NULL;
}

ferry_share *ferry_share_make(void) {
    void *share = curl.share_init();
    // No lock functions: the handles of the share are used by one thread at a time.
    if (share) curl.share_setopt(share, SHOPT_SHARE, LOCK_SSL_SESSION);
    return share;
}

void ferry_share_free(ferry_share *share) { curl.share_cleanup(share); }

// MARK: zlib

// z_stream of zlib.h; its size is checked by inflateInit2_.
struct z_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};

enum { Z_NO_FLUSH = 0, Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5 };

static struct {
    int (*init)(struct z_stream *, int, const char *, int);
    int (*inflate)(struct z_stream *, int);
    int (*reset)(struct z_stream *);
    int (*end)(struct z_stream *);
} zlib;

struct ferry_inflater {
    struct z_stream stream;
};

static void load_zlib(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    zlib.inflate = dlsym(library, "inflate");
    zlib.reset = dlsym(library, "inflateReset");
    zlib.end = dlsym(library, "inflateEnd");
    // Last: it says that all are there.
    if (zlib.inflate && zlib.reset && zlib.end) zlib.init = dlsym(library, "inflateInit2_");
}

bool ferry_zlib_loaded(void) { return zlib.init != NULL; }

ferry_inflater *ferry_inflater_make(bool raw) {
    ferry_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return NULL;
    // A window of 32 KiB; 32 more: gzip or zlib by the header; negative: no header.
    if (zlib.init(&inflater->stream, raw ? -15 : 15 + 32, "1", sizeof inflater->stream) != Z_OK) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void ferry_inflater_free(ferry_inflater *inflater) {
    zlib.end(&inflater->stream);
    free(inflater);
}

int ferry_inflate(
    ferry_inflater *inflater, const void *input, size_t *inputCount, void *output, size_t *outputCount) {
    struct z_stream *stream = &inflater->stream;
    stream->next_in = input;
    stream->avail_in = (unsigned)*inputCount;
    stream->next_out = output;
    stream->avail_out = (unsigned)*outputCount;
    int code = zlib.inflate(stream, Z_NO_FLUSH);
    *inputCount -= stream->avail_in;
    *outputCount -= stream->avail_out;
    if (code == Z_STREAM_END) return FERRY_INFLATE_END;
    return code == Z_OK || code == Z_BUF_ERROR ? FERRY_INFLATE_MORE : FERRY_INFLATE_BROKEN;
}

int ferry_inflater_reset(ferry_inflater *inflater) { return zlib.reset(&inflater->stream); }

#endif
