package verdicts

import "context"

// Flagged returns how many pairs of a crawl are looked at closely, and how many are
// simply ok.
func Flagged(ctx context.Context, c *Crawl) (flagged, ok int, err error) {
	j := newJoin(ctx, c)
	for _, step := range []func() error{j.load, j.meetAll, j.alone} {
		if err := step(); err != nil {
			return 0, 0, err
		}
	}
	return len(j.flagged), j.sum.OK, nil
}
