/* A shared object as a file, before anybody loads it: the loader kills the process that
 * loads a truncated one. */
#ifndef ONCHIP_DEVICE_ELF_FILE_H
#define ONCHIP_DEVICE_ELF_FILE_H

#include "base/error.h"

enum { OC__BUILD_ID_HEX = 129 };

/* Refuses (OC_PLUGIN, boundary PLUGIN) what is no 64-bit ELF file and what ends before
 * its segments do. out_build_id: the GNU build id in hexadecimal, or "" when the file
 * carries none. */
OC_MUST_USE oc_status oc__elf_inspect(const char *path,
                                      char out_build_id[OC__BUILD_ID_HEX],
                                      oc_error *err);

#endif
