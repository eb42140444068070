/* The members of the JSON documents, once for the writer and the reader.
 *
 * A table lists an object's members in the order in which they are written; it ends
 * with a member whose key is NULL. Each member names its codec, which puts one kind of
 * field into JSON and takes it back, and where the field lies in the struct. What the
 * codec writes it also accepts, and it accepts nothing that it would not write, the
 * layout of the text aside. */
#ifndef ONCHIP_RECEIPT_MEMBERS_H
#define ONCHIP_RECEIPT_MEMBERS_H

#include "base/hash.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oc__member oc__member;

/* Why a document is refused, and the path of the member that is to blame. */
typedef struct oc__refusal {
    char path[160];
    char why[240];
    bool no_memory;
} oc__refusal;

/* `field` is where the member's offset leads. */
typedef struct oc__codec {
    json_t *(*write)(const oc__member *member, const void *field); /* NULL: no memory */
    /* On false, oc__member_refuse has said why. */
    bool (*read)(const oc__member *member, const json_t *value, void *field,
                 oc__refusal *refusal);
} oc__codec;

struct oc__member {
    const char *key;
    const oc__codec *codec;
    size_t offset;

    /* What a codec needs beyond the place; each codec below names its own. */
    bool nullable;
    const char *text;
    const char *const *words;
    bool (*matches)(const char *text);
    int64_t max;
    size_t rows, columns;
    size_t count_offset;
    size_t item_size;
    const oc__member *members;
    bool (*present)(const void *structure);
};

/* Texts in a struct as const char *. Nullable: NULL is null. */
extern const oc__codec oc__codec_constant; /* always `text`; no field */
extern const oc__codec oc__codec_text;     /* any text */
extern const oc__codec oc__codec_word;     /* one of `words` (NULL at the end) */
extern const oc__codec oc__codec_pattern;  /* `matches`, described by `text` */
extern const oc__codec oc__codec_texts;    /* array of 0 to `max` texts; the struct
                                              holds the first `columns`, with NULL
                                              after the last; each is one of `words`
                                              where given */
extern const oc__codec oc__codec_dtype;    /* at an oc__output: its dtype, null when
                                              it was not reached */
/* Numbers. */
extern const oc__codec oc__codec_integer;  /* int64_t, 0 to `max`; nullable: -1
                                              is null */
extern const oc__codec oc__codec_integers; /* `columns` integers in place, each as
                                              above */
extern const oc__codec oc__codec_code;     /* int, 0 to INT_MAX */
extern const oc__codec oc__codec_bool;
extern const oc__codec oc__codec_real;      /* double, finite or not */
extern const oc__codec oc__codec_magnitude; /* double, finite and not negative; NaN is
                                               null */
extern const oc__codec oc__codec_float;     /* float, finite */
extern const oc__codec oc__codec_floats;    /* `columns` finite floats, or a list of
                                               `rows` such lists */
extern const oc__codec oc__codec_shape;     /* at an oc__output: rank and dims */
extern const oc__codec oc__codec_dims;      /* at most `columns` integers in place,
                                               their number at `count_offset` */
extern const oc__codec oc__codec_values;    /* at an oc__output: count and values */
/* Enumerations of onchip/status.h, by name. */
extern const oc__codec oc__codec_verdict;
extern const oc__codec oc__codec_boundary;
extern const oc__codec oc__codec_status; /* never OC_OK */
/* Structures. */
extern const oc__codec oc__codec_object; /* `members` at the field; null unless
                                            `present` (where given) holds */
extern const oc__codec oc__codec_list;   /* a pointer to malloc'd items of
                                            `item_size`, each `members`; their number
                                            at `count_offset` of the field */
extern const oc__codec oc__codec_items;  /* the same for at most `max` items in
                                            place */
extern const oc__codec oc__codec_hash;   /* char[OC__SHA256_HEX]; "" is null where
                                            nullable */
extern const oc__codec oc__codec_hashes; /* one object of name and sha256 for each of
                                            `words`, `item_size` apart */

/* A new reference; NULL when memory runs out. */
json_t *oc__members_write(const oc__member *members, const void *structure);

/* The same as text, malloc'd; NULL when memory runs out. */
char *oc__members_text(const oc__member *members, const void *structure);

