#include "train_config.h"

#include "base/file.h"
#include "base/hash.h"
#include "fit/fit.h"
#include "train_events.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CONFIG_BYTES = 1 << 20, MAX_MIB = 1 << 14, LONGEST_MS = 86400000 };

static oc_status take_text(const char *name, const char **out, oc_error *err)
{
    *out = getenv(name);
    if (!*out || !**out) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%s is not set; `onchip launch` starts this program", name);
    }
    return OC_OK;
}

static oc_status take_number(const char *name, int64_t max, int64_t *out, oc_error *err)
{
    int64_t value = oc__train_number(getenv(name));
    if (value < 1 || value > max) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_USAGE,
                       "%s is '%s'; it must be a number from 1 to %lld", name,
                       getenv(name) ? getenv(name) : "", (long long)max);
    }
    *out = value;
    return OC_OK;
}

static oc_status read_environment(oc__train_config *config, const char **out_sha256,
                                  oc_error *err)
{
    oc_status rc = take_text("ONCHIP_RUN_DIR", &config->run_dir, err);
    if (rc == OC_OK) {
        rc = take_text("ONCHIP_CHECKPOINTS", &config->checkpoints, err);
    }
    if (rc == OC_OK) {
        rc = take_text("ONCHIP_CONFIG_SHA256", out_sha256, err);
    }
    if (rc == OC_OK) {
        rc = take_number("ONCHIP_STEPS", OC__FIT_MAX_STEPS, &config->steps, err);
    }
    // The launcher has limits of its own; without this one they alone hold.
    config->device_timeout_ms = LONGEST_MS;
    if (rc == OC_OK && getenv("ONCHIP_DEVICE_TIMEOUT_MS")) {
        rc = take_number("ONCHIP_DEVICE_TIMEOUT_MS", LONGEST_MS,
                         &config->device_timeout_ms, err);
    }
    config->resume = getenv("ONCHIP_RESUME");
    return rc;
}

static oc_status check_range(const char *name, int64_t value, int64_t min, int64_t max,
                             oc_error *err)
{
    if (value < min || value > max) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "config.json: %s is %lld; it must be from %lld to %lld", name,
                       (long long)value, (long long)min, (long long)max);
    }
    return OC_OK;
}

static oc_status read_members(oc__train_config *config, const char **out_program,
                              const char **out_data, oc_error *err)
{
    json_error_t why;
    const char *format;
    json_t *plugin, *command;
    json_int_t batch, seed, every, mib;
    if (json_unpack_ex(config->document, &why, JSON_STRICT,
                       "{s:s s:s s:o s:o s:I s:I s:I s:I s:s s:s}", "format", &format,
                       "platform", &config->platform, "plugin", &plugin, "command",
                       &command, "batch", &batch, "seed", &seed, "checkpoint_every",
                       &every, "state_mib", &mib, "program_sha256", out_program,
                       "data_sha256", out_data) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT, "config.json: %s", why.text);
    }
    if (strcmp(format, "onchip.launch/1") != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "config.json: format is '%s'; it must be 'onchip.launch/1'",
                       format);
    }
    if ((!json_is_null(plugin) && !json_is_string(plugin)) || !json_is_null(command)) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "config.json: plugin must be a text or null, command null");
    }
    config->plugin = json_string_value(plugin);
    config->batch = batch;
    config->seed = seed;
    config->checkpoint_every = every;
    config->state_mib = mib;
    oc_status rc = check_range("batch", batch, 1, OC__FIT_POINTS, err);
    if (rc == OC_OK) {
        rc = check_range("seed", seed, 0, UINT32_MAX, err);
    }
    if (rc == OC_OK) {
        rc = check_range("checkpoint_every", every, 1, OC__FIT_MAX_STEPS, err);
    }
    return rc == OC_OK ? check_range("state_mib", mib, 0, MAX_MIB, err) : rc;
}

static oc_status check_hash(const char *what, const char *wanted, const char *ours,
                            oc_error *err)
{
    if (strcmp(wanted, ours) != 0) {
        return OC_FAIL(err, OC_PARSE, OC_BOUNDARY_INPUT,
                       "config.json: %s_sha256 is %s, but the %s of this onchip has %s",
                       what, wanted, what, ours);
    }
    return OC_OK;
}

oc_status oc__train_config_read(oc__train_config *out_config, oc_error *err)
{
    char *text = NULL, *path = NULL;
    const char *sha256 = NULL, *program = NULL, *data = NULL;
    char hash[OC__SHA256_HEX];
    size_t size = 0;
    *out_config = (oc__train_config){0};
    oc_status rc = read_environment(out_config, &sha256, err);
    if (rc != OC_OK) {
        goto done;
    }
    path = oc__path_join(out_config->run_dir, "config.json");
    if (!path) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
        goto done;
    }
    rc = oc__file_read(path, MAX_CONFIG_BYTES, &text, &size, err);
    if (rc == OC_OK) {
        rc = oc__json_parse(text, size, "config.json", &out_config->document, err);
    }
    if (rc == OC_OK) {
        rc = read_members(out_config, &program, &data, err);
    }
    if (rc != OC_OK) {
        goto done;
    }
    out_config->program = oc__fit_program(out_config->batch);
    if (!out_config->program) {
        rc = OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_INPUT, "out of memory");
        goto done;
    }
    oc__sha256_hex(out_config->program, strlen(out_config->program), hash);
    rc = check_hash("program", program, hash, err);
    if (rc == OC_OK) {
        rc = oc__fit_data_hash(hash, err);
    }
    if (rc == OC_OK) {
        rc = check_hash("data", data, hash, err);
    }
    out_config->identity = (oc__checkpoint_identity){
        .keys = {{"config", sha256}, {"program", program}, {"data", data}}, .count = 3};
done:
    oc__error_at_boundary(err, OC_BOUNDARY_INPUT);
    free(path);
    free(text);
    return rc;
}

void oc__train_config_free(oc__train_config *config)
{
    json_decref(config->document);
    free(config->program);
    *config = (oc__train_config){0};
}
