/* A sound shared library that is no PJRT plugin: it has no GetPjrtApi. */
int fake_no_symbol(void);

__attribute__((visibility("default"))) int fake_no_symbol(void)
{
    return 0;
}
