#include "reference/eval.h"
#include "reference/fuse.h"
#include "reference/tile.h"
#include "tensor/float_format.h"

#include <stdlib.h>

/* --- the plan of one run --- */

/* Where a value's tiles come from. */
typedef enum place { SOURCE, ROOM, SINK } place;

/* A value that the chain reads or makes. */
typedef struct entry {
    size_t value;
    place home;
    size_t index;  /* of the source, room or sink */
    oc__tile tile; /* of the present step, ROOM and SINK */
} entry;

typedef struct step {
    oc__tile_fn fn;
    size_t arity;
    oc__tile_env env;
    size_t in[OC__FUSE_MAX_ARITY], out; /* entries */
} step;

/* Every operation brings at most its operands and its result. */
enum { MAX_ENTRIES = OC__FUSE_MAX_OPS * (OC__FUSE_MAX_ARITY + 1) };

typedef struct chain {
    oc__eval *eval;
    oc__frame *frame;
    size_t process;
    const oc__hlo_block *block;
    size_t at, length, count;
    size_t entry_count, step_count;
    size_t source_count, sink_count, room_count, free_count;
    entry entries[MAX_ENTRIES];
    step steps[OC__FUSE_MAX_OPS];
    oc__tile_source *sources[MAX_ENTRIES];
    oc__tile_sink *sinks[OC__FUSE_MAX_OPS];
    oc__tile_room *rooms[OC__FUSE_MAX_OPS];
    size_t free[OC__FUSE_MAX_OPS]; /* rooms that no value holds at present */
    oc__tile_spares spares;
} chain;

static oc_status no_memory(oc_error *err)
{
    return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_NUMERIC, "no memory for a chain");
}

/* The operation of the chain that a value dies with; `length` when it lives on. */
static size_t last_use(const chain *c, size_t value)
{
    for (size_t i = 0; i < c->length; i++) {
        const oc__hlo_op *op = c->block->ops[c->at + i];
        for (size_t d = 0; d < op->dying_count; d++) {
            if (op->dying[d] == value) {
                return i;
            }
        }
    }
    return c->length;
}

static size_t find_entry(const chain *c, size_t value)
{
    size_t i = 0;
    while (i < c->entry_count && c->entries[i].value != value) {
        i++;
    }
    return i;
}

static void add_entry(chain *c, size_t value, place home, size_t index)
{
    c->entries[c->entry_count++] =
        (entry){.value = value, .home = home, .index = index};
}

/* A source without content yet; NULL when out of memory. */
static oc__tile_source *add_source(chain *c, size_t value)
{
    // The rooms of tiles are aligned to cache lines.
    oc__tile_source *source = aligned_alloc(64, sizeof *source);
    if (source) {
        add_entry(c, value, SOURCE, c->source_count);
        c->sources[c->source_count++] = source;
    }
    return source;
}

/* The entry of an operand: one of the chain, or a value of the frame. */
static oc_status operand_entry(chain *c, const oc__hlo_op *op, size_t operand,
                               size_t *out, oc_error *err)
{
    size_t value = op->operands[operand];
    *out = find_entry(c, value);
    if (*out < c->entry_count) {
        return OC_OK;
    }
    const oc__value *v = *oc__slot(c->frame, c->process, value);
    if (v->kind != OC__HLO_TENSOR || !oc__dtype_is_float(v->dtype) || v->quant ||
        (v->count != 1 && v->count != c->count)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "%s: operand %zu is not of its declared type", op->name,
                       operand);
    }
    oc__tile_source *source = add_source(c, value);
    if (!source) {
        return no_memory(err);
    }
    oc__tile_source_init(source, v, v->count == 1, c->eval->arith.sigma);
    return OC_OK;
}

/* A value that the chain does not make tile by tile and that lives on. */
static oc_status run_whole(chain *c, const oc__hlo_op *op, oc_error *err)
{
    oc__value *in[1] = {NULL}, *out[1] = {NULL};
    if (op->operand_count == 1) {
        in[0] = *oc__slot(c->frame, c->process, op->operands[0]);
    }
    oc__call call = {.eval = c->eval,
                     .frame = c->frame,
                     .op = op,
                     .process = c->process,
                     .in = in,
                     .out = out};
    oc_status rc = oc__kernel_find(op->name)->run(&call, err);
    if (rc != OC_OK) {
        oc__value_release(out[0]);
        return rc;
    }
    oc__frame_set(c->frame, c->process, op->first_result, out[0]);
    return OC_OK;
}

