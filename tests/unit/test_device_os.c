/* What the kernel shows, and plugins as files. Device nodes and PCI devices are made in
 * a mount namespace of the test's own. */
#include "unit.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "device/device_os.h"
#include "device/elf_file.h"
#include "proc/proc.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 16, ELF_HEADER_BYTES = 64 };

typedef struct sightings {
    char text[TEXT_BYTES]; /* "what value\n" of each, in no particular order */
    size_t count;
} sightings;

static void note(void *context, const char *what, const char *value)
{
    sightings *seen = context;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%s %s\n", what, value);
    seen->count++;
}

static void make_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "we");
    if (!file || fputs(content, file) < 0 || fclose(file) != 0) {
        _exit(90);
    }
}

static void make_pci(const char *address, const char *vendor, const char *device,
                     const char *class_code)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", address);
    if (mkdir(path, 0755) != 0) {
        _exit(91);
    }
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", address);
    make_file(path, vendor);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/device", address);
    make_file(path, device);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", address);
    make_file(path, class_code);
}

/* Checks in a child with a /dev and a PCI bus of its own; 0 when all was right, 77 when
 * this machine allows no such thing. */
static int look_around(void)
{
    static sightings seen;
    static const char *const wanted[] = {"pci_device 1ae0:0063 0000:00:04.0\n",
                                         "pci_device 10de:2335 0000:00:05.0\n",
                                         "pci_device 1002:74a1 0000:00:06.0\n"};
    if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/sys/bus/pci/devices", "tmpfs", 0, NULL) != 0 ||
        mount("none", "/dev", "tmpfs", 0, NULL) != 0) {
        return 77;
    }
    // Hardware that is none of ours: a network card of Google's, a chipset, the audio
    // function of a graphics card, and a device whose files do not tell.
    make_pci("0000:00:01.0", "0x1ae0\n", "0x0042\n", "0x020000\n");
    make_pci("0000:00:02.0", "0x8086\n", "0x0063\n", "0x030000\n");
    make_pci("0000:00:03.0", "0x10de\n", "0x22a3\n", "0x040300\n");
    make_pci("0000:00:07.0", "", "nonsense", "");
    oc__os_pci_accelerators(note, &seen);
    if (seen.count != 0 || oc__os_has_tpu()) {
        return 1;
    }
    make_pci("0000:00:05.0", "0x10de\n", "0x2335\n", "0x030200\n");
    make_pci("0000:00:06.0", "0x1002\n", "0x74a1\n", "0x120000\n");
    if (oc__os_has_tpu()) {
        return 2;
    }
    make_pci("0000:00:04.0", "0x1ae0\n", "0x0063\n", "0xff0000\n");
    oc__os_pci_accelerators(note, &seen);
    for (size_t i = 0; i < 3; i++) {
        if (!strstr(seen.text, wanted[i])) {
            return 3;
        }
    }
    if (seen.count != 3 || !oc__os_has_tpu()) {
        return 4;
    }
    static const char *const nodes[] = {"/dev/accel0", "/dev/nvidiactl", "/dev/kfd",
                                        "/dev/ordinary"};
    seen = (sightings){0};
    for (size_t i = 0; i < 4; i++) {
        make_file(nodes[i], "");
        oc__os_device_nodes(getpid(), note, &seen); // there, but not held
        if (seen.count != 0) {
            return 5;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        if (open(nodes[i], O_RDONLY | O_CLOEXEC) < 0) {
            return 6;
        }
    }
    oc__os_device_nodes(getppid(), note, &seen); // which holds none of them
    if (seen.count != 0) {
        return 7;
    }
    oc__os_device_nodes(getpid(), note, &seen);
    return seen.count == 3 && strstr(seen.text, "device_node /dev/accel0\n") &&
                   strstr(seen.text, "device_node /dev/nvidiactl\n") &&
                   strstr(seen.text, "device_node /dev/kfd\n")
               ? 0
               : 8;
}

