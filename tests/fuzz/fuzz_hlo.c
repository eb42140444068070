/* The reader of StableHLO text. What it refuses has an error with a place; what it
 * reads can be printed, the print reads as an equal module, and printing that gives the
 * same text. */
#include "base/strbuf.h"
#include "stablehlo/parse.h"
#include "stablehlo/print.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PRINT = 1 << 26 };

static oc__hlo_module *read_text(const char *text, size_t size)
{
    oc__hlo_module *module = NULL;
    oc_error err = {0};
    oc_status status = oc__hlo_parse(text, size, "input", &module, &err);
    if ((status == OC_OK) != (module != NULL) || status != err.status ||
        (status != OC_OK && strncmp(err.text, "input:", 6) != 0)) {
        abort();
    }
    return module;
}

/* Every value dies once, of those that some operation follows. */
static void check_liveness(const oc__hlo_func *func)
{
    size_t deaths = 0;
    for (size_t i = 0; i < func->body.op_count; i++) {
        const oc__hlo_op *op = func->body.ops[i];
        deaths += op->dying_count;
        for (size_t k = 0; k < op->dying_count; k++) {
            if (op->dying[k] >= func->value_count) {
                abort();
            }
        }
    }
    if (deaths > func->value_count) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oc__hlo_module *module = read_text((const char *)data, size);
    if (!module) {
        return 0;
    }
    for (size_t i = 0; i < module->func_count; i++) {
        const oc__hlo_func *func = module->funcs[i];
        if (oc__hlo_func_find(module, func->name) != func) {
            abort();
        }
        check_liveness(func);
    }
    oc__strbuf text, again;
    oc__strbuf_init(&text, MAX_PRINT);
    oc__strbuf_init(&again, MAX_PRINT);
    oc__hlo_print(module, &text);
    if (!text.failed) {
        oc__hlo_module *copy = read_text(text.data, text.size);
        if (!copy || !oc__hlo_equal(module, copy)) {
            abort();
        }
        oc__hlo_print(copy, &again);
        if (again.failed || again.size != text.size ||
            memcmp(again.data, text.data, text.size) != 0) {
            abort();
        }
        oc__hlo_module_free(copy);
    }
    oc__strbuf_free(&text);
    oc__strbuf_free(&again);
    oc__hlo_module_free(module);
    return 0;
}
