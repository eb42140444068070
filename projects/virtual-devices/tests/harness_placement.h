/* Stages 1 to 3: which devices there are, and what lies on which. */
#ifndef HARNESS_PLACEMENT_H
#define HARNESS_PLACEMENT_H

#include "harness_base.h"

/* ---- stage 1 ---- */

static void names(void)
{
    const char *listed[DEVICES];
    const char **wrong = make(DEVICES + 1, sizeof *wrong);
    char line[512] = "";
    oc_error err = {0};
    for (size_t i = 0; i < DEVICES; i++) {
        listed[i] = "(not written)";
    }
    call("shards_names");
    oc_status rc = shards_names(device, listed, DEVICES, &err);
    expect_status(OC_OK, rc, &err, "");
    for (size_t i = 0; i < DEVICES; i++) {
        expect(listed[i] != NULL && strcmp(listed[i], info(i)->string) == 0,
               info(i)->string, "a name is the `string` that the client gives",
               "out_names[%zu] is %s", i, listed[i] == NULL ? "NULL" : listed[i]);
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%s", i == 0 ? "" : ", ",
                 listed[i]);
    }
    call("shards_names");
    rc = shards_names(device, wrong, DEVICES + 1, &err);
    expect_status(OC_INVALID_ARGUMENT, rc, &err, "the client has 4 devices, not 5");
    free(wrong);
    emit("say observed (CPU client): %d virtual devices of one host: %s", DEVICES,
         line);
}

static void stage_1(void)
{
    open_devices(1);
    close_devices();
    open_devices(DEVICES);
    names();
}

/* ---- stage 2 ---- */

enum { BLOCK = ROWS / DEVICES * COLUMNS }; /* elements of one */

static bool all_hold(const oc_device_output *outputs, float blocks[DEVICES][BLOCK])
{
    for (size_t i = 0; i < DEVICES; i++) {
        if (!holds(&outputs[i], blocks[i], ROWS / DEVICES)) {
            return false;
        }
    }
    return true;
}

/* Where a mistaken program takes element j of block i from. */
static size_t turned(size_t i, size_t j)
{
    return i * BLOCK + j % 2 * COLUMNS + j / 2;
}

static size_t of_columns(size_t i, size_t j)
{
    return j * COLUMNS + i;
}

static size_t of_first(size_t i, size_t j)
{
    (void)i;
    return j;
}

static size_t dealt(size_t i, size_t j)
{
    return (i + j / COLUMNS * DEVICES) * COLUMNS + j % COLUMNS;
}

static const char *mistake(const oc_device_output *outputs, const float *matrix)
{
    static const struct {
        size_t (*from)(size_t, size_t);
        const char *hint;
    } known[] = {
        {turned, "the blocks are transposed: rows stay rows, in row-major order"},
        {of_columns, "the columns were cut, not the rows"},
        {of_first, "every device holds the same rows: block i begins at row "
                   "i * rows / count"},
        {dealt,
         "the rows were dealt out in turn: a block is rows that follow one another"},
    };
    bool on_first = true;
    bool whole = true;
    for (size_t i = 0; i < DEVICES; i++) {
        on_first = on_first && owner_of(&outputs[i]) == 0;
        whole = whole && has_rows(&outputs[i], ROWS);
    }
    if (on_first) {
        return "every shard lies on device 0: the third argument of oc_device_put "
               "chooses "
               "the device";
    }
    if (whole) {
        return "the whole matrix is on every device: that is replication, a partition "
               "gives each device its own rows";
    }
    for (size_t m = 0; m < sizeof known / sizeof *known; m++) {
        float blocks[DEVICES][BLOCK];
        for (size_t i = 0; i < DEVICES * BLOCK; i++) {
            blocks[i / BLOCK][i % BLOCK] = matrix[known[m].from(i / BLOCK, i % BLOCK)];
        }
        if (all_hold(outputs, blocks)) {
            return known[m].hint;
        }
    }
    return "";
}

