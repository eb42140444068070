/* The one object that differs between the fakes; the build defines both macros. */
#include "fake.h"

const enum fake_lie fake_lie = FAKE_LIE;
const char *const fake_platform = FAKE_PLATFORM;
