// The part of libcurl and zlib that FerryCurl uses, opened at run time: no headers and no -dev package are needed to
// build, and a missing or old library is an error that a program can handle.
//
// libcurl's ABI is stable: numbers of options, codes and the layout of the structures below have not changed since
// libcurl.so.4 exists. Variadic functions cannot be called from Swift, so each kind of argument has a function here.
//
// Nothing here locks. ferry_curl_load may be called from any thread, once at a time; afterwards a multi handle and its easy
// handles are used by one thread at a time, but for ferry_multi_wait, beside which others may use them, and the functions
// of wake-ups.

#ifndef FERRY_CURL_H
#define FERRY_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __linux__

typedef struct ferry_easy ferry_easy;
typedef struct ferry_multi ferry_multi;
typedef struct ferry_share ferry_share;

/// A node of a list of strings; the same layout as libcurl's curl_slist. libcurl reads the list where it stands, so it
/// must live as long as the option is set.
struct ferry_list {
    char *text;
    struct ferry_list *next;
};

// MARK: The library

/// Opens libcurl and finds its functions. Gives 0, or 1 where the library is not there and 2 where a function is missing;
/// ferry_curl_problem then says which.
int ferry_curl_load(void);
const char *ferry_curl_problem(void);

/// After a successful load: the version as text and as 0xXXYYZZ, the bits of its features, and its TLS library.
const char *ferry_curl_version(void);
unsigned ferry_curl_version_number(void);
int ferry_curl_features(void);
const char *ferry_curl_tls(void);
const char *ferry_curl_words(int code);

enum {
    FERRY_FEATURE_IPV6 = 1 << 0,
    FERRY_FEATURE_TLS = 1 << 2,
    FERRY_FEATURE_ASYNCHRONOUS_DNS = 1 << 7,
    FERRY_FEATURE_HTTP2 = 1 << 16,
    FERRY_FEATURE_UNIX_SOCKETS = 1 << 19,
};

/// Names the calling thread, at most 15 bytes, for debuggers.
void ferry_name_thread(const char *name);

// MARK: Easy handles: one transfer each

enum {
    FERRY_OPT_PROXY = 10004,
    FERRY_OPT_PORT = 3,
    FERRY_OPT_SSLCERT = 10025,
    FERRY_OPT_SSL_VERSION = 32,
    FERRY_OPT_CAINFO = 10065,
    FERRY_OPT_SSLCERTTYPE = 10086,
    FERRY_OPT_SSLKEY = 10087,
    FERRY_OPT_KEYPASSWD = 10026,
    FERRY_OPT_CAPATH = 10097,
    FERRY_OPT_FORBID_REUSE = 75,
    FERRY_OPT_BUFFERSIZE = 98,
    FERRY_OPT_SHARE = 10100,
    FERRY_OPT_CONNECTTIMEOUT_MS = 156,
    FERRY_OPT_NOPROXY = 10177,
    FERRY_OPT_RESOLVE = 10203,
    FERRY_OPT_UNIX_SOCKET_PATH = 10231,
    FERRY_OPT_UPLOAD_BUFFERSIZE = 280,
    FERRY_OPT_SSLCERT_BLOB = 40291,
    FERRY_OPT_SSLKEY_BLOB = 40292,
    FERRY_OPT_CAINFO_BLOB = 40309,
    FERRY_OPT_USERAGENT = 10018,
    FERRY_OPT_PIPEWAIT = 237,
    FERRY_OPT_HTTP_VERSION = 84,
};

enum {
    FERRY_WRITE_PAUSE = 0x10000001,
    FERRY_READ_PAUSE = 0x10000001,
    FERRY_READ_ABORT = 0x10000000,
    FERRY_SEEK_OK = 0,
    FERRY_SEEK_FAIL = 1,
    FERRY_HTTP_1_1 = 2,
    FERRY_HTTP_2_TLS = 4,
    FERRY_TLS_1_0 = 4,
    FERRY_TLS_1_1 = 5,
    FERRY_TLS_1_2 = 6,
    FERRY_TLS_1_3 = 7,
};

/// What libcurl calls on the thread that performs: each gets the `context` of ferry_easy_attach.
typedef size_t (*ferry_write_function)(char *bytes, size_t size, size_t count, void *context);
typedef size_t (*ferry_read_function)(char *room, size_t size, size_t count, void *context);
typedef int (*ferry_seek_function)(void *context, int64_t offset, int origin);

/// Makes a handle with everything set that no transfer changes: http and https alone, no redirects, no signals, no
/// decoding of content, no netrc, the four callbacks. NULL where that fails: then nothing may be sent.
ferry_easy *ferry_easy_make(
    ferry_write_function write, ferry_write_function header, ferry_read_function read, ferry_seek_function seek);
