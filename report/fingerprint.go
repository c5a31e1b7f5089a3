package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// fingerprints identify findings across runs even if lines have moved. They consist of a
// hash of page, target, code and rule, and a number that distinguishes equal hashes.
type fingerprints struct{ seen map[string]int }

func (f *fingerprints) next(o occurrence) string {
	h := sha256.New()
	for _, s := range []string{o.page, o.result.URL, string(o.code)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	if o.result.Rule != "" {
		fmt.Fprintf(h, "%d:%s", len(o.result.Rule), o.result.Rule)
	}
	key := hex.EncodeToString(h.Sum(nil)[:16])
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[key]++
	return fmt.Sprintf("%s:%d", key, f.seen[key])
}

// ruleID returns the identifier of a code's rule, which must not be empty.
func ruleID(c check.Code) check.Code { return cmp.Or(c, "unknown") }
