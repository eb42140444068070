/* Pretty forms of Shardy, as JAX exports them. */
#include "stablehlo/pretty.h"

#include <string.h>

/* The bracketed text that is next, as the generic form has it: between `before` and
 * `after`. */
static bool carried(oc__parser *p, oc__op_draft *op, const char *name,
                    const char *before, const char *after)
{
    const char *at = p->token.at;
    if (!oc__parse_skip_brackets(p)) {
        return false;
    }
    size_t size = (size_t)(p->consumed - at), first = strlen(before);
    const char *opened = oc__parse_join(p, before, first, at, size);
    const char *text =
        opened ? oc__parse_join(p, opened, first + size, after, strlen(after)) : NULL;
    const oc__hlo_attr *attr =
        text ? oc__make_word(p, OC__ATTR_OTHER, text, first + size + strlen(after))
             : NULL;
    return attr && oc__draft_attr(p, op, name, attr);
}

/* <@mesh, [{"x"}]> */
bool oc__pretty_sharding(oc__parser *p, oc__op_draft *op)
{
    return oc__token_is(p, "<") ? carried(p, op, "sharding", "#sdy.sharding", "")
                                : oc__expect(p, "<");
}

/* in_shardings=[<@mesh, [{"x"}]>] out_shardings=[...] manual_axes={"x"} (%a: type) {
 * ... } */
bool oc__pretty_manual(oc__parser *p, oc__op_draft *op)
{
    static const struct {
        const char *name, *opening, *before, *after;
    } parts[] = {
        {"in_shardings", "[", "#sdy.sharding_per_value<", ">"},
        {"out_shardings", "[", "#sdy.sharding_per_value<", ">"},
        {"manual_axes", "{", "#sdy<manual_axes", ">"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!oc__expect(p, parts[i].name) || !oc__expect(p, "=") ||
            (!oc__token_is(p, parts[i].opening) && !oc__expect(p, parts[i].opening)) ||
            !carried(p, op, parts[i].name, parts[i].before, parts[i].after)) {
            return false;
        }
    }
    return oc__pretty_body(p, op);
}
