#include "device/device_os.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const node_prefixes[] = {"/dev/accel", "/dev/vfio/", "/dev/nvidia",
                                            "/dev/kfd", "/dev/dri/render"};

static bool is_device_node(const char *path)
{
    for (size_t i = 0; i < sizeof node_prefixes / sizeof *node_prefixes; i++) {
        if (strncmp(path, node_prefixes[i], strlen(node_prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

void oc__os_device_nodes(pid_t pid, oc__observation *visit, void *context)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    DIR *fds = opendir(folder);
    if (!fds) {
        return;
    }
    for (struct dirent *entry = readdir(fds); entry; entry = readdir(fds)) {
        char target[PATH_MAX];
        ssize_t length =
            readlinkat(dirfd(fds), entry->d_name, target, sizeof target - 1);
        if (length > 0) {
            target[length] = '\0';
            if (is_device_node(target)) {
                visit(context, "device_node", target);
            }
        }
    }
    closedir(fds);
}

/* A path as /proc/PID/maps shows it: a line feed in it stands there as "\\012". */
static bool is_shown_as(const char *path, const char *shown)
{
    static const char line_feed[] = "\\012";
    for (; *path; path++) {
        size_t length = *path == '\n' ? sizeof line_feed - 1 : 1;
        if (strncmp(shown, *path == '\n' ? line_feed : path, length) != 0) {
            return false;
        }
        shown += length;
    }
    return *shown == '\0';
}

void oc__os_mapped_file(pid_t pid, const char *path, oc__observation *visit,
                        void *context)
{
    char maps_path[64];
    snprintf(maps_path, sizeof maps_path, "/proc/%d/maps", (int)pid);
    char *resolved = realpath(path, NULL);
    FILE *maps = fopen(maps_path, "re");
    char *line = NULL;
    size_t capacity = 0;
    while (maps && resolved && getline(&line, &capacity, maps) > 0) {
        // A replaced file is shown with " (deleted)" behind its path and does not
        // match.
        line[strcspn(line, "\n")] = '\0';
        const char *mapped = strchr(line, '/');
        if (mapped && is_shown_as(resolved, mapped)) {
            visit(context, "plugin_mapped", resolved);
            break;
        }
    }
    free(line);
    free(resolved);
    if (maps) {
        fclose(maps);
    }
}

/* Reads a hexadecimal number such as "0x1ae0\n"; 0 when there is none. */
static unsigned long read_hex(int folder, const char *device, const char *name)
{
    char path[PATH_MAX];
    char text[32] = "";
    snprintf(path, sizeof path, "%s/%s", device, name);
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    return got > 0 ? strtoul(text, NULL, 16) : 0;
}

enum { VENDOR_GOOGLE = 0x1ae0, VENDOR_NVIDIA = 0x10de, VENDOR_AMD = 0x1002 };

static bool is_tpu(unsigned long vendor, unsigned long device)
{
    // v2 and v3, plc, v4, v5p, v5e, v6e, tpu7x: as jax/_src/hardware_utils.py and
    // tpu-info.
    static const unsigned long chips[] = {0x27, 0x56, 0x5e, 0x62, 0x63, 0x6f, 0x76};
    for (size_t i = 0; vendor == VENDOR_GOOGLE && i < sizeof chips / sizeof *chips;
         i++) {
        if (chips[i] == device) {
            return true;
        }
    }
    return false;
}

static bool is_gpu(unsigned long vendor, unsigned long class_code)
{
    enum { DISPLAY = 0x03, PROCESSING = 0x12 };
    unsigned long base_class = class_code >> 16;
    return (vendor == VENDOR_NVIDIA || vendor == VENDOR_AMD) &&
           (base_class == DISPLAY || base_class == PROCESSING);
}

void oc__os_pci_accelerators(oc__observation *visit, void *context)
{
    DIR *bus = opendir("/sys/bus/pci/devices");
    if (!bus) {
        return;
    }
    for (struct dirent *entry = readdir(bus); entry; entry = readdir(bus)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        unsigned long vendor = read_hex(dirfd(bus), entry->d_name, "vendor");
        unsigned long device = read_hex(dirfd(bus), entry->d_name, "device");
        if (is_tpu(vendor, device) ||
            is_gpu(vendor, read_hex(dirfd(bus), entry->d_name, "class"))) {
            char value[320];
            snprintf(value, sizeof value, "%04lx:%04lx %s", vendor, device,
                     entry->d_name);
            visit(context, "pci_device", value);
        }
    }
    closedir(bus);
}

static void note_tpu(void *context, const char *what, const char *value)
{
    (void)what;
    *(bool *)context =
        *(bool *)context || strtoul(value, NULL, 16) == (unsigned long)VENDOR_GOOGLE;
}

bool oc__os_has_tpu(void)
{
    bool found = false;
    oc__os_pci_accelerators(note_tpu, &found);
    return found;
}
