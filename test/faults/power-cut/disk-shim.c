/*
 * Stands between a process and its disk (LD_PRELOAD): everything the process does to files below one folder is written to a log
 * with its bytes, in the order it was done, and the n-th call of a kind can be made to fail, to be cut short, to lie or to be
 * the last one. What the process reports on one file descriptor goes into the same log, so the log also says what had been
 * acknowledged at each moment. Calls on anything else pass through untouched.
 *
 *   DISK_FOLDER   the folder, absolute and without links
 *   DISK_EXCEPT   folders below it that are not watched, with : between them
 *   DISK_LOG      the log, appended to
 *   DISK_REPORTS  the file descriptor of the reports
 *   DISK_FAULT    kinds:from:how:times, e.g. ws:12:eio:1 ; kinds: w write, s sync, t truncate, r rename, u unlink, o create
 *                 how: eio enospc short lie kill ; times 0: from then on
 *   DISK_ARMED_BY count only after a report that holds this text
 *   DISK_KILL_BY  a report that holds this text is the last thing the process does. Killed from outside it would leave half
 *                 a record behind, or a change without its record, and the next process would write on from there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum record {
  CREATED = 1, WROTE, TRUNCATED, SYNCED, FOLDER_SYNCED, RENAMED, UNLINKED, LINKED, MADE_FOLDER, REMOVED_FOLDER,
  REPORTED, BLIND, SYNC_FAILED, OPENED, FAULTED
};
enum how { NONE, EIO_ALWAYS, FULL, SHORT, LIE, KILL };
enum watched { NOT_OURS, A_FILE, A_FOLDER, SHARED_MEMORY };

#define MAX_FD 4096

static struct { enum watched what; uint64_t inode; dev_t device; char path[512]; } files[MAX_FD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char folder[PATH_MAX], except[PATH_MAX];
static size_t folder_length;
static int log_fd = -1, report_fd = -1;
static char fault_kinds[16], armed_by[64], kill_by[64];
static long fault_from, fault_times, calls;
static enum how fault_how;
static int armed = 1;
static int full_after_short[MAX_FD];

#define REAL(name) static __typeof__(&name) real_##name
REAL(open); REAL(openat); REAL(close); REAL(write); REAL(pwrite); REAL(writev); REAL(pwritev); REAL(ftruncate); REAL(truncate);
REAL(fsync); REAL(fdatasync); REAL(rename); REAL(renameat); REAL(unlink); REAL(unlinkat); REAL(link); REAL(linkat); REAL(mkdir);
REAL(rmdir); REAL(mmap); REAL(posix_fallocate); REAL(fallocate); REAL(sendfile); REAL(copy_file_range);

static void find_real(void) {
#define FIND(name) real_##name = (__typeof__(real_##name))dlsym(RTLD_NEXT, #name)
  FIND(open); FIND(openat); FIND(close); FIND(write); FIND(pwrite); FIND(writev); FIND(pwritev); FIND(ftruncate); FIND(truncate);
  FIND(fsync); FIND(fdatasync); FIND(rename); FIND(renameat); FIND(unlink); FIND(unlinkat); FIND(link); FIND(linkat); FIND(mkdir);
  FIND(rmdir); FIND(mmap); FIND(posix_fallocate); FIND(fallocate); FIND(sendfile); FIND(copy_file_range);
  const char *text = getenv("DISK_FOLDER");
  if (text) { snprintf(folder, sizeof folder, "%s", text); folder_length = strlen(folder); }
  if ((text = getenv("DISK_EXCEPT"))) snprintf(except, sizeof except, "%s", text);
  if ((text = getenv("DISK_REPORTS"))) report_fd = atoi(text);
  if ((text = getenv("DISK_LOG"))) {
    int fd = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 900); /* out of the way of numbers the process may expect */
    real_close(fd);
  }
  if ((text = getenv("DISK_FAULT"))) {
    char how[16] = "";
    if (sscanf(text, "%15[a-z]:%ld:%15[a-z]:%ld", fault_kinds, &fault_from, how, &fault_times) != 4) abort();
    fault_how = !strcmp(how, "eio") ? EIO_ALWAYS : !strcmp(how, "enospc") ? FULL : !strcmp(how, "short") ? SHORT
              : !strcmp(how, "lie") ? LIE : !strcmp(how, "kill") ? KILL : NONE;
    if (fault_how == NONE) abort();
  }
  if ((text = getenv("DISK_KILL_BY"))) snprintf(kill_by, sizeof kill_by, "%s", text);
  if ((text = getenv("DISK_ARMED_BY"))) { snprintf(armed_by, sizeof armed_by, "%s", text); armed = 0; }
}

