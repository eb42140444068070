#include "program/program.h"

#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "reference/evaluate.h"
#include "tensor/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 16 << 20 };

/* The radii of a float output as an array of float64 (complex: of pairs). */
static oc_status radius_tensor(const oc__value *value, oc_tensor *out, oc_error *err)
{
    bool is_complex = oc__dtype_is_complex(value->dtype);
    *out = (oc_tensor){0};
    if (!oc__value_has_balls(value)) {
        return OC_OK;
    }
    oc_status rc = oc_tensor_make(is_complex ? OC_C128 : OC_F64, value->dims,
                                  value->rank, out, err);
    if (rc == OC_OK && value->r) {
        memcpy(out->data, oc__r(value), out->size_bytes);
    }
    return rc;
}

static double largest_radius(const oc__value *value)
{
    size_t n = value->count * (oc__dtype_is_complex(value->dtype) ? 2 : 1);
    double largest = 0.0;
    for (size_t i = 0; value->r && i < n; i++) {
        double r = oc__r(value)[i];
        largest = !(r < (double)INFINITY) ? (double)INFINITY : fmax(largest, r);
    }
    return largest;
}

/* How many elements have any of these flags, or no finite ball where undecided is asked
 * for. */
static size_t count_flagged(const oc__value *value, uint8_t flags)
{
    size_t width = oc__dtype_is_complex(value->dtype) ? 2 : 1;
    size_t found = 0;
    for (size_t i = 0; i < value->count; i++) {
        bool hit = value->f && (oc__f(value)[i] & flags);
        for (size_t k = 0; k < width && value->r && (flags & OC__F_UNDECIDED); k++) {
            hit = hit || !(oc__r(value)[i * width + k] < (double)INFINITY);
        }
        found += hit;
    }
    return found;
}

static oc_status keep_output(const oc_program_request *request, size_t index,
                             const oc__value *value, json_t *outputs, oc__strbuf *text,
                             oc_error *err)
{
    oc_tensor pair[2] = {{0}, {0}}; // the answer and its radius
    char *shown = NULL, name[32];
    oc_status rc = oc__value_to_tensor(value, &pair[0], err);
    if (rc == OC_OK) {
        rc = radius_tensor(value, &pair[1], err);
    }
    for (size_t i = 0; i < 2 && rc == OC_OK && request->output_dir; i++) {
        snprintf(name, sizeof name, i ? "out%zu.radius.npy" : "out%zu.npy", index);
        char *path = oc__path_join(request->output_dir, name);
        rc = !path ? OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory")
             : pair[i].data ? oc__npy_write(path, &pair[i], err)
                            : OC_OK;
        free(path);
    }
    if (rc == OC_OK && !(shown = oc__program_tensor_text(&pair[0]))) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    if (rc == OC_OK) {
        char hash[OC__SHA256_HEX];
        double radius = largest_radius(value);
        size_t undecided = count_flagged(value, OC__F_UNDECIDED);
        size_t open = count_flagged(value, OC__F_OPEN);
        oc__sha256_hex(pair[0].data, pair[0].size_bytes, hash);
        json_array_append_new(
            outputs,
            json_pack("{s:s s:I s:o s:I s:I s:s}", "type", shown, "elements",
                      (json_int_t)value->count, "largest_radius",
                      oc__json_float(radius), "undecided", (json_int_t)undecided,
                      "unspecified", (json_int_t)open, "sha256", hash));
        oc__strbuf_addf(text, "out%zu  %s  radius %.3g", index, shown, radius);
        if (undecided > 0) {
            oc__strbuf_addf(text, ", %zu undecided", undecided);
        }
        if (open > 0) {
            oc__strbuf_addf(text, ", %zu left open by the specification", open);
        }
        oc__strbuf_addf(text, "\n");
    }
    free(shown);
    oc_tensor_free(&pair[0]);
    oc_tensor_free(&pair[1]);
    return rc;
}

