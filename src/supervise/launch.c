#include "onchip/launch.h"

#include "supervise/supervise.h"

#include <stdlib.h>

/* A job that could not be started at first leaves the folder as it was; on a resume it
 * is an attempt that failed. */
static oc_status run_in(oc__run_folder *folder, const oc_launch_options *options,
                        const oc__signals *signals, oc_launch_result *result,
                        oc_error *err)
{
    oc__supervision run = {.options = options, .folder = folder, .signals = signals};
    oc_error why = {0};
    oc_status rc = oc__supervise(&run, &why);
    if (rc != OC_OK && !options->resume) {
        rc = OC_FAIL(err, rc, why.boundary, "%s", why.text);
        oc__run_folder_undo(folder);
    } else {
        run.failure = rc == OC_OK ? run.failure : why;
        oc__launch_outcome(&run, result);
        rc = OC_OK;
    }
    json_decref(run.events.observed);
    oc__run_folder_close(folder);
    return rc;
}

oc_status oc_launch(const oc_launch_options *options, oc_launch_result **out_result,
                    oc_error *err)
{
    oc_launch_options checked;
    oc__run_folder folder;
    oc__signals signals;
    *out_result = NULL;
    oc_status rc = oc__launch_options_check(options, &checked, err);
    oc_launch_result *result = rc == OC_OK ? calloc(1, sizeof *result) : NULL;
    if (!result) {
        return rc == OC_OK ? OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory")
                           : rc;
    }
    rc = oc__signals_take(&signals, err);
    if (rc == OC_OK) {
        rc = oc__run_folder_open(&checked, &folder, err);
    }
    if (rc == OC_OK) {
        rc = run_in(&folder, &checked, &signals, result, err);
    }
    oc__signals_give_back(&signals);
    if (rc == OC_OK) {
        *out_result = result;
        result = NULL;
    }
    oc_launch_result_free(result);
    return rc;
}

void oc_launch_result_free(oc_launch_result *result)
{
    if (result) {
        free(result->summary_json);
        free(result);
    }
}