#define ENTER pthread_once(&once, find_real)
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK do { int kept = errno; pthread_mutex_unlock(&lock); errno = kept; } while (0)

/* In one call, so that records of several processes never mix. */
static void record(enum record type, uint64_t inode, uint64_t offset, const void *a, size_t a_length, const void *b, size_t b_length) {
  if (log_fd < 0) return;
  int kept = errno;
  struct { uint32_t type, a_length, b_length, zero; uint64_t inode, offset; } head = {type, (uint32_t)a_length, (uint32_t)b_length, 0, inode, offset};
  struct iovec pieces[] = {{&head, sizeof head}, {(void *)a, a_length}, {(void *)b, b_length}};
  ssize_t whole = (ssize_t)(sizeof head + a_length + b_length);
  if (real_writev(log_fd, pieces, 3) != whole) abort(); /* a log with a hole would prove nothing */
  errno = kept;
}

/* The path below the folder, or NULL when it is elsewhere. */
static const char *ours(const char *path) {
  if (!folder_length || !path || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == 0) return path + folder_length;
  if (path[folder_length] != '/') return NULL;
  const char *below = path + folder_length + 1;
  for (const char *one = except; *one;) {
    size_t length = strcspn(one, ":");
    if (length && !strncmp(below, one, length) && (below[length] == 0 || below[length] == '/')) return NULL;
    one += length + (one[length] == ':');
  }
  return below;
}

static int is_shared_memory(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, "-shm");
}

/* The lock is held: no other thread is between a change and its record. */
static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* What is to happen to this call; counts it. The lock is held. */
static enum how fault(char kind, const char *path) {
  if (fault_how == NONE || !armed || !strchr(fault_kinds, kind)) return NONE;
  calls++;
  if (calls < fault_from || (fault_times > 0 && calls >= fault_from + fault_times)) return NONE;
  record(FAULTED, (uint64_t)kind, (uint64_t)calls, path, strlen(path), NULL, 0);
  if (fault_how == KILL) die();
  return fault_how;
}

static int fails(enum how how) {
  if (how == EIO_ALWAYS) errno = EIO;
  if (how == FULL || how == SHORT) errno = ENOSPC;
  return how == EIO_ALWAYS || how == FULL || how == SHORT;
}

/* libuv closes files past the C library, and the number may then be another file's: what counts is which file it is now. */
static enum watched watch_of(int fd) {
  if (fd < 0 || fd >= MAX_FD || files[fd].what == NOT_OURS) return NOT_OURS;
  struct stat status;
  int kept = errno;
  int same = fstat(fd, &status) == 0 && status.st_ino == files[fd].inode && status.st_dev == files[fd].device;
  errno = kept;
  return same ? files[fd].what : NOT_OURS;
}

static int opened(int fd, const char *path, int existed, int flags) {
  if (fd < 0) return fd;
  if (fd >= MAX_FD) abort();
  struct stat status;
  if (fstat(fd, &status) != 0) return fd;
  files[fd].what = S_ISDIR(status.st_mode) ? A_FOLDER : is_shared_memory(path) ? SHARED_MEMORY : A_FILE;
  files[fd].inode = status.st_ino;
  files[fd].device = status.st_dev;
  full_after_short[fd] = 0;
  snprintf(files[fd].path, sizeof files[fd].path, "%s", path);
  if (files[fd].what != A_FILE) return fd;
  record(existed ? OPENED : CREATED, status.st_ino, 0, path, strlen(path), NULL, 0);
  if (existed && (flags & O_TRUNC)) record(TRUNCATED, status.st_ino, 0, NULL, 0, NULL, 0);
  return fd;
}

