/* What an oc_device is: device.c opens and closes it, device_calls.c asks it for
 * things.
 */
#ifndef ONCHIP_DEVICE_DEVICE_INNER_H
#define ONCHIP_DEVICE_DEVICE_INNER_H

#include "device/channel.h"
#include "device/device.h"
#include "device/device_info.h"

struct oc_device {
    oc__channel channel;
    oc__device_record *record;
};

#endif
