/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer of shared objects: what it makes is loaded by the dynamic linker, found by name and version, called. And the reader reads
 * it back, whole and damaged.
 */
#define _GNU_SOURCE
#include "sim/standin/elf_read.h"
#include "sim/standin/elf_write.h"
#include "tests/sim/tap.h"
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif
#define MANY 500

static char path[] = "/tmp/ovh-standin-XXXXXX";

static void save(const uint8_t *bytes, size_t count)
{
    remove(path); /* what was loaded from it stays mapped */
    FILE *f = fopen(path, "wb");
    fwrite(bytes, 1, count, f);
    fclose(f);
}

static long call(void *function)
{
    long (*f)(void);
    *(void **)&f = function;
    return f ? f() : -1;
}

static void test_load(void)
{
    static struct standin_symbol symbols[MANY + 5];
    static char names[MANY][16];
    size_t bytes, count = 0;
    for (; count < MANY; count++) {
        snprintf(names[count], sizeof names[count], "function%zu", count);
        symbols[count] = (struct standin_symbol){names[count], "NODE_ONE", 0};
    }
    symbols[count++] = (struct standin_symbol){"twice", "NODE_ONE", 0};
    symbols[count++] = (struct standin_symbol){"twice", "NODE_TWO", 0};
    symbols[count++] = (struct standin_symbol){"bare", NULL, 0};
    symbols[count++] = (struct standin_symbol){"version", NULL, 91900};
    symbols[count++] = (struct standin_symbol){"most", "NODE_TWO", UINT32_MAX};
    uint8_t *object = standin_write("libovh-standin-test.so.7", MACHINE, symbols, count, &bytes);
    is(object != NULL, 1, "an object is made");
    save(object, bytes);
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    is(loaded != NULL, 1, "the dynamic linker loads it");
    int good = 0;
    for (int i = 0; loaded && i < MANY; i++)
        good += call(dlsym(loaded, names[i])) == 0;
    is(good, MANY, "every function is found and returns 0");
    is(call(dlvsym(loaded, "function7", "NODE_ONE")), 0, "by its version, too");
    is(dlvsym(loaded, "function7", "NODE_TWO") == NULL, 1, "and not by another");
    is(call(dlvsym(loaded, "twice", "NODE_TWO")), 0, "one name may have two versions");
    is(call(dlsym(loaded, "bare")), 0, "or none");
    is(call(dlsym(loaded, "version")), 91900, "one returns what it was told to");
    is(call(dlsym(loaded, "most")), UINT32_MAX, "as 64 bits, not below 0");
    is(dlsym(loaded, "absent") == NULL, 1, "what is not there is not found");
    void *again = dlopen("libovh-standin-test.so.7", RTLD_NOW | RTLD_NOLOAD);
    is(again != NULL && again == loaded, 1, "its soname is known to the linker");
    dlclose(again);
    is(dlclose(loaded), 0, "it is unloaded again"); /* the next object comes under the same path */

    struct elf_file file;
    is(elf_read(path, &file), ELF_READ_FINE, "the reader reads it");
    is(file.symbol_count, MANY + 5, "every symbol");
    is(file.symbols[0].defined && !strcmp(file.symbols[0].name, "function0") && !strcmp(file.symbols[0].version, "NODE_ONE"), 1,
       "with name and version");
    is(file.machine, MACHINE, "and its machine");
    elf_release(&file);

    size_t whole = 0;
    for (size_t cut = 0; cut < bytes; cut += cut < 600 ? 1 : 97) { /* whatever it says, it must not read beyond the end */
        save(object, cut);
        if (elf_read(path, &file) == ELF_READ_FINE)
            elf_release(&file), whole++;
    }
    is(whole, 0, "cut anywhere, it is refused");
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        uint8_t *copy = malloc(bytes);
        memcpy(copy, object, bytes);
        for (int j = 0; j < 4; j++) {
            seed = seed * 1103515245u + 12345u;
            copy[(seed >> 8) % (i % 2 ? 1200 : bytes)] ^= (uint8_t)(1u << (seed >> 29));
        }
        save(copy, bytes);
        if (elf_read(path, &file) == ELF_READ_FINE)
            elf_release(&file);
        free(copy);
    }
    is(1, 1, "with bits flipped, it is read or refused");
    free(object);
}

static void test_other(const char *program)
{
    size_t bytes;
    struct standin_symbol one = {"only", NULL, 0};
    is(standin_write("x.so", EM_PPC64, &one, 1, &bytes) == NULL, 1, "an architecture that is not known is refused");
    uint8_t *object = standin_write("libovh-standin-empty.so", MACHINE, NULL, 0, &bytes);
    save(object, bytes);
    void *loaded = dlopen(path, RTLD_NOW);
    is(loaded != NULL && dlsym(loaded, "only") == NULL, 1, "an object without functions loads");
    dlclose(loaded);
    free(object);
    object = standin_write("libovh-standin-bare.so", MACHINE, &one, 1, &bytes);
    save(object, bytes);
    is(call(dlsym(dlopen(path, RTLD_NOW), "only")), 0, "one without versions works");
    free(object);
    struct elf_file file;
    is(elf_read(program, &file), ELF_READ_FINE, "the reader reads this program");
    int found = 0;
    for (size_t i = 0; i < file.symbol_count; i++)
        found |= !file.symbols[i].defined && !strcmp(file.symbols[i].name, "remove") && file.symbols[i].version &&
                 !strncmp(file.symbols[i].version, "GLIBC_", 6) && !strncmp(file.symbols[i].file, "lib", 3);
    is(found, 1, "and sees what it wants from glibc, with version and file");
    is(file.build_id_bytes > 0, 1, "and its build-id");
    elf_release(&file);
    is(elf_read("/proc/self/maps", &file) == ELF_READ_FINE, 0, "a text is no ELF file");
    is(elf_read("/nonexistent", &file), ELF_READ_NO_FILE, "nor is nothing");
}

int main(int argc, char **argv)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    test_load();
    test_other(argv[0]);
    remove(path);
    return ends();
}
