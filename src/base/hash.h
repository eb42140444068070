/* SHA-256, as lower-case hexadecimal text of 64 digits and a NUL (FIPS 180-4;
 * libsodium). */
#ifndef ONCHIP_BASE_HASH_H
#define ONCHIP_BASE_HASH_H

#include "base/error.h"

#include <stddef.h>

enum { OC__SHA256_BYTES = 32, OC__SHA256_HEX = 65 };

void oc__sha256(const void *data, size_t size, unsigned char out[OC__SHA256_BYTES]);
void oc__sha256_hex(const void *data, size_t size, char out_hex[OC__SHA256_HEX]);

/* Hashes a file. The digest of a large file is remembered in the user's cache folder
 * ($XDG_CACHE_HOME or ~/.cache, onchip/sha256/), keyed by device, inode, size,
 * modification and change time in nanoseconds: any write to the file moves its change
 * time, which a program cannot set. A file changed within the last two seconds is
 * hashed but not remembered, and a cache that cannot be read or written only costs
 * time. */
OC_MUST_USE oc_status oc__sha256_file(const char *path, char out_hex[OC__SHA256_HEX],
                                      oc_error *err);

/* Decodes hexadecimal text of any even length; the number of bytes, or -1 when `text`
 * is not hexadecimal, has odd length, or is longer than max_bytes. */
long oc__hex_decode(const char *text, unsigned char *out, size_t max_bytes);
void oc__hex_encode(const void *data, size_t size, char *out_hex);

#endif
