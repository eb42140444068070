/* What the kernel shows of accelerators and of a process that may hold one. */
#ifndef ONCHIP_DEVICE_DEVICE_OS_H
#define ONCHIP_DEVICE_DEVICE_OS_H

#include "device/device.h"

#include <stdbool.h>
#include <sys/types.h>

/* Device nodes under /dev/accel, /dev/vfio, /dev/nvidia, /dev/kfd and /dev/dri/render
 * that the process holds open. */
void oc__os_device_nodes(pid_t pid, oc__observation *visit, void *context);

/* The file `path` when it is mapped in the process and was not replaced since. */
void oc__os_mapped_file(pid_t pid, const char *path, oc__observation *visit,
                        void *context);

/* PCI devices that are accelerators: "vendor:device address", hexadecimal, for TPUs (by
 * the device ids of Google's chips; the vendor alone is also that of network cards) and
 * for display and processing devices of NVIDIA and AMD. */
void oc__os_pci_accelerators(oc__observation *visit, void *context);

/* True when the PCI bus shows a TPU: this machine is a TPU VM. */
bool oc__os_has_tpu(void);

#endif
