#include "device/compile_jobs.h"

#include <pthread.h>
#include <stdlib.h>

bool oc__compile_jobs_cut(const json_t *request, const char *blob, size_t blob_size,
                          oc__compile_job *jobs, size_t count)
{
    json_int_t options_size =
        json_integer_value(json_object_get(request, "options_size"));
    const json_t *sizes = json_object_get(request, "code_sizes");
    size_t at = (size_t)options_size;
    if (options_size < 0 || at > blob_size) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        json_int_t size = json_integer_value(json_array_get(sizes, i));
        if (size < 0 || (size_t)size > blob_size - at) {
            return false;
        }
        jobs[i] = (oc__compile_job){.code = blob + at,
                                    .code_size = (size_t)size,
                                    .options = blob,
                                    .options_size = (size_t)options_size};
        at += (size_t)size;
    }
    return at == blob_size;
}

static void *run_job(void *argument)
{
    oc__compile_job *job = argument;
    job->err = (oc_error){0};
    job->status = oc__pjrt_compile(job->pjrt, job->code, job->code_size, job->options,
                                   job->options_size, &job->program, &job->err);
    return NULL;
}

void oc__compile_jobs_run(const oc__pjrt *pjrt, oc__compile_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jobs[i].pjrt = pjrt;
    }
    pthread_t *threads = calloc(count + 1, sizeof *threads);
    size_t started = 0;
    while (threads && started + 1 < count &&
           pthread_create(&threads[started], NULL, run_job, &jobs[started]) == 0) {
        started++;
    }
    for (size_t i = started; i < count; i++) { // what has no thread of its own, here
        run_job(&jobs[i]);
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
}