static void expect_shards(const oc_device_output *outputs, const float *matrix,
                          int64_t rows, int64_t step, const char *hint)
{
    for (size_t i = 0; i < DEVICES; i++) {
        const oc_tensor *tensor = &outputs[i].tensor;
        int64_t first = (int64_t)i * step;
        char wanted[96];
        snprintf(wanted, sizeof wanted, "float32 %dx%d with rows %d to %d on %.40s",
                 (int)rows, COLUMNS, (int)first, (int)(first + rows - 1),
                 info(i)->string);
        expect(has_rows(&outputs[i], rows) &&
                   holds(&outputs[i], matrix + first * COLUMNS, rows) &&
                   owner_of(&outputs[i]) == i,
               wanted, hint, "out_buffers[%zu]: %s, %zu dimensions (%d, %d) on %s%s", i,
               oc_dtype_name(tensor->dtype), tensor->rank,
               (int)(tensor->rank > 0 ? tensor->dims[0] : 0),
               (int)(tensor->rank > 1 ? tensor->dims[1] : 0), outputs[i].device,
               has_rows(&outputs[i], rows) &&
                       !holds(&outputs[i], matrix + first * COLUMNS, rows)
                   ? ", other elements"
                   : "");
    }
}

static void partition(void)
{
    float *matrix = matrix_of(ROWS);
    int64_t *buffers = unwritten(DEVICES);
    oc_device_output outputs[DEVICES] = {0};
    oc_error err = {0};
    call("shards_partition");
    oc_status rc =
        shards_partition(device, matrix, ROWS, COLUMNS, buffers, DEVICES, &err);
    expect_status(OC_OK, rc, &err, "");
    read_back(buffers, outputs);
    expect_shards(outputs, matrix, ROWS / DEVICES, ROWS / DEVICES,
                  mistake(outputs, matrix));
    for (size_t i = 0; i < DEVICES; i++) {
        emit("say observed (CPU client): rows %zu to %zu of %dx%d on %s", 2 * i,
             2 * i + 1, ROWS, COLUMNS, outputs[i].device);
    }
    free_outputs(outputs);
    free(buffers);
    free(matrix);
}

/* 10 rows over 4 devices. */
static void refuse(void)
{
    static const char expected[] = "10 rows over 4 devices refused: invalid argument";
    float *matrix = matrix_of(10);
    int64_t *buffers = unwritten(DEVICES);
    oc_error err = {0};
    call("shards_partition");
    puts_seen = 0;
    oc_status rc =
        shards_partition(device, matrix, 10, COLUMNS, buffers, DEVICES, &err);
    if (rc == OC_OK) {
        oc_device_output outputs[DEVICES] = {0};
        int64_t rows = 0;
        read_back(buffers, outputs);
        for (size_t i = 0; i < DEVICES; i++) {
            rows += outputs[i].tensor.rank > 0 ? outputs[i].tensor.dims[0] : 0;
        }
        fail(expected, rows < 10 ? "accepted, with rows missing" : "accepted",
             rows < 10 ? "the last rows were dropped: what does not divide is refused"
                       : "blocks of unequal size: what does not divide is refused");
    }
    expect_status(OC_INVALID_ARGUMENT, rc, &err, "");
    expect(puts_seen == 0, expected, "the refusal comes before anything is placed",
           "refused after %zu buffers were placed", puts_seen);
    for (size_t i = 0; i < DEVICES; i++) {
        expect(buffers[i] == SHARDS_NO_BUFFER, "SHARDS_NO_BUFFER in every element",
               "a refusal leaves no buffer in out_buffers", "out_buffers[%zu] is %lld",
               i, (long long)buffers[i]);
    }
    free(buffers);
    free(matrix);
    emit("say refused: 10 rows over 4 devices, nothing placed");
}

/* Buffers in the order of devices 3, 2, 1, 0, then 2, 2, 0, 1. */
static void owners(void)
{
    static const size_t places[2][DEVICES] = {{3, 2, 1, 0}, {2, 2, 0, 1}};
    float *matrix = matrix_of(ROWS);
    for (size_t list = 0; list < 2; list++) {
        int64_t *buffers = make(DEVICES, sizeof *buffers);
        size_t *found = make(DEVICES, sizeof *found);
        oc_error err = {0};
        for (size_t k = 0; k < DEVICES; k++) {
            buffers[k] = place(matrix, ROWS, places[list][k]);
            found[k] = (size_t)UNWRITTEN;
        }
        call("shards_owners");
        oc_status rc = shards_owners(device, buffers, DEVICES, found, &err);
        expect_status(OC_OK, rc, &err, "");
        for (size_t k = 0; k < DEVICES; k++) {
            size_t wanted = places[list][k];
            expect(found[k] == wanted, info(wanted)->string,
                   found[k] == k
                       ? "the owner was taken from the place in the list: ask "
                         "the buffer (`device` of oc_device_get)"
                   : found[k] == (size_t)UNWRITTEN
                       ? "an element of out_owners was never written"
                       : "",
                   "out_owners[%zu] is %zu", k, found[k]);
        }
        free(buffers);
        free(found);
    }
    free(matrix);
}

