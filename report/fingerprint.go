package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// fingerprints tell findings apart and know them again when lines have moved: they
// are made of page, target and code, and of a number when these are the same.
type fingerprints struct{ seen map[string]int }

func (f *fingerprints) of(o occurrence) string {
	h := sha256.New()
	for _, s := range []string{o.page, o.result.URL, string(o.code)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	key := hex.EncodeToString(h.Sum(nil)[:16])
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[key]++
	return fmt.Sprintf("%s:%d", key, f.seen[key])
}

// sarifID is a rule's id, which must not be empty.
func sarifID(c check.Code) check.Code { return cmp.Or(c, "unknown") }
