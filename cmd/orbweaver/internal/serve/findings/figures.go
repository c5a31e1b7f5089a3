package findings

import (
	"context"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// maxFigures is the number of values of one figure. A site can invent as many media types as it likes.
const maxFigures = 1000

// elapsedLimits are the upper ends of the classes of response times, in milliseconds. The last class
// has none.
var elapsedLimits = []int64{100, 300, 1000, 3000, 10_000}

// Figures counts the pages that were read by status, depth, media type and response time.
func (x *Index) Figures(ctx context.Context) (*api.Figures, error) {
	f := &api.Figures{}
	var err error
	if f.Status, err = countPages[int](ctx, x, "status"); err != nil {
		return nil, err
	}
	if f.Depth, err = countPages[int](ctx, x, "depth"); err != nil {
		return nil, err
	}
	if f.ContentType, err = countPages[string](ctx, x, "content_type"); err != nil {
		return nil, err
	}
	below := int64(-1)
	for i := range len(elapsedLimits) + 1 {
		class, where, args := api.ElapsedCount{}, "elapsed > ?", []any{below}
		if i < len(elapsedLimits) {
			class.UpToMS = &elapsedLimits[i]
			where, args = where+" AND elapsed <= ?", append(args, elapsedLimits[i])
			below = elapsedLimits[i]
		}
		if err := x.db.QueryRowContext(ctx, "SELECT count(*) FROM page WHERE was_read = 1 AND "+where, args...).Scan(&class.Count); err != nil {
			return nil, err
		}
		f.Elapsed = append(f.Elapsed, class)
	}
	return f, nil
}

// countPages counts the pages that were read by the values of a column, in their order.
func countPages[T any](ctx context.Context, x *Index, column string) ([]api.ValueCount[T], error) {
	return rows.All(ctx, x.db, func(row rows.Row) (one api.ValueCount[T], err error) {
		err = row.Scan(&one.Value, &one.Count)
		return one, err
	}, "SELECT "+column+", count(*) FROM page WHERE was_read = 1 GROUP BY 1 ORDER BY 1 LIMIT ?", maxFigures)
}