/* SHA-256 of the document without its last member, `sha256`, as this writer lays it
 * out. False: memory ran out. */
OC_MUST_USE bool oc__members_digest(const oc__member *members, const void *structure,
                                    char out_hex[OC__SHA256_HEX]);

/* Fills `structure`; text points into `object`. OC_PARSE names `name`, the member's
 * path and what is wrong with it. */
OC_MUST_USE oc_status oc__members_read(const oc__member *members, const json_t *object,
                                       const char *name, void *structure,
                                       oc_error *err);

/* Does `text` have this form? */
bool oc__is_sha256_text(const char *text);    /* 64 lower-case hexadecimal digits */
bool oc__is_hex_bytes_text(const char *text); /* an even number of them */
bool oc__is_time_text(const char *text);      /* "2026-11-30T10:00:00Z" */

/* Used by codecs. The first two say why and yield false; blame_index puts "[index]"
 * before the path of what was refused below. */
OC_PRINTF(2, 3)
bool oc__member_refuse(oc__refusal *refusal, const char *format, ...);
bool oc__member_refuse_no_memory(oc__refusal *refusal);
void oc__member_blame_index(oc__refusal *refusal, size_t index);
bool oc__member_read_object(const oc__member *members, const json_t *value,
                            void *structure, oc__refusal *refusal);

/* For tables: where a field lies, and the end. */
#define AT(structure, field) .offset = offsetof(structure, field)
#define END                                                                            \
    {                                                                                  \
        0                                                                              \
    }

#define OPTIONAL_TEXT &oc__codec_text, .nullable = true
#define LIST(type, field, item)                                                        \
    &oc__codec_list, AT(type, field##s),                                               \
        .count_offset = offsetof(type, field##_count), .item_size = sizeof(item)

/* Members that receipts of several types have under the same names. */
#define PLACEMENT_MEMBERS(type)                                                        \
    {"verdict", &oc__codec_verdict, AT(type, placement.verdict)},                      \
        {"reason", &oc__codec_pattern, AT(type, placement.reason), A_WORD},            \
        {"detail", &oc__codec_text, AT(type, placement.detail)}, EVIDENCE_MEMBER(type)
#define EVIDENCE_MEMBER(type)                                                          \
    {                                                                                  \
        "evidence", &oc__codec_list, AT(type, evidence),                               \
            .count_offset = offsetof(type, evidence_count),                            \
            .item_size = sizeof(oc__evidence), .members = oc__evidence_members         \
    }
#define COMPILE_OPTIONS_MEMBERS(type)                                                  \
    {"text", OPTIONAL_TEXT, AT(type, compile_options)},                                \
    {                                                                                  \
        "hex", &oc__codec_pattern, AT(type, compile_options_hex),                      \
            .nullable = true, .matches = oc__is_hex_bytes_text, .text = "hexadecimal"  \
    }
#define ERROR_MEMBERS(type)                                                            \
    {"status", &oc__codec_status, AT(type, error_status)},                             \
        {"plugin_code", &oc__codec_code, AT(type, error_plugin_code)},                 \
    {                                                                                  \
        "text", &oc__codec_text, AT(type, error_text)                                  \
    }

/* What all kinds of document have. */
extern const char *const oc__collective_kinds[];
extern const oc__member oc__claim_members[];    /* of an oc__claim */
extern const oc__member oc__versions_members[]; /* of an oc__versions */

extern const oc__member oc__evidence_members[];
extern const oc__member oc__control_members[];

/* A word of lower-case letters, digits and '_'; for oc__codec_pattern. */
bool oc__is_word_text(const char *text);
#define A_WORD .matches = oc__is_word_text, .text = "a word of lower-case letters"

/* The documents: kind `check` (an oc__receipt), `run` (an oc__run_receipt), `launch`
 * (an oc__launch_receipt) and `audit` (an oc__audit_evidence). */
extern const oc__member oc__receipt_members[];
extern const oc__member oc__run_receipt_members[];
extern const oc__member oc__launch_receipt_members[];
extern const oc__member oc__audit_members[];
/* The event `observed` of a launch, of an oc__launch_receipt too. */
extern const oc__member oc__launch_observed_members[];

#endif
