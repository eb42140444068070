/* Where values die. One walk in the order of the text: the last use of a value that is
 * seen stays. A use deep inside of nested regions counts for the operation of the
 * value's own block that holds them, which is the one now open at that block's depth.
 */
#include "stablehlo/derive.h"

typedef struct walk {
    oc__hlo_op **last;                             /* [value] */
    uint16_t *depth;                               /* [value]: of its block */
    const oc__hlo_op *open[OC__HLO_MAX_DEPTH + 1]; /* [depth] */
} walk;

static void see(walk *w, size_t value)
{
    w->last[value] = (oc__hlo_op *)(uintptr_t)w->open[w->depth[value]];
}

static void walk_block(walk *w, const oc__hlo_block *block, uint16_t depth)
{
    for (size_t i = 0; i < block->argument_count; i++) {
        size_t value = block->first_argument + i;
        w->depth[value] = depth;
        // An argument that nothing uses dies at the first operation.
        w->last[value] =
            block->op_count ? (oc__hlo_op *)(uintptr_t)block->ops[0] : NULL;
    }
    for (size_t i = 0; i < block->op_count; i++) {
        const oc__hlo_op *op = w->open[depth] = block->ops[i];
        for (size_t k = 0; k < op->operand_count; k++) {
            see(w, op->operands[k]);
        }
        for (size_t k = 0; k < op->region_count; k++) {
            walk_block(w, &op->regions[k]->block, depth + 1);
        }
        for (size_t k = 0; k < op->result_count; k++) {
            w->depth[op->first_result + k] = depth;
            see(w, op->first_result + k);
        }
    }
}

bool oc__liveness(oc__arena *arena, oc__hlo_func *func)
{
    walk w = {.last = oc__arena_take(arena, func->value_count, sizeof *w.last),
              .depth = oc__arena_take(arena, func->value_count, sizeof *w.depth)};
    if (!w.last || !w.depth) {
        return false;
    }
    walk_block(&w, &func->body, 0);
    for (size_t value = 0; value < func->value_count; value++) {
        if (w.last[value]) {
            w.last[value]->dying_count++;
        }
    }
    for (size_t value = 0; value < func->value_count; value++) {
        oc__hlo_op *op = w.last[value];
        if (!op) {
            continue;
        }
        size_t *dying = (size_t *)(uintptr_t)op->dying;
        if (!dying) {
            op->dying = dying = oc__arena_take(arena, op->dying_count, sizeof *dying);
            if (!dying) {
                return false;
            }
            op->dying_count = 0;
        }
        dying[op->dying_count++] = value;
    }
    return true;
}
