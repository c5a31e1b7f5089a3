package verdicts

import "context"

// Flagged returns how many pairs of a crawl are looked at closely, and how many are
// simply ok.
func Flagged(ctx context.Context, c *Crawl) (flagged, ok int, err error) {
	j := newJoin(ctx, c)
	if err := inOrder(j.load, j.addReferences, j.addUnreferenced); err != nil {
		return 0, 0, err
	}
	return len(j.pairs.flagged), j.pairs.sum.OK, nil
}
