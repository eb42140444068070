/* The worker: the process in which a plugin lives. It answers requests on one
 * descriptor until the other side closes it or asks it to stop. See src/device/wire.h
 * for messages; the requests, each with its reply:
 *
 *   load     {}, blob: the path
 *         -> {api}
 *   init     {cpu_devices}
 *         -> {platform, platform_version, process_index, stablehlo, devices[]}
 *            of a device: id, process_index, local_hardware_id, kind, string,
 *            addressable, bytes_limit, memories[], default_memory
 *   compile  {options_size, code_sizes[]}, blob: the options, then each code
 *         -> {programs[]}
 *   put      {dtype, dims[], device}, blob: the elements
 *         -> {buffer}
 *   execute  {program, devices, args[]}, also {fetch, buffers[]}
 *         -> {outputs[]}, devices x outputs buffers in order; with fetch (a number of
 *            an output) also what get gives for it; buffers[] are freed after that
 *   get      {buffer}
 *         -> {dtype, dims[], platform, device, device_listed, memory}, blob: the
 *            elements
 *   free     {buffers[]}
 *         -> {}; those that are there are freed also when another is not
 *   stop     {}
 *         -> {} after everything was released
 *
 * `device` of a put counts the addressable devices from 0. Programs and buffers are
 * named by numbers that are never used twice. */
#ifndef ONCHIP_DEVICE_WORKER_H
#define ONCHIP_DEVICE_WORKER_H

/* Serves `fd`; yields the process's exit status. */
int oc__worker_serve(int fd);

#endif
