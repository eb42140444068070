/* For test_fit.py. `run BATCH SEED STEPS`: the records of the simulated device that
 * adds in order and fuses nothing. `judge BATCH SEED`: what the judge says of the
 * records on standard input. `program BATCH`: the text. */
#include "fit_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const fit_device *device, uint32_t seed, int64_t steps)
{
    oc__fit_record record = oc__fit_start(seed);
    for (int64_t i = 0; i < steps; i++) {
        record = fit_device_step(device, &record);
        fwrite(&record, sizeof record, 1, stdout);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}

static int judge(int64_t batch, uint32_t seed)
{
    static oc__fit_record records[OC__FIT_MAX_STEPS];
    oc_error err = {0};
    oc__fit_judgement judgement;
    size_t count = fread(records, sizeof *records, OC__FIT_MAX_STEPS, stdin);
    if (oc__fit_judge(batch, seed, records, count, "cpu", &judgement, &err) != OC_OK) {
        return 2;
    }
    printf("%s %s %lld\n", oc_verdict_name(judgement.verdict), judgement.reason,
           (long long)judgement.first_wrong);
    return 0;
}

int main(int argc, char **argv)
{
    int64_t batch = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
    uint32_t seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    if (argc == 5 && strcmp(argv[1], "run") == 0) {
        const fit_device device = {.batch = (int)batch};
        return run(&device, seed, strtoll(argv[4], NULL, 10));
    }
    if (argc == 4 && strcmp(argv[1], "judge") == 0) {
        return judge(batch, seed);
    }
    if (argc == 3 && strcmp(argv[1], "program") == 0) {
        char *text = oc__fit_program(batch);
        int rc = text && fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? 0 : 2;
        free(text);
        return rc;
    }
    return 2;
}