static int open_watched(int at, const char *path, int flags, mode_t mode) {
  const char *below = ours(path);
  if (!below) return real_openat(at, path, flags, mode);
  LOCK;
  int existed = access(path, F_OK) == 0, result = -1;
  if (existed || !(flags & O_CREAT) || !fails(fault('o', below))) result = opened(real_openat(at, path, flags, mode), below, existed, flags);
  UNLOCK;
  return result;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE ENTER; return open_watched(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE ENTER; return open_watched(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE ENTER; return open_watched(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE ENTER; return open_watched(at, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { ENTER; return open_watched(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int close(int fd) {
  ENTER;
  if (watch_of(fd) == NOT_OURS) return real_close(fd);
  LOCK;
  files[fd].what = NOT_OURS;
  int result = real_close(fd);
  UNLOCK;
  return result;
}

/* Puts several pieces into one, so that all writes are one kind. */
static char *joined(const struct iovec *pieces, int count, size_t *length) {
  *length = 0;
  for (int i = 0; i < count; i++) *length += pieces[i].iov_len;
  char *all = malloc(*length ? *length : 1), *at = all;
  for (int i = 0; i < count; i++) { memcpy(at, pieces[i].iov_base, pieces[i].iov_len); at += pieces[i].iov_len; }
  return all;
}

static ssize_t write_watched(int fd, const void *bytes, size_t length, off_t offset) {
  LOCK;
  enum how how = fault('w', files[fd].path);
  size_t wanted = length;
  ssize_t done = -1;
  if (full_after_short[fd]) { full_after_short[fd] = 0; errno = ENOSPC; goto out; }
  if (how == SHORT && length > 1) { wanted = length / 2; full_after_short[fd] = fault_times != 1; }
  else if (fails(how)) goto out;
  done = offset < 0 ? real_write(fd, bytes, wanted) : real_pwrite(fd, bytes, wanted, offset);
  if (done > 0 && files[fd].what == A_FILE) {
    off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) - done : offset;
    record(WROTE, files[fd].inode, (uint64_t)at, bytes, (size_t)done, NULL, 0);
  }
out:
  UNLOCK;
  return done;
}

static ssize_t report(int fd, const void *bytes, size_t length) {
  LOCK;
  record(REPORTED, 0, 0, bytes, length, NULL, 0);
  if (!armed && memmem(bytes, length, armed_by, strlen(armed_by))) armed = 1;
  ssize_t done = real_write(fd, bytes, length);
  if (kill_by[0] && memmem(bytes, length, kill_by, strlen(kill_by))) die();
  UNLOCK;
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  ENTER;
  if (fd == report_fd && fd >= 0) return report(fd, bytes, length);
  return watch_of(fd) == NOT_OURS ? real_write(fd, bytes, length) : write_watched(fd, bytes, length, -1);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  ENTER;
  return watch_of(fd) == NOT_OURS ? real_pwrite(fd, bytes, length, offset) : write_watched(fd, bytes, length, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return pwrite(fd, bytes, length, offset); }

ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset) {
  ENTER;
  if (watch_of(fd) == NOT_OURS && fd != report_fd) return real_pwritev(fd, pieces, count, offset);
  size_t length;
  char *all = joined(pieces, count, &length);
  ssize_t done = fd == report_fd ? report(fd, all, length) : write_watched(fd, all, length, offset);
  free(all);
  return done;
}
ssize_t pwritev64(int fd, const struct iovec *pieces, int count, off_t offset) { return pwritev(fd, pieces, count, offset); }
ssize_t writev(int fd, const struct iovec *pieces, int count) {
  ENTER;
  if (watch_of(fd) == NOT_OURS && fd != report_fd) return real_writev(fd, pieces, count);
  return pwritev(fd, pieces, count, -1);
}

int ftruncate(int fd, off_t length) {
  ENTER;
  if (watch_of(fd) == NOT_OURS) return real_ftruncate(fd, length);
  LOCK;
  int result = -1;
  if (!fails(fault('t', files[fd].path))) result = real_ftruncate(fd, length);
  if (result == 0 && files[fd].what == A_FILE) record(TRUNCATED, files[fd].inode, (uint64_t)length, NULL, 0, NULL, 0);
  UNLOCK;
  return result;
}
int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

static void blind(const char *path) { LOCK; record(BLIND, 0, 0, path, strlen(path), NULL, 0); UNLOCK; }

int truncate(const char *path, off_t length) { ENTER; if (ours(path)) blind(ours(path)); return real_truncate(path, length); }
int truncate64(const char *path, off_t length) { return truncate(path, length); }
int posix_fallocate(int fd, off_t offset, off_t length) {
  ENTER;
  if (watch_of(fd) == A_FILE) blind(files[fd].path);
  return real_posix_fallocate(fd, offset, length);
}
int posix_fallocate64(int fd, off_t offset, off_t length) { return posix_fallocate(fd, offset, length); }
int fallocate(int fd, int mode, off_t offset, off_t length) {
  ENTER;
  if (watch_of(fd) == A_FILE) blind(files[fd].path);
  return real_fallocate(fd, mode, offset, length);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  ENTER;
  if (watch_of(to) == A_FILE) blind(files[to].path);
  return real_sendfile(to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t count) { return sendfile(to, from, offset, count); }
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  ENTER;
  if (watch_of(to) == A_FILE) blind(files[to].path);
  return real_copy_file_range(from, from_at, to, to_at, length, flags);
}
/* A shared writable mapping changes the file without a call; only SQLite's -shm may do that, because nothing relies on it. */
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  ENTER;
  if (watch_of(fd) == A_FILE && (protection & PROT_WRITE) && (flags & MAP_SHARED)) blind(files[fd].path);
  return real_mmap(address, length, protection, flags, fd, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap(address, length, protection, flags, fd, offset);
}

static int sync_watched(int fd, int (*real)(int)) {
  if (watch_of(fd) == NOT_OURS || watch_of(fd) == SHARED_MEMORY) return real(fd);
  LOCK;
  enum how how = fault('s', files[fd].path);
  int result = 0, is_file = files[fd].what == A_FILE;
  if (fails(how)) {
    result = -1;
    if (is_file) record(SYNC_FAILED, files[fd].inode, 0, NULL, 0, NULL, 0);
  } else if (how != LIE) {
    /* The real disk is not what is tested: the log says what would be on it. */
    if (is_file) record(SYNCED, files[fd].inode, 0, NULL, 0, NULL, 0);
    else record(FOLDER_SYNCED, 0, 0, files[fd].path, strlen(files[fd].path), NULL, 0);
  }
  UNLOCK;
  return result;
}
int fsync(int fd) { ENTER; return sync_watched(fd, real_fsync); }
int fdatasync(int fd) { ENTER; return sync_watched(fd, real_fdatasync); }

#define NAMED(kind, type, path, call) \
  ENTER; \
  const char *below = ours(path); \
  if (!below) return call; \
  LOCK; \
  int result = -1; \
  if (!fails(fault(kind, below))) result = call; \
  if (result == 0) record(type, 0, 0, below, strlen(below), NULL, 0); \
  UNLOCK; \
  return result;

int unlink(const char *path) { NAMED('u', UNLINKED, path, real_unlink(path)) }
int unlinkat(int at, const char *path, int flags) { NAMED('u', flags & AT_REMOVEDIR ? REMOVED_FOLDER : UNLINKED, path, real_unlinkat(at, path, flags)) }
int mkdir(const char *path, mode_t mode) { NAMED('o', MADE_FOLDER, path, real_mkdir(path, mode)) }
int rmdir(const char *path) { NAMED('u', REMOVED_FOLDER, path, real_rmdir(path)) }

#define TWO_NAMED(type, from, to, call) \
  ENTER; \
  const char *a = ours(from), *b = ours(to); \
  if (!a && !b) return call; \
  if (!a || !b) abort(); \
  LOCK; \
  int result = -1; \
  if (!fails(fault('r', b))) result = call; \
  if (result == 0) record(type, 0, 0, a, strlen(a), b, strlen(b)); \
  UNLOCK; \
  return result;

int rename(const char *from, const char *to) { TWO_NAMED(RENAMED, from, to, real_rename(from, to)) }
int renameat(int from_at, const char *from, int to_at, const char *to) { TWO_NAMED(RENAMED, from, to, real_renameat(from_at, from, to_at, to)) }
int link(const char *from, const char *to) { TWO_NAMED(LINKED, from, to, real_link(from, to)) }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) { TWO_NAMED(LINKED, from, to, real_linkat(from_at, from, to_at, to, flags)) }
