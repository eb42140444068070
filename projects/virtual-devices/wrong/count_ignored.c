/* hint: the number of virtual devices is asked for with cpu_devices */
#define shards_open right_open
#include "solution/model.c"
#undef shards_open

oc_status shards_open(const char *plugin, int64_t count, oc_device **out_device,
                      oc_error *err)
{
    oc_device_options options = {
        .platform = "cpu", .plugin = plugin, .timeout_ms = 60000};
    (void)count;
    return oc_device_open(&options, out_device, err);
}
