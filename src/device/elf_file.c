#include "device/elf_file.h"

#include "base/hash.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
    const unsigned char *bytes;
    size_t size;
} image;

static bool holds(const image *file, size_t offset, size_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

/* Looks through one note segment for NT_GNU_BUILD_ID. */
static void find_build_id(const unsigned char *notes, size_t size,
                          char out_hex[OC__BUILD_ID_HEX])
{
    size_t at = 0;
    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        size_t name_size = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t data_size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name_size > size - at || data_size > size - at - name_size) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + at, "GNU", 4) == 0 && note.n_descsz < OC__BUILD_ID_HEX / 2) {
            oc__hex_encode(notes + at + name_size, note.n_descsz, out_hex);
            return;
        }
        at += name_size + data_size;
    }
}

/* NULL, or what is wrong with the file. */
static const char *inspect(const image *file, char out_build_id[OC__BUILD_ID_HEX])
{
    Elf64_Ehdr head;
    if (!holds(file, 0, sizeof head) || memcmp(file->bytes, ELFMAG, SELFMAG) != 0) {
        return "is no ELF file";
    }
    memcpy(&head, file->bytes, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr)) {
        return "is no 64-bit ELF file";
    }
    if (!holds(file, head.e_phoff, (size_t)head.e_phnum * sizeof(Elf64_Phdr))) {
        return "is cut: it ends before its program headers do";
    }
    for (size_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, file->bytes + head.e_phoff + i * sizeof segment,
               sizeof segment);
        if (!holds(file, segment.p_offset, segment.p_filesz)) {
            return "is cut: it ends before its segments do";
        }
        if (segment.p_type == PT_NOTE && !*out_build_id) {
            find_build_id(file->bytes + segment.p_offset, segment.p_filesz,
                          out_build_id);
        }
    }
    return NULL;
}

oc_status oc__elf_inspect(const char *path, char out_build_id[OC__BUILD_ID_HEX],
                          oc_error *err)
{
    oc_status rc = OC_OK;
    struct stat status;
    out_build_id[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        rc = OC_FAIL(err, OC_IO, OC_BOUNDARY_INPUT, "cannot open '%s': %s", path,
                     strerror(errno));
        goto done;
    }
    image file = {.size = (size_t)status.st_size};
    void *mapped = file.size > 0 ? mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0)
                                 : MAP_FAILED;
    file.bytes = mapped;
    const char *fault = mapped == MAP_FAILED ? "is empty or cannot be read"
                                             : inspect(&file, out_build_id);
    if (fault) {
        rc = OC_FAIL(err, OC_PLUGIN, OC_BOUNDARY_PLUGIN,
                     "plugin cannot be loaded: '%s' %s", path, fault);
    }
    if (mapped != MAP_FAILED) {
        munmap(mapped, file.size);
    }
done:
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}
