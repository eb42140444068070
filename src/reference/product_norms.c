#include "reference/product_norms.h"

#include "reference/round.h"

/* --- sums over vectors --- */

OC__CLONES static void row_sums(const double *x, size_t n, double *sum, double *square,
                                double *largest, double *count)
{
    double sums[4] = {0}, squares[4] = {0}, most[4] = {0}, counts[4] = {0};
    for (size_t i = 0; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            double size = fabs(x[i + k]);
            sums[k] += size;
            squares[k] += size * size;
            most[k] = size > most[k] ? size : most[k];
            counts[k] += size > 0;
        }
    }
    for (size_t i = n - n % 4; i < n; i++) {
        double size = fabs(x[i]);
        sums[0] += size;
        squares[0] += size * size;
        most[0] = size > most[0] ? size : most[0];
        counts[0] += size > 0;
    }
    *sum = sums[0] + sums[1] + sums[2] + sums[3];
    *square = squares[0] + squares[1] + squares[2] + squares[3];
    *largest = fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
    *count = counts[0] + counts[1] + counts[2] + counts[3];
}

/* The same for vectors across: x[n][panel]. The results are zeros to begin with. */
OC__CLONES static void column_sums(const double *restrict x, size_t n, size_t panel,
                                   double *restrict sum, double *restrict square,
                                   double *restrict largest, double *restrict count)
{
    for (size_t i = 0; i < n; i++, x += panel) {
        for (size_t j = 0; j < panel; j++) {
            double size = fabs(x[j]);
            sum[j] += size;
            square[j] += size * size;
            largest[j] = size > largest[j] ? size : largest[j];
            count[j] += size > 0;
        }
    }
}

void oc__vector_norms(const double *x, const oc__layout *layout, double *norms,
                      double *terms)
{
    size_t count = layout->count, n = layout->length, panel = layout->panel;
    double *sum = norms, *square = norms + count, *largest = norms + 2 * count;
    for (size_t v = 0; v<count; v += panel> 0 ? panel : 1) {
        if (panel > 0) {
            column_sums(x + v * n, n, panel, sum + v, square + v, largest + v,
                        terms + v);
        } else {
            row_sums(x + v * n, n, sum + v, square + v, largest + v, terms + v);
        }
    }
    // Upper bounds. Squares of very large and very small numbers leave the range of
    // double: then |x|_2 <= |x|_1 must do.
    double slack = 1 + ((double)n + 8) * 0x1p-52;
    for (size_t v = 0; v < count; v++) {
        bool in_range = largest[v] < 0x1p500 && largest[v] > 0x1p-450;
        sum[v] *= slack;
        square[v] = in_range ? sqrt(square[v]) * slack : sum[v];
    }
}

/* --- grids
 * ---------------------------------------------------------------------------- */

static bool is_hopeless(int grid, double largest, double most_steps)
{
    return largest * oc__power_of_two(-grid) >= most_steps;
}

static int row_grid(const double *x, size_t n, double largest, double most_steps)
{
    int grid = OC__ANY_GRID;
    for (size_t i = 0; i < n; i++) {
        int own = oc__grid_of(x[i]);
        if (own < grid) {
            grid = own;
            if (is_hopeless(grid, largest, most_steps)) {
                break;
            }
        }
    }
    return grid;
}

/* A few rows at a time, until no vector is left that may have one. */
static void column_grids(const double *x, size_t n, size_t panel, const double *largest,
                         double most_steps, int *grid)
{
    enum { ROWS = 16 };
    bool hope = true;
    for (size_t j = 0; j < panel; j++) {
        grid[j] = OC__ANY_GRID;
    }
    for (size_t i = 0; i < n && hope; i++, x += panel) {
        for (size_t j = 0; j < panel; j++) {
            int own = oc__grid_of(x[j]);
            grid[j] = own < grid[j] ? own : grid[j];
        }
        for (size_t j = 0; i % ROWS == ROWS - 1 && j < panel; j++) {
            hope = !is_hopeless(grid[j], largest[j], most_steps);
            if (hope) {
                break;
            }
        }
    }
}

bool oc__vector_grids(const double *x, const oc__layout *layout, const double *largest,
                      double most_steps, int *grid)
{
    size_t count = layout->count, n = layout->length, panel = layout->panel;
    bool any = false;
    for (size_t v = 0; v<count; v += panel> 0 ? panel : 1) {
        if (panel > 0) {
            column_grids(x + v * n, n, panel, largest + v, most_steps, grid + v);
        } else {
            grid[v] = row_grid(x + v * n, n, largest[v], most_steps);
        }
    }
    for (size_t v = 0; v < count; v++) {
        if (grid[v] == OC__ANY_GRID) {
            grid[v] = 0;
        } else if (is_hopeless(grid[v], largest[v], most_steps)) {
            grid[v] = OC__NO_GRID;
        }
        any = any || grid[v] != OC__NO_GRID;
    }
    return any;
}
