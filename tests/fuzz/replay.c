/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzz target without a fuzzer: the inputs kept in tests/fuzz/corpus and the golden traces, once each, by whatever compiler there is. Prints
 * TAP; a target that aborts is its failure.
 */
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int replay(const char *pattern)
{
    glob_t found;
    int n = 0;
    if (glob(pattern, 0, 0, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        static uint8_t bytes[1 << 20];
        FILE *f = fopen(found.gl_pathv[i], "rb");
        if (!f)
            continue;
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        LLVMFuzzerTestOneInput(bytes, size);
        n++;
    }
    globfree(&found);
    return n;
}

int main(void)
{
    int kept = replay("tests/fuzz/corpus/*.bin"), golden = replay("tests/golden/*.bin") + replay("tests/golden/bad/*.bin");
    printf("1..1\n%sok 1 - %s: %d inputs of the corpus, %d golden traces\n", kept && golden ? "" : "not ", TARGET, kept, golden);
    return kept && golden ? 0 : 1;
}
