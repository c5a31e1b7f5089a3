package evidence

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	parts "github.com/orbweaver/orbweaver/crawler/internal/record"
)

// byTarget is the order of what is known of a run: by target, and for each the exchanges of its visits
// in the order asked, its verdicts, and the exchanges beside visits. It is a result.Order, so that all
// but the last part is held in a file.
type byTarget struct{}

const (
	rankVisit = iota
	rankVerdict
	rankBeside
)

func (e *entry) rank() int {
	switch {
	case e.judged != nil:
		return rankVerdict
	case e.facts.Beside:
		return rankBeside
	}
	return rankVisit
}

func (byTarget) Compare(a, b *entry) int {
	if n := cmp.Or(cmp.Compare(a.facts.For, b.facts.For), cmp.Compare(a.rank(), b.rank())); n != 0 {
		return n
	}
	if a.judged != nil {
		return cmp.Compare(a.judged.url, b.judged.url)
	}
	return a.date.Compare(b.date) // of the request: an answer may end later than the next one
}

func (byTarget) Size(e *entry) int {
	const fixed = 700
	return fixed + len(e.facts.For) + len(e.uri) + len(e.facts.Title)
}

// texts and numbers are what is kept of an entry, besides its date, marks and verdict.
func (e *entry) texts() [7]*string {
	return [...]*string{&e.facts.For, &e.kind, &e.id, &e.uri, &e.payload, &e.media, &e.facts.Title}
}

func (e *entry) numbers() [6]*int64 {
	return [...]*int64{&e.offset, &e.length, &e.request, &e.body.offset, &e.body.length, &e.size}
}

func (e *entry) marks() [3]*bool {
	return [...]*bool{&e.facts.Beside, &e.facts.First, &e.facts.Page}
}

func (byTarget) Append(b []byte, e *entry) []byte {
	for _, text := range e.texts() {
		b = parts.AppendString(b, *text)
	}
	for _, n := range e.numbers() {
		b = binary.AppendUvarint(b, uint64(*n))
	}
	for _, mark := range e.marks() {
		b = parts.AppendBool(b, *mark)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(e.session)), uint64(e.status))
	b = parts.AppendString(binary.AppendVarint(b, e.date.UnixMicro()), e.cut)
	if e.judged == nil {
		return b
	}
	b = parts.AppendString(parts.AppendString(b, e.judged.url), string(e.judged.code))
	b = binary.AppendUvarint(b, uint64(e.judged.verdict))
	for _, hop := range e.judged.hops {
		b = parts.AppendString(b, hop)
	}
	return b
}

func (byTarget) Decode(b []byte) (*entry, error) {
	e, r := &entry{}, parts.Reader{Rest: b}
	for _, text := range e.texts() {
		*text = r.String()
	}
	for _, n := range e.numbers() {
		*n = int64(r.Uvarint())
	}
	for _, mark := range e.marks() {
		*mark = r.Bool()
	}
	e.session, e.status = r.Int(), r.Int()
	e.date, e.cut = time.UnixMicro(r.Varint()).UTC(), r.String()
	if len(r.Rest) > 0 {
		e.judged = &judged{url: r.String(), code: check.Code(r.String()), verdict: check.Verdict(r.Int())}
	}
	for len(r.Rest) > 0 {
		e.judged.hops = append(e.judged.hops, r.String())
	}
	if r.Failed {
		return nil, errors.New("it is damaged")
	}
	return e, nil
}

// addKnown adds what is known of an exchange or a result, nil for nothing. k.mu is held.
func (k *Keeper) addKnown(e *entry) {
	if e == nil {
		return
	}
	k.known.Add(e)
	k.count++
	if e.repeats() {
		key := textKey(e.payload)
		_, before := k.payloads[key]
		k.payloads[key] = before
	}
}

// repeats reports whether the body of an exchange may stand for that of another one.
func (e *entry) repeats() bool { return e.cut == "" && e.status/100 == 2 && e.payload != "" }

var textSeed = maphash.MakeSeed()

// textKey is the key of a text, such as the digest of a payload, in a set that may be large. Texts
// may have the same key, but so few have that it does no harm to treat them alike.
func textKey(text string) uint64 { return maphash.String(textSeed, text) }

// eachTarget calls fn with what is known of one target after another, and with how much was known of those
// before.
func (k *Keeper) eachTarget(fn func(first int, known []*entry) error) error {
	var known []*entry
	first := 0
	end := func() error {
		if len(known) == 0 {
			return nil
		}
		err := fn(first, known)
		first += len(known)
		known = known[:0]
		return err
	}
	err := k.known.Each(func(e *entry) error {
		if len(known) > 0 && known[0].facts.For != e.facts.For {
			if err := end(); err != nil {
				return err
			}
		}
		known = append(known, e)
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// lineOrder is the order of lines. What is behind a NUL in a line does not count for it, nor is the NUL
// part of the line that is written. It is a result.Order.
type lineOrder struct{}

func (lineOrder) Compare(a, b string) int {
	return cmp.Compare(lineKey(a), lineKey(b))
}

func (lineOrder) Size(line string) int { return len(line) + 16 }

func (lineOrder) Append(b []byte, line string) []byte { return append(b, line...) }

func (lineOrder) Decode(b []byte) (string, error) { return string(b), nil }

func lineKey(line string) string {
	key, _, _ := strings.Cut(line, "\x00")
	return key
}
