/* The calls that are counted, each in front of the C library's. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* One call that fails or is made, then may be the last. */
#define CALL(kind_, name_, fd_, path_, expression)                                     \
    faults_verdict what = faults_count(kind_, name_, fd_, path_);                      \
    return what.fail ? faults_refuse() : (int)faults_finish(what, (expression))

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, unsigned int) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
    NEXT(open)
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!(flags & O_CREAT)) {
        return real(path, flags, mode);
    }
    CALL(CALL_OPEN, "open", AT_FDCWD, path, real(path, flags, mode));
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat)
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!(flags & O_CREAT)) {
        return real(folder, path, flags, mode);
    }
    CALL(CALL_OPEN, "open", folder, path, real(folder, path, flags, mode));
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
    NEXT(write)
    faults_verdict what = faults_count(CALL_WRITE, "write", fd, NULL);
    return what.fail
               ? faults_refuse()
               : faults_finish(what,
                               real(fd, data, what.half && size > 1 ? size / 2 : size));
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    NEXT(pwrite)
    faults_verdict what = faults_count(CALL_WRITE, "pwrite", fd, NULL);
    return what.fail ? faults_refuse()
                     : faults_finish(what, real(fd, data,
                                                what.half && size > 1 ? size / 2 : size,
                                                offset));
}

EXPORT int fsync(int fd)
{
    NEXT(fsync)
    CALL(CALL_SYNC, "fsync", fd, NULL, real(fd));
}

EXPORT int fdatasync(int fd)
{
    NEXT(fdatasync)
    CALL(CALL_SYNC, "fdatasync", fd, NULL, real(fd));
}

EXPORT int ftruncate(int fd, off_t size)
{
    NEXT(ftruncate)
    CALL(CALL_TRUNCATE, "ftruncate", fd, NULL, real(fd, size));
}

/* A close that fails has closed all the same. */
EXPORT int close(int fd)
{
    NEXT(close)
    int flags = faults_on() ? fcntl(fd, F_GETFL) : -1;
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        return real(fd);
    }
    faults_verdict what = faults_count(CALL_CLOSE, "close", fd, NULL);
    int result = real(fd);
    return what.fail ? faults_refuse() : (int)faults_finish(what, result);
}

EXPORT int rename(const char *from, const char *to)
{
    NEXT(rename)
    CALL(CALL_RENAME, "rename", AT_FDCWD, to, real(from, to));
}

EXPORT int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    NEXT(renameat)
    CALL(CALL_RENAME, "rename", to_folder, to, real(from_folder, from, to_folder, to));
}

EXPORT int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned int flags)
{
    NEXT(renameat2)
    CALL(CALL_RENAME, "rename", to_folder, to,
         real(from_folder, from, to_folder, to, flags));
}

EXPORT int unlink(const char *path)
{
    NEXT(unlink)
    CALL(CALL_REMOVE, "unlink", AT_FDCWD, path, real(path));
}

EXPORT int unlinkat(int folder, const char *path, int flags)
{
    NEXT(unlinkat)
    CALL(CALL_REMOVE, flags & AT_REMOVEDIR ? "rmdir" : "unlink", folder, path,
         real(folder, path, flags));
}

EXPORT int rmdir(const char *path)
{
    NEXT(rmdir)
    CALL(CALL_REMOVE, "rmdir", AT_FDCWD, path, real(path));
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir)
    CALL(CALL_MAKE, "mkdir", AT_FDCWD, path, real(path, mode));
}

EXPORT int mkdirat(int folder, const char *path, mode_t mode)
{
    NEXT(mkdirat)
    CALL(CALL_MAKE, "mkdir", folder, path, real(folder, path, mode));
}

/* The names of a program that is built with _FILE_OFFSET_BITS=64; the same here. */
EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));
EXPORT int openat64(int folder, const char *path, int flags, ...)
    __attribute__((alias("openat")));
EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
    __attribute__((alias("pwrite")));
EXPORT int ftruncate64(int fd, off_t size) __attribute__((alias("ftruncate")));
