package evidence

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// entry is one exchange in a file: a response, revisit or metadata record, with its request.
type entry struct {
	section
	request section // length 0 for none
	kind    string
	id, uri string
	date    time.Time
	payload string // the digest
	refers  string // the record that a revisit refers to
	cut     string
	size    int64 // of the payload
	isHead  bool  // of a request
	session int   // of the crawl
	status  int
	chunked bool // the body has its transfer coding
	media   string
	facts   facts
	event   *event // of a metadata record; its body is left out
}

// read reads what is to be known of a record. It writes a payload to w, but keeps no body.
func (e *entry) read(m *member, w io.Writer) error {
	e.offset, e.kind, e.id, e.uri, e.date = m.offset, m.field("WARC-Type"), m.field("WARC-Record-ID"), strings.Trim(m.field("WARC-Target-URI"), "<>"), m.date()
	e.payload, e.refers, e.cut, e.size = m.field("WARC-Payload-Digest"), m.field("WARC-Refers-To"), m.field("WARC-Truncated"), 0
	switch e.kind {
	case typeResponse, typeRevisit:
		_ = json.Unmarshal([]byte(m.field(factsField)), &e.facts) // other programs have none
		lines := m.text()
		_, status, header, err := readAnswerHead(lines)
		if err != nil {
			return err
		}
		e.chunked = header.Get("Transfer-Encoding") != ""
		if e.size, err = io.Copy(w, lines); err != nil {
			return err
		}
		e.status = status
		e.media, _, _ = mime.ParseMediaType(header.Get("Content-Type"))
	case typeRequest:
		first, _ := m.text().Peek(5)
		e.isHead = string(first) == "HEAD "
	case typeMetadata:
		text, err := io.ReadAll(io.LimitReader(m.block, maxEventSize))
		if err != nil {
			return err
		}
		ev := &event{}
		if json.Unmarshal(text, ev) == nil && ev.Format == format && (ev.Kind == "fault" || ev.Kind == "answer") {
			e.event, e.facts = ev, ev.facts
			if ev.Answer != nil {
				ev.Answer.Body = nil
			}
		}
	}
	return nil
}

// isExchange reports whether the record is one of an exchange.
func (e *entry) isExchange() bool {
	return e.kind == typeResponse || e.kind == typeRevisit || e.event != nil
}

// scan reads all exchanges of PATH.part.
func scan(f *os.File) ([]*entry, error) {
	var list []*entry
	session := 0
	in := readMembers(io.NewSectionReader(f, 0, 1<<62), 0, partSize)
	for {
		m, err := in.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		e := &entry{}
		if err := e.read(m, io.Discard); err != nil {
			return nil, err
		}
		if err := in.end(); err != nil {
			return nil, err
		}
		e.length = in.offset() - e.offset
		e.session = session
		switch {
		case e.kind == typeInfo:
			session++ // each begins with one
		case e.isExchange():
			list = append(list, e)
		case e.kind == typeRequest && len(list) > 0 && m.field("WARC-Concurrent-To") == list[len(list)-1].id:
			list[len(list)-1].request = e.section
		}
	}
}

// choice is what is kept of a run.
type choice struct {
	entries  []*entry // sorted
	verdicts map[string][]judged
	left     int // exchanges that were left out
}

// choose chooses what is kept.
func (k *Keeper) choose(all []*entry, run Run) *choice {
	for _, start := range run.Starts {
		k.judged.wanted[k.judged.document(start)] = true
	}
	c := &choice{left: k.left}
	wanted := k.judged.wanted
	kept := withoutRepeated(all)
	if !k.options.All {
		kept = slices.DeleteFunc(kept, func(e *entry) bool { return !wanted[e.facts.For] })
	}
	slices.SortStableFunc(kept, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.facts.For, b.facts.For), compareBools(a.facts.Beside, b.facts.Beside), a.date.Compare(b.date)) // of the request: an answer may end later than the next one
	})
	c.entries = k.within(kept, all, wanted, &c.left)
	if !k.options.Apart {
		c.verdicts = k.judged.of(c.entries)
	}
	return c
}

// withoutRepeated returns the exchanges without those for targets that a later session of the crawl
// asked from the beginning, because the earlier one ended before it had settled them.
func withoutRepeated(all []*entry) []*entry {
	begun := map[string]int{} // sessions
	for _, e := range all {
		if e.session > 1 && e.facts.First {
			begun[e.facts.For] = e.session
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *entry) bool { return !e.facts.Beside && e.session < begun[e.facts.For] })
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// About how many bytes are taken, besides the records of exchanges.
const (
	verdictCost = 500  // by a record about a verdict
	indexCost   = 350  // by a line of the index and of the pages, besides the URL
	packageCost = 2500 // by the package and by the names in a WACZ file
)

// within returns the exchanges that fit into the limit; those of findings come first.
func (k *Keeper) within(kept, all []*entry, wanted map[string]bool, left *int) []*entry {
	lengths := map[string]int64{} // of records with a body
	for _, e := range all {
		if e.kind == typeResponse {
			lengths[e.id] = e.length
		}
	}
	room, fits, bodies := k.options.MaxSize-verdictCost, map[*entry]bool{}, map[string]bool{}
	indexed := k.place.form != formWARC
	if indexed {
		room -= packageCost
	}
	for _, findings := range []bool{true, false} {
		for _, e := range kept {
			if wanted[e.facts.For] != findings {
				continue
			}
			cost := e.length + e.request.length + verdictCost
			if indexed {
				cost += indexCost + 3*int64(len(e.uri)) // twice in the index, and once in the pages
			}
			if e.kind == typeRevisit && !bodies[e.payload] {
				cost += lengths[e.refers]
			}
			if cost > room {
				*left++
				continue
			}
			room -= cost
			fits[e], bodies[e.payload] = true, true
		}
	}
	return slices.DeleteFunc(kept, func(e *entry) bool { return !fits[e] })
}

// of returns the verdicts on the targets of some exchanges. A target without a result is ok, unless
// a target with another verdict redirected to it, and it failed.
func (v *verdicts) of(entries []*entry) map[string][]judged {
	list, works := map[string][]judged{}, map[string]bool{}
	for _, e := range entries { // the last exchange of a target decides
		if !e.facts.Beside {
			list[e.facts.For], works[e.facts.For] = nil, e.status/100 == 2
		}
	}
	for _, j := range v.list {
		if _, kept := list[document(j.url)]; kept {
			list[document(j.url)] = append(list[document(j.url)], j)
		}
	}
	for _, j := range v.list {
		for _, hop := range j.hops {
			if len(list[hop]) == 0 && !works[hop] && (j.verdict == check.Broken || j.verdict == check.Unverified) {
				delete(list, hop)
			}
		}
	}
	for url, results := range list {
		if len(results) == 0 {
			list[url] = []judged{{url: url, verdict: check.OK, code: check.CodeOK}}
		}
		slices.SortFunc(list[url], func(a, b judged) int { return cmp.Compare(a.url, b.url) })
	}
	return list
}

// readAnswerHead reads the head of an answer.
func readAnswerHead(r *bufio.Reader) (reason string, status int, header headerFields, err error) {
	fields, first, err := readHeader(r)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, nil, err
	}
	protocol, rest, _ := strings.Cut(first, " ")
	code, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	status, err = strconv.Atoi(code)
	if err != nil || !strings.HasPrefix(protocol, "HTTP/") || status < 100 || status > 999 {
		return "", 0, nil, errors.New("the block is no answer over HTTP")
	}
	return reason, status, headerFields(fields), nil
}