static json_t *notes_json(const oc__evaluation *evaluation)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < evaluation->note_count; i++) {
        const oc__eval_note *note = &evaluation->notes[i];
        json_array_append_new(notes,
                              json_pack("{s:s s:s s:I s:I}", "rule", note->rule, "op",
                                        note->op, "line", (json_int_t)note->line,
                                        "elements", (json_int_t)note->elements));
    }
    return notes;
}

static oc_status keep_outputs(const oc_program_request *request,
                              const oc__evaluation *evaluation, oc_eval_result *result,
                              oc_error *err)
{
    json_t *outputs = json_array();
    oc__strbuf text;
    oc__strbuf_init(&text, MAX_TEXT);
    oc_status rc =
        request->output_dir ? oc__make_dirs(request->output_dir, err) : OC_OK;
    result->output_count = evaluation->process_count * evaluation->output_count;
    for (size_t i = 0; i < result->output_count && rc == OC_OK; i++) {
        if (evaluation->outputs[i]->kind == OC__HLO_TENSOR) {
            rc = keep_output(request, i, evaluation->outputs[i], outputs, &text, err);
        }
    }
    json_t *document = json_pack(
        "{s:s s:o s:o s:I s:f s:f}", "program", request->program, "outputs", outputs,
        "notes", notes_json(evaluation), "steps", (json_int_t)evaluation->steps,
        "flops", evaluation->flops, "seconds", evaluation->seconds);
    result->json = document ? oc__json_text(document) : NULL;
    json_decref(document);
    result->text = text.data ? text.data : strdup("");
    if (rc == OC_OK && (!result->json || !result->text || text.failed)) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    return rc;
}

/* An output that hangs on a custom call is no answer: nobody but its target's author
 * knows the meaning. */
static oc_status refuse_custom_calls(const oc__program *program,
                                     const oc__evaluation *evaluation, oc_error *err)
{
    static const char rule[] = "custom_call @";
    size_t unknown = 0;
    for (size_t i = 0; i < evaluation->process_count * evaluation->output_count; i++) {
        const oc__value *value = evaluation->outputs[i];
        unknown +=
            value->kind == OC__HLO_TENSOR ? count_flagged(value, OC__F_UNDECIDED) : 0;
    }
    for (size_t i = 0; i < evaluation->note_count && unknown > 0; i++) {
        const oc__eval_note *note = &evaluation->notes[i];
        if (strncmp(note->rule, rule, sizeof rule - 1) == 0) {
            return OC_FAIL(
                err, OC_INVALID_ARGUMENT, OC_BOUNDARY_NUMERIC,
                "%s:%zu: the reference does not know what %s computes, and an "
                "output depends on it",
                program->path, note->line, note->rule);
        }
    }
    return OC_OK;
}

oc_status oc_eval(const oc_program_request *request, oc_eval_result **out_result,
                  oc_error *err)
{
    oc__program program = {0};
    oc__evaluation evaluation = {0};
    const oc__arith arith = {0};
    const oc__eval_limits limits = {.deadline_s = (double)request->timeout_ms / 1000.0};
    *out_result = NULL;
    oc_eval_result *result = calloc(1, sizeof *result);
    if (!result) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NONE, "out of memory");
    }
    oc_status rc = oc__program_open(request->program, &program, err);
    if (rc == OC_OK) {
        rc = oc__program_inputs(&program, request, err);
    }
    if (rc == OC_OK) {
        rc = oc__evaluate(program.module, program.replicas, program.partitions,
                          program.tensors, program.input_count, &arith, &limits,
                          &evaluation, err);
    }
    if (rc == OC_OK) {
        rc = refuse_custom_calls(&program, &evaluation, err);
    }
    if (rc == OC_OK) {
        rc = keep_outputs(request, &evaluation, result, err);
    }
    if (rc == OC_OK) {
        *out_result = result;
        result = NULL;
    }
    oc__evaluation_free(&evaluation);
    oc__program_close(&program);
    oc_eval_result_free(result);
    return rc;
}

void oc_eval_result_free(oc_eval_result *result)
{
    if (result) {
        free(result->text);
        free(result->json);
        free(result);
    }
}
