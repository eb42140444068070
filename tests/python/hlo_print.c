/* hlo_print PROGRAM: the module in PROGRAM as onchip prints it. Exit status 1 and a
 * message when it cannot be read. */
#include "base/file.h"
#include "stablehlo/parse.h"
#include "stablehlo/print.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    oc_error err = {0};
    char *text = NULL;
    size_t size;
    oc__hlo_module *module = NULL;
    oc__strbuf printed;
    oc__strbuf_init(&printed, OC__HLO_MAX_TEXT);
    int status = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: hlo_print PROGRAM\n");
    } else if (oc__file_read(argv[1], OC__HLO_MAX_TEXT, &text, &size, &err) != OC_OK ||
               oc__hlo_parse(text, size, argv[1], &module, &err) != OC_OK) {
        fprintf(stderr, "%s\n", err.text);
    } else {
        oc__hlo_print(module, &printed);
        bool whole = !printed.failed &&
                     fwrite(printed.data, 1, printed.size, stdout) == printed.size;
        status = whole && fflush(stdout) == 0 ? 0 : 1;
    }
    oc__strbuf_free(&printed);
    oc__hlo_module_free(module);
    free(text);
    return status;
}