static void stage_2(void)
{
    partition();
    refuse();
    owners();
}

/* ---- stage 3 ---- */

static void replicate(void)
{
    float *matrix = matrix_of(ROWS);
    int64_t *buffers = unwritten(DEVICES);
    oc_device_output outputs[DEVICES] = {0};
    oc_error err = {0};
    call("shards_replicate");
    oc_status rc =
        shards_replicate(device, matrix, ROWS, COLUMNS, buffers, DEVICES, &err);
    expect_status(OC_OK, rc, &err, "");
    read_back(buffers, outputs);
    expect_shards(outputs, matrix, ROWS, 0,
                  has_rows(&outputs[0], ROWS / DEVICES)
                      ? "the rows were partitioned: a replica is the whole matrix"
                  : owner_of(&outputs[1]) == 0 && owner_of(&outputs[3]) == 0
                      ? "every copy lies on device 0"
                      : "");
    free_outputs(outputs);
    free(buffers);
    free(matrix);
    emit("say observed (CPU client): the whole %dx%d on each of %d devices", ROWS,
         COLUMNS, DEVICES);
}

static const char *layout_name(shards_layout layout)
{
    return layout == SHARDS_NEITHER       ? "neither"
           : layout == SHARDS_PARTITIONED ? "partitioned"
           : layout == SHARDS_REPLICATED  ? "replicated"
                                          : "no layout (never written?)";
}

static void layouts(void)
{
    static const struct {
        const char *what, *hint;
        shards_layout layout;
        int64_t rows, step;
        size_t places[DEVICES];
    } cases[] = {
        {"blocks, listed from the last device to the first",
         "the order of the list does "
         "not matter",
         SHARDS_PARTITIONED,
         2,
         2,
         {3, 2, 1, 0}},
        {"four whole copies",
         "every buffer has all rows",
         SHARDS_REPLICATED,
         8,
         0,
         {0, 1, 2, 3}},
        {"four whole copies on one device",
         "the shape is right but a device is no owner "
         "twice: ask each buffer for its device",
         SHARDS_NEITHER,
         8,
         0,
         {0, 0, 0, 0}},
        {"blocks, two of them on one device",
         "the shape is right but a device is no "
         "owner twice: ask each buffer for its device",
         SHARDS_NEITHER,
         2,
         2,
         {0, 1, 2, 2}},
        {"whole matrices that differ",
         "copies hold the same bytes",
         SHARDS_NEITHER,
         8,
         1,
         {0, 1, 2, 3}},
        {"half matrices",
         "neither blocks nor copies have this shape",
         SHARDS_NEITHER,
         4,
         0,
         {0, 1, 2, 3}},
    };
    float *matrix = matrix_of(2 * ROWS);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t *buffers = make(DEVICES, sizeof *buffers);
        shards_layout found = (shards_layout)99;
        char wanted[128];
        oc_error err = {0};
        for (size_t k = 0; k < DEVICES; k++) {
            buffers[k] = place(matrix + (int64_t)k * cases[c].step * COLUMNS,
                               cases[c].rows, cases[c].places[k]);
        }
        call("shards_layout_of");
        oc_status rc =
            shards_layout_of(device, buffers, DEVICES, ROWS, COLUMNS, &found, &err);
        expect_status(OC_OK, rc, &err, "");
        snprintf(wanted, sizeof wanted, "%s for %s", layout_name(cases[c].layout),
                 cases[c].what);
        expect(found == cases[c].layout, wanted, cases[c].hint, "%s",
               layout_name(found));
        free(buffers);
    }
    free(matrix);
}

static void stage_3(void)
{
    replicate();
    layouts();
}

#endif