/* A splat constant or a broadcast of a single element: nothing is computed. */
static oc_status plan_single(chain *c, const oc__hlo_op *op, bool constant,
                             oc_error *err)
{
    if (last_use(c, op->first_result) == c->length) {
        return run_whole(c, op, err);
    }
    if (constant) {
        double number;
        oc__float_decode_array(op->result_types[0]->dtype, oc__fuse_splat(op)->data, 1,
                               &number);
        oc__tile_source *source = add_source(c, op->first_result);
        if (!source) {
            return no_memory(err);
        }
        oc__tile_source_splat(source, number, c->eval->arith.sigma);
        return OC_OK;
    }
    size_t from;
    oc_status rc = operand_entry(c, op, 0, &from, err);
    if (rc == OC_OK) {
        add_entry(c, op->first_result, SOURCE, c->entries[from].index);
    }
    return rc;
}

/* A place for the result: memory when it lives on, else a room. */
static oc_status place_result(chain *c, const oc__hlo_op *op, oc_error *err)
{
    const oc__hlo_type *type = op->result_types[0];
    if (last_use(c, op->first_result) == c->length) {
        oc__tile_sink *sink = aligned_alloc(64, sizeof *sink);
        if (!sink) {
            return no_memory(err);
        }
        sink->value = NULL;
        sink->sigma = c->eval->arith.sigma;
        sink->spares = &c->spares;
        add_entry(c, op->first_result, SINK, c->sink_count);
        c->entries[c->entry_count - 1].tile = oc__tile_in(&sink->room, sink->sigma);
        c->sinks[c->sink_count++] = sink;
        return oc__value_make(type->dtype, NULL, type->dims, type->rank, &sink->value,
                              err);
    }
    if (c->free_count == 0) {
        oc__tile_room *room = aligned_alloc(64, sizeof *room);
        if (!room) {
            return no_memory(err);
        }
        c->free[c->free_count++] = c->room_count;
        c->rooms[c->room_count++] = room;
    }
    size_t index = c->free[--c->free_count];
    add_entry(c, op->first_result, ROOM, index);
    c->entries[c->entry_count - 1].tile =
        oc__tile_in(c->rooms[index], c->eval->arith.sigma);
    return OC_OK;
}

static oc_status plan_tile(chain *c, size_t number, const oc__hlo_op *op, oc_error *err)
{
    oc__call call = {
        .eval = c->eval, .frame = c->frame, .op = op, .process = c->process};
    step *s = &c->steps[c->step_count++];
    oc_status rc = OC_OK;
    s->fn = oc__tile_find(op->name, &s->arity);
    s->env = oc__tile_env_of(&call, s->fn,
                             c->frame->func->value_types[op->operands[0]]->dtype,
                             op->result_types[0]->dtype);
    oc__call_flops(&call, (double)c->count);
    for (size_t k = 0; rc == OC_OK && k < s->arity; k++) {
        rc = operand_entry(c, op, k, &s->in[k], err);
    }
    s->out = c->entry_count;
    if (rc == OC_OK) {
        rc = place_result(c, op, err);
    }
    // Rooms whose values end here serve later operations.
    for (size_t i = 0; rc == OC_OK && i < c->entry_count; i++) {
        if (c->entries[i].home == ROOM && last_use(c, c->entries[i].value) == number) {
            c->free[c->free_count++] = c->entries[i].index;
        }
    }
    return rc;
}

/* --- running it --- */

static oc__tile tile_of(const chain *c, size_t number, size_t at)
{
    const entry *e = &c->entries[number];
    return e->home == SOURCE ? oc__tile_source_at(c->sources[e->index], at) : e->tile;
}

