/* Calls the functions of a learner's model.c stage by stage and tells the checker what
 * came out, on the descriptor ONCHIP_AUDIT_FD. What a buffer holds and where it lies is
 * asked of the runtime here, never taken from the learner's word. Outputs are filled
 * with garbage before each call, and arrays are exactly as long as promised, so that
 * what is not written, and what is written too far, is seen. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "harness_base.h"
#include "harness_placement.h"

/* ---- stage 4 ---- */

static void closed_form(void)
{
    static const int64_t fitting[] = {0, 1, 2, 8, 32, 64, 2000003, 3000000, 3024617};
    static const struct {
        int64_t n;
        oc_status status;
    } refused[] = {
        {-1, OC_INVALID_ARGUMENT}, {3024618, OC_LIMIT}, {INT64_MAX, OC_LIMIT}};
    int64_t n = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++) {
        int64_t got = UNWRITTEN;
        char wanted[96];
        oc_error err = {0};
        for (; n < fitting[i]; n++) {
            sum += (uint64_t)(n * n);
        }
        call("shards_closed_form");
        oc_status rc = shards_closed_form(n, &got, &err);
        expect_status(OC_OK, rc, &err,
                      n > 1000 ? "the product overflows before it is divided by 6"
                               : "");
        snprintf(wanted, sizeof wanted, "%llu for n = %lld", (unsigned long long)sum,
                 (long long)n);
        double far = (double)got - (double)sum;
        expect(got == (int64_t)sum, wanted,
               n < 1000 && got == (int64_t)sum + n * n
                   ? "that is the sum to n, n(n+1)(2n+1)/6: the numbers end at n-1"
               : n > 1000 && (far > 1e6 || far < -1e6)
                   ? "the product overflows before it is divided by 6"
               : n > 1000 ? "floating point has not enough digits for this sum"
                          : "",
               "%lld", (long long)got);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int64_t got = UNWRITTEN;
        oc_error err = {0};
        call("shards_closed_form");
        oc_status rc = shards_closed_form(refused[i].n, &got, &err);
        expect_status(refused[i].status, rc, &err,
                      i == 0 ? "a negative number of numbers is refused"
                             : "a sum that does not fit in 64 bits is refused");
    }
}

static const char *sums_mistake(const double *own, const double *all, size_t count,
                                const size_t *order)
{
    bool listed = count > 1;
    bool not_reduced = count > 1;
    for (size_t k = 0; k < count; k++) {
        if (own[k] < -1e200 || all[k] < -1e200) {
            return "an element was never written";
        }
        double sum = 0;
        for (size_t j = 0; j < SHARDS_ELEMENTS; j++) {
            double number = (double)(order[k] * SHARDS_ELEMENTS + j);
            sum += number * number;
        }
        listed = listed && own[k] == sum;
        not_reduced = not_reduced && all[k] == own[k];
    }
    return listed
               ? "the outputs were read in the order of the list: ask each one for its "
                 "device"
           : not_reduced
               ? "out_all is the device's own sum: the all-reduced one is the "
                 "second output"
               : "";
}

static void sums(size_t count, const size_t *order, int64_t total)
{
    int64_t *ids = make(count, sizeof *ids);
    double *own = make(count, sizeof *own);
    double *all = make(count, sizeof *all);
    oc_error err = {0};
    double number = 0;
    for (size_t k = 0; k < count; k++) {
        ids[k] = info(order[k])->id;
        own[k] = all[k] = -1e300;
    }
    call("shards_sums");
    oc_status rc = shards_sums(device, ids, count, own, all, &err);
    expect_status(OC_OK, rc, &err, "");
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        char wanted[128];
        for (size_t j = 0; j < SHARDS_ELEMENTS; j++, number++) {
            sum += number * number;
        }
        snprintf(wanted, sizeof wanted, "own %.0f, all %lld from %.40s of %zu", sum,
                 (long long)total, info(i)->string, count);
        expect(own[i] == sum && all[i] == (double)total, wanted,
               sums_mistake(own, all, count, order), "own %.17g, all %.17g", own[i],
               all[i]);
    }
    emit("say observed (CPU collective): sum of squares of 0 to %zu over %zu virtual "
         "CPU "
         "device%s is %.0f; closed form %lld",
         count * SHARDS_ELEMENTS - 1, count, count == 1 ? "" : "s", all[0],
         (long long)total);
    free(ids);
    free(own);
    free(all);
}

static void stage_4(void)
{
    static const size_t alone[] = {0};
    static const size_t backwards[] = {3, 2, 1, 0};
    static const size_t mixed[] = {5, 2, 7, 0, 3, 6, 1, 4};
    closed_form();
    sums(4, backwards, 10416);
    close_devices();
    open_devices(1);
    sums(1, alone, 140);
    close_devices();
    open_devices(8);
    sums(8, mixed, 85344);
    close_devices();
    emit("say not shown: any accelerator; the devices share one CPU and the all-reduce "
         "is "
         "a CPU collective");
}

int main(void)
{
    static void (*const stages[])(void) = {stage_1, stage_2, stage_3, stage_4};
    const char *fd = getenv("ONCHIP_AUDIT_FD");
    const char *last = getenv("ONCHIP_AUDIT_STAGE");
    if (fd == NULL || last == NULL) {
        fputs("run by `onchip audit`: ONCHIP_AUDIT_FD and ONCHIP_AUDIT_STAGE\n",
              stderr);
        return 2;
    }
    channel = atoi(fd);
    for (int stage = 1; stage <= atoi(last) && stage <= 4; stage++) {
        emit("stage %d", stage);
        stages[stage - 1]();
        emit("pass %d", stage);
    }
    close_devices();
    emit("end");
    return 0;
}
