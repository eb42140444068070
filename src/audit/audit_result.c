#include "onchip/audit.h"

#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdlib.h>

void oc_audit_result_free(oc_audit_result *result)
{
    if (!result) {
        return;
    }
    for (int i = 0; i < OC_AUDIT_STAGES; i++) {
        oc_audit_stage *stage = &result->stages[i];
        free(stage->function);
        free(stage->expected);
        free(stage->got);
        free(stage->hint);
        for (size_t k = 0; k < stage->say_count; k++) {
            free(stage->says[k]);
        }
        free(stage->says);
    }
    free(result->project);
    free(result->implementation);
    free(result->printed);
    free(result->evidence);
    free(result);
}

static json_t *text_or_null(const char *text)
{
    return text ? oc__json_string(text) : json_null();
}

static json_t *stage_json(const oc_audit_stage *stage, size_t number)
{
    json_t *says = json_array();
    bool ok = says != NULL;
    for (size_t i = 0; ok && i < stage->say_count; i++) {
        ok = json_array_append_new(says, oc__json_string(stage->says[i])) == 0;
    }
    json_t *made = json_pack(
        "{sI ss so so so so so}", "stage", (json_int_t)number, "verdict",
        oc_verdict_name(stage->verdict), "function", text_or_null(stage->function),
        "expected", text_or_null(stage->expected), "got", text_or_null(stage->got),
        "hint", text_or_null(stage->hint), "says", says);
    if (!ok) {
        json_decref(made);
        made = NULL;
    }
    return made;
}

char *oc_audit_json(const oc_audit_result *result)
{
    json_t *stages = json_array();
    bool ok = stages != NULL;
    for (size_t i = 0; ok && i < result->stage_count; i++) {
        ok = json_array_append_new(stages, stage_json(&result->stages[i], i + 1)) == 0;
    }
    json_t *root =
        json_pack("{so so so so}", "project", text_or_null(result->project),
                  "implementation", text_or_null(result->implementation), "stages",
                  stages, "evidence", text_or_null(result->evidence));
    char *text = ok && root ? oc__json_text(root) : NULL;
    json_decref(root);
    return text;
}
