/* A world of the test's own for the search for plugins: HOME, XDG_DATA_HOME, PATH and
 * the current folder are in a temporary folder, python3 is a script that prints what
 * Python would, and files called .so are never loaded. */
#ifndef ONCHIP_TESTS_PLUGIN_FIXTURE_H
#define ONCHIP_TESTS_PLUGIN_FIXTURE_H

#include "onchip/plugin.h"
#include "unit.h"

enum { FIXTURE_PATH = 512 };

extern char fixture_root[];
extern const char fixture_elf[]; /* the content of a file that begins like a library */

/* A path under the fixture's folder; four of them may be in use at a time. */
const char *fixture_under(const char *name);
/* Writes a file, with all its folders; yields its path. */
const char *fixture_make(const char *name, const char *content);
/* A python3 at `name` whose sys.path is an empty and a relative name and root/site. */
void fixture_make_python(const char *name);

int fixture_set_up(void **state);
int fixture_tear_down(void **state);
#define TEST(name)                                                                     \
    cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

#endif
