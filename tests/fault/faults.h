/* What the two halves of the library share: fault_calls.c has the calls, faults.c
 * counts them and does what FAULT_ACTION says. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* The calls, by what a lasting condition of the disk does to them. */
typedef enum {
    CALL_OPEN,
    CALL_WRITE,
    CALL_SYNC,
    CALL_CLOSE,
    CALL_RENAME,
    CALL_REMOVE,
    CALL_MAKE,
    CALL_TRUNCATE
} faults_call;

/* What a call has to do. */
typedef struct faults_verdict {
    bool fail; /* not be made; faults_refuse is its result */
    bool half; /* write half of the bytes */
    bool die;  /* end the process afterwards */
} faults_verdict;

/* Whether this process is one that counts. */
bool faults_on(void);

/* Counts the call on `path`, as seen from the folder `fd` (NULL: on the descriptor
 * itself). May not return. */
faults_verdict faults_count(faults_call call, const char *name, int fd,
                            const char *path);
int faults_refuse(void);
/* `result`, unless the process ends here. */
long faults_finish(faults_verdict what, long result);

/* The function that ours stands before. */
void faults_next(const char *name, void *out, size_t size);
#define NEXT(name)                                                                     \
    static __typeof__(&name) real;                                                     \
    if (!real) {                                                                       \
        faults_next(#name, (void *)&real, sizeof real);                                \
    }

#endif
