/* The worker: the process in which a plugin lives. It answers requests on one
 * descriptor until the other side closes it or asks it to stop. See src/device/wire.h
 * for messages; the requests are:
 *
 *   load     {} blob: the path             -> {api}
 *   init     {cpu_devices}                 -> {platform, platform_version,
 * process_index, stablehlo, devices[{id, process_index, local_hardware_id, kind,
 * string, addressable, bytes_limit, memories[], default_memory}]} compile
 * {options_size} blob: options, then code   -> {program, outputs} put      {dtype,
 * dims[], device} blob: elements    -> {buffer} execute  {program, devices, args[]} ->
 * {outputs[]}   devices x outputs buffers, in order get      {buffer} -> {dtype,
 * dims[], platform, device, device_listed, memory} blob: elements free     {buffer} ->
 * {} stop     {}                            -> {}   after releasing everything
 *
 * `device` of a put counts the addressable devices from 0. Programs and buffers are
 * named by numbers that are never used twice. */
#ifndef ONCHIP_DEVICE_WORKER_H
#define ONCHIP_DEVICE_WORKER_H

/* Serves `fd`; yields the process's exit status. */
int oc__worker_serve(int fd);

#endif