void ferry_easy_free(ferry_easy *easy);

int ferry_easy_set_long(ferry_easy *easy, int option, long value);
/// A string is copied by libcurl; a list or a share is not.
int ferry_easy_set_pointer(ferry_easy *easy, int option, const void *value);
/// The bytes are copied by libcurl.
int ferry_easy_set_blob(ferry_easy *easy, int option, const void *bytes, size_t count);

/// What a transfer sends.
enum { FERRY_BODY_NONE, FERRY_BODY_HEAD, FERRY_BODY_BYTES, FERRY_BODY_READ };
struct ferry_request {
    const char *url;
    /// NULL: GET or HEAD.
    const char *method;
    /// Must live until ferry_easy_detach.
    struct ferry_list *headers;
    /// NULL: no pins. Fails closed where the TLS library cannot pin.
    const char *pins;
    /// Whether ferry_easy_certificate is to have something to give.
    bool keeps_certificates;
    /// FERRY_BODY_…
    int body;
    /// For FERRY_BODY_BYTES; copied by libcurl.
    const void *bytes;
    /// For FERRY_BODY_BYTES and FERRY_BODY_READ.
    int64_t size;
};

/// Prepares a handle for one transfer. The context goes to every callback, is not retained, and must live until
/// ferry_easy_detach. Gives libcurl's code; anything but 0: do not perform.
int ferry_easy_attach(ferry_easy *easy, const struct ferry_request *request, void *context);
/// Makes the handle forget the context, the headers and a copied body. Only once it is in no multi handle.
void ferry_easy_detach(ferry_easy *easy);
/// The context of the handle.
void *ferry_easy_context(ferry_easy *easy);
/// Sets what is paused. May call the write and read functions before it returns.
int ferry_easy_pause(ferry_easy *easy, bool receiving, bool sending);
/// errno of the last failed system call of the transfer, or 0.
long ferry_easy_errno(ferry_easy *easy);
/// The server's own certificate in PEM, once the handshake of a new connection is over; NULL where there is none to be
/// had. Valid until the transfer ends.
const char *ferry_easy_certificate(ferry_easy *easy);
/// How many connections the transfer has made: 0 where it uses one that existed.
long ferry_easy_connections(ferry_easy *easy);

// MARK: Multi handles: many transfers

/// A descriptor that ends a wait when it is written to; -1 where there is none to be had.
int ferry_wakeup_make(void);
void ferry_wakeup_free(int wakeup);
/// From any thread.
void ferry_wakeup_write(int wakeup);

/// Makes a multi handle with the set of sockets that it waits for; `wakeup` is in the set and not owned.
ferry_multi *ferry_multi_make(int wakeup);
void ferry_multi_free(ferry_multi *multi);
int ferry_multi_limit(ferry_multi *multi, long cached, long perHost, long total);
int ferry_multi_add(ferry_multi *multi, ferry_easy *easy);
int ferry_multi_remove(ferry_multi *multi, ferry_easy *easy);
/// When libcurl wants to be called though no socket is ready, in microseconds of the monotonic clock; INT64_MAX: never.
int64_t ferry_multi_deadline(const ferry_multi *multi);
/// Waits for a socket, a wake-up or the deadline, 0 to only look, and keeps what is ready for ferry_multi_act. The only
/// function that may run while another thread uses the handle; itself on one thread alone.
void ferry_multi_wait(ferry_multi *multi, int64_t deadline);
/// Lets libcurl work on what the last wait found, where `sockets`, and on what is due by time.
void ferry_multi_act(ferry_multi *multi, bool sockets);
/// The next transfer that ended and its code; NULL where there is none.
ferry_easy *ferry_multi_next(ferry_multi *multi, int *code);

/// A cache of TLS sessions for the handles of one loop.
ferry_share *ferry_share_make(void);
void ferry_share_free(ferry_share *share);

// MARK: zlib

/// Whether zlib is there; opens it the first time. Part of ferry_curl_load.
bool ferry_zlib_loaded(void);

typedef struct ferry_inflater ferry_inflater;

/// Decodes gzip (RFC 1952) or zlib (RFC 1950), told apart by their first bytes; or raw deflate (RFC 1951).
ferry_inflater *ferry_inflater_make(bool raw);
void ferry_inflater_free(ferry_inflater *inflater);
enum { FERRY_INFLATE_MORE = 0, FERRY_INFLATE_END = 1, FERRY_INFLATE_BROKEN = -1 };
/// Decodes as much as fits; moves both counts to what was used.
int ferry_inflate(
    ferry_inflater *inflater, const void *input, size_t *inputCount, void *output, size_t *outputCount);
/// Begins the next member of a gzip file.
int ferry_inflater_reset(ferry_inflater *inflater);

#endif
#endif
