/* A PJRT plugin: its shared object, its table of functions and, once created, its
 * client.
 *
 * Everything here runs in the worker process (room `device`), because a plugin may
 * hang, abort or lie. The plugin's own table size decides what may be called: a
 * function that its struct_size does not cover is not there, however new our header is,
 * and what lies beyond our header is ignored.
 *
 * Calling sequence
 *     rc = oc__pjrt_load(path, &pjrt, err);          boundary PLUGIN
 *     rc = oc__pjrt_create_client(pjrt, ..., err);   boundary INIT (pjrt_client.h)
 *     ...                                            pjrt_program.h
 *     oc__pjrt_free(pjrt);
 *
 * The shared object is never unloaded: plugins start threads and register handlers that
 * outlive dlclose. */
#ifndef ONCHIP_PJRT_PJRT_API_H
#define ONCHIP_PJRT_PJRT_API_H

#include "base/error.h"

#include "pjrt_c_api.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc__pjrt {
    const PJRT_Api *api;
    size_t table_size; /* bytes of the table that both sides know */
    PJRT_Client *client;
    PJRT_Device *const *devices; /* of the client, in its order; owned by the client */
    size_t device_count;
    PJRT_Device *const *addressable;
    size_t addressable_count;
} oc__pjrt;

/* Refuses, saying why: a file that dlopen refuses, no GetPjrtApi, a NULL table, another
 * major version, a table that ends before a function that onchip needs, a table whose
 * entries do not point to code (it is shorter than its struct_size says). */
OC_MUST_USE oc_status oc__pjrt_load(const char *path, oc__pjrt **out_pjrt,
                                    oc_error *err);
void oc__pjrt_free(oc__pjrt *pjrt);

/* True when the plugin's table has this function. */
#define OC__PJRT_HAS(pjrt, function)                                                   \
    (offsetof(PJRT_Api, function) + sizeof((pjrt)->api->function) <=                   \
         (pjrt)->table_size &&                                                         \
     (pjrt)->api->function != NULL)

/* Calls a function of the plugin's table and turns a PJRT_Error into ours. */
#define OC__PJRT_CALL(pjrt, function, args, boundary, err)                             \
    (OC__PJRT_HAS(pjrt, function)                                                      \
         ? oc__pjrt_check((pjrt), (pjrt)->api->function(args), #function, (boundary),  \
                          (err))                                                       \
         : OC_FAIL((err), OC_PLUGIN, (boundary), "the plugin has no %s", #function))

/* Consumes `error`; NULL is OC_OK. The text keeps the plugin's own words; bytes that
 * could drive a terminal are replaced. */
OC_MUST_USE oc_status oc__pjrt_check(const oc__pjrt *pjrt, PJRT_Error *error,
                                     const char *function, oc_boundary boundary,
                                     oc_error *err);

/* Waits for an event and consumes it; NULL is complete already. */
OC_MUST_USE oc_status oc__pjrt_await(const oc__pjrt *pjrt, PJRT_Event *event,
                                     oc_boundary boundary, oc_error *err);

#endif
