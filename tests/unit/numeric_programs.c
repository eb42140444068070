#include "numeric_programs.h"

#include <stdio.h>

static const char *judge(const subject *s, fault f, size_t n)
{
    work w = {.fault = f, .n = n};
    dice from = {.state = n};
    s->make(&w, &from);
    s->run(&w);
    device_swap(f, &w.out[0]);
    char text[4096];
    int size =
        snprintf(text, sizeof text,
                 "!x = tensor<%dx%zuxf32>\n!w = tensor<%zux%zuxf32>\n"
                 "!n = tensor<%zuxf32>\n!r = tensor<%dxf32>\n!s = tensor<f32>\n%s",
                 ROWS, n, n, n, n, ROWS, s->text);
    assert_in_range(size, 1, sizeof text - 1);
    const char *answer = judged(text, w.in, w.inputs, w.out, w.outputs);
    matrices_free(w.in, w.inputs);
    matrices_free(w.out, w.outputs);
    return answer;
}

void try_rows(const subject *s, const size_t sizes[2], const row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const row *r = &rows[i / 2];
        const char *got = judge(s, r->fault, sizes[i % 2]);
        if (strcmp(got, r->wanted[i % 2]) != 0) {
            printf("%s of %zu, %s: '%s', not '%s' (%s)\n", s->name, sizes[i % 2],
                   fault_name(r->fault), got, r->wanted[i % 2],
                   last_judgement()->detail);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}