static void accelerators_are_seen_and_nothing_else(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(look_around());
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skip: namespace: no mount namespace can be made here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_process_that_is_gone_shows_nothing(void **state)
{
    (void)state;
    static sightings seen;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    assert_true(pid > 0 && waitpid(pid, NULL, 0) == pid);
    oc__os_device_nodes(pid, note, &seen);
    oc__os_mapped_file(pid, "/proc/self/exe", note, &seen);
    assert_int_equal(seen.count, 0);
}

static void a_mapped_file_is_seen_until_it_is_replaced(void **state)
{
    (void)state;
    static sightings seen;
    char root[] = "/tmp/onchip-os-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    assert_int_equal(
        oc__file_write_new("lib with\nline and space.so", "content", 7, NULL), OC_OK);
    assert_int_equal(symlink("lib with\nline and space.so", "link.so"), 0);
    oc__os_mapped_file(getpid(), "link.so", note, &seen); // not mapped
    assert_int_equal(seen.count, 0);
    int fd = open("lib with\nline and space.so", O_RDONLY | O_CLOEXEC);
    void *mapped = mmap(NULL, 7, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(mapped != MAP_FAILED);
    close(fd);
    oc__os_mapped_file(getpid(), "link.so", note, &seen); // found through the link
    assert_int_equal(seen.count, 1);
    char want[128];
    snprintf(want, sizeof want, "plugin_mapped %s/lib with\nline and space.so\n", root);
    assert_string_equal(seen.text, want);
    oc__os_mapped_file(getpid(), "other.so", note, &seen);
    assert_int_equal(seen.count, 1);
    assert_int_equal(
        oc__file_replace("lib with\nline and space.so", "another", 7, NULL), OC_OK);
    oc__os_mapped_file(getpid(), "link.so", note, &seen);
    assert_int_equal(seen.count, 1);
    munmap(mapped, 7);
    unlink("link.so");
    unlink("lib with\nline and space.so");
    assert_int_equal(chdir("/"), 0);
    rmdir(root);
}

/* What readelf -n says is the build id; "" when it names none. */
static void build_id_of(const char *path, char *out, size_t size)
{
    const char *const argv[] = {"readelf", "-n", path, NULL};
    oc__strbuf text;
    oc__strbuf talk;
    oc__proc_end end;
    oc__strbuf_init(&text, TEXT_BYTES);
    oc__strbuf_init(&talk, TEXT_BYTES);
    assert_int_equal(oc__proc_run(argv, "", 0, 60000, &text, &talk, &end, NULL), OC_OK);
    const char *found = text.data ? strstr(text.data, "Build ID: ") : NULL;
    snprintf(out, size, "%.*s", found ? (int)strspn(found + 10, "0123456789abcdef") : 0,
             found ? found + 10 : "");
    oc__strbuf_free(&text);
    oc__strbuf_free(&talk);
}

static void build_ids_are_those_of_readelf(void **state)
{
    (void)state;
    char fake[512];
    snprintf(fake, sizeof fake, "%s/libfake_honest.so", getenv("ONCHIP_TEST_FAKES"));
    const char *const paths[] = {"/proc/self/exe", getenv("ONCHIP_WORKER"), fake,
                                 getenv("ONCHIP_TEST_CPU_PLUGIN"),
                                 getenv("ONCHIP_TEST_OLDER_CPU_PLUGIN")};
    size_t with_build_id = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char want[OC__BUILD_ID_HEX];
        char got[OC__BUILD_ID_HEX];
        char resolved[4096];
        assert_non_null(realpath(paths[i], resolved));
        build_id_of(resolved, want, sizeof want);
        assert_int_equal(oc__elf_inspect(resolved, got, NULL), OC_OK);
        assert_string_equal(got, want);
        with_build_id += *want != '\0';
    }
    assert_true(with_build_id > 0);
}

static void refused(const char *path, const char *words)
{
    oc_error err = {0};
    char build_id[OC__BUILD_ID_HEX] = "x";
    assert_int_equal(oc__elf_inspect(path, build_id, &err), OC_PLUGIN);
    ASSERT_ERROR(&err, OC_PLUGIN, OC_BOUNDARY_PLUGIN, words);
    assert_non_null(strstr(err.text, path));
}

static void what_is_no_library_is_refused(void **state)
{
    static const char script[] =
        "#!/bin/sh\necho this is no library, but longer than the header of one is\n";
    (void)state;
    char root[] = "/tmp/onchip-elf-XXXXXX";
    char *whole = NULL;
    size_t size = 0;
    char build_id[OC__BUILD_ID_HEX];
    char fake[512];
    snprintf(fake, sizeof fake, "%s/libfake_honest.so", getenv("ONCHIP_TEST_FAKES"));
    assert_int_equal(oc__file_read(fake, 1 << 26, &whole, &size, NULL), OC_OK);
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    oc__ignore(oc__file_replace("so", "", 0, NULL));
    refused("so", "is empty or cannot be read");
    oc__ignore(oc__file_replace("so", script, sizeof script, NULL));
    refused("so", "is no ELF file");
    oc__ignore(oc__file_replace("so", whole, ELF_HEADER_BYTES - 1, NULL));
    refused("so", "is no ELF file");
    oc__ignore(oc__file_replace("so", whole, ELF_HEADER_BYTES, NULL));
    refused("so", "ends before its program headers do");
    oc__ignore(oc__file_replace("so", whole, 4096, NULL));
    refused("so", "ends before its segments do");
    oc__ignore(oc__file_replace("so", whole, size, NULL));
    assert_int_equal(oc__elf_inspect("so", build_id, NULL), OC_OK);
    whole[4] = 1; // EI_CLASS: 32 bits
    oc__ignore(oc__file_replace("so", whole, size, NULL));
    refused("so", "is no 64-bit ELF file");
    whole[4] = 2;
    memset(whole + 32, 0xff, 8); // e_phoff
    oc__ignore(oc__file_replace("so", whole, size, NULL));
    refused("so", "ends before its program headers do");
    free(whole);
    unlink("so");
    oc_error err = {0};
    assert_int_equal(oc__elf_inspect("so", build_id, &err), OC_IO);
    ASSERT_ERROR(&err, OC_IO, OC_BOUNDARY_INPUT, "cannot open 'so'");
    assert_int_equal(chdir("/"), 0);
    rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerators_are_seen_and_nothing_else),
        cmocka_unit_test(a_process_that_is_gone_shows_nothing),
        cmocka_unit_test(a_mapped_file_is_seen_until_it_is_replaced),
        cmocka_unit_test(build_ids_are_those_of_readelf),
        cmocka_unit_test(what_is_no_library_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