static oc_status run_steps(chain *c, size_t at, oc_error *err)
{
    size_t n = c->count - at < OC__TILE ? c->count - at : OC__TILE;
    oc_status rc = OC_OK;
    for (size_t i = 0; i < c->step_count; i++) {
        const step *s = &c->steps[i];
        oc__tile in[OC__FUSE_MAX_ARITY];
        for (size_t k = 0; k < s->arity; k++) {
            in[k] = tile_of(c, s->in[k], at);
        }
        oc__tile_apply(&s->env, s->fn, s->arity, n, in, &c->entries[s->out].tile);
    }
    // Not before: what is put may take the place of what was read.
    for (size_t i = 0; rc == OC_OK && i < c->sink_count; i++) {
        rc = oc__tile_sink_put(c->sinks[i], at, n, err);
    }
    return rc;
}

/* The planes of operands that end in the chain. */
static void find_spares(chain *c)
{
    for (size_t i = 0; i < c->length; i++) {
        const oc__hlo_op *op = c->block->ops[c->at + i];
        for (size_t d = 0; d < op->dying_count; d++) {
            const oc__value *v = *oc__slot(c->frame, c->process, op->dying[d]);
            if (v && v->kind == OC__HLO_TENSOR) {
                oc__tile_spare(&c->spares, v);
            }
        }
    }
}

static oc_status run_chain(chain *c, oc_error *err)
{
    oc_status rc = OC_OK;
    for (size_t i = 0; rc == OC_OK && i < c->length; i++) {
        const oc__hlo_op *op = c->block->ops[c->at + i];
        oc__fuse_role r = oc__fuse_role_of(c->frame->func, op);
        rc = r == OC__FUSE_TILE ? plan_tile(c, i, op, err)
                                : plan_single(c, op, r == OC__FUSE_CONSTANT, err);
    }
    find_spares(c);
    for (size_t at = 0; rc == OC_OK && at < c->count; at += OC__TILE) {
        rc = run_steps(c, at, err);
        if (rc == OC_OK && at % ((size_t)1024 * OC__TILE) == 0) {
            rc = oc__eval_tick(c->eval, err);
        }
    }
    for (size_t i = 0; rc == OC_OK && i < c->entry_count; i++) {
        entry *e = &c->entries[i];
        if (e->home == SINK) {
            oc__frame_set(c->frame, c->process, e->value, c->sinks[e->index]->value);
            c->sinks[e->index]->value = NULL;
        }
    }
    return rc;
}

static void chain_free(chain *c)
{
    oc__tile_spares_free(&c->spares);
    for (size_t i = 0; i < c->source_count; i++) {
        free(c->sources[i]);
    }
    for (size_t i = 0; i < c->sink_count; i++) {
        oc__value_release(c->sinks[i]->value);
        free(c->sinks[i]);
    }
    for (size_t i = 0; i < c->room_count; i++) {
        free(c->rooms[i]);
    }
    free(c);
}

static void release_dying(oc__frame *frame, size_t process, const oc__hlo_op *op)
{
    for (size_t d = 0; d < op->dying_count; d++) {
        oc__frame_set(frame, process, op->dying[d], NULL);
    }
}

oc_status oc__fuse_run(oc__eval *eval, oc__frame *frame, const oc__hlo_block *block,
                       size_t at, size_t length, oc_error *err)
{
    oc_status rc = OC_OK;
    size_t count = oc__fuse_count(block->ops[at + length - 1]->result_types[0]);
    for (size_t i = 0; rc == OC_OK && i < length; i++) {
        rc = oc__eval_step(eval, err);
    }
    for (size_t p = 0; rc == OC_OK && p < frame->process_count; p++) {
        if (!frame->active[p]) {
            continue;
        }
        chain *c = calloc(1, sizeof *c);
        if (!c) {
            return no_memory(err);
        }
        c->eval = eval;
        c->frame = frame;
        c->process = p;
        c->block = block;
        c->at = at;
        c->length = length;
        c->count = count;
        rc = run_chain(c, err);
        chain_free(c);
        for (size_t i = 0; rc == OC_OK && i < length; i++) {
            release_dying(frame, p, block->ops[at + i]);
        }
    }
    return rc;
}
