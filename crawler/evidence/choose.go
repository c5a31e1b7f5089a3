package evidence

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"os"
	"strconv"
	"strings"
	"time"
)

// entry is one exchange in a file: a response, revisit or metadata record, with its request.
type entry struct {
	section
	request int64   // the length of its request's record, which follows it; 0 for none
	body    section // of the record that a revisit refers to
	kind    string
	id, uri string
	date    time.Time
	payload string // the digest
	cut     string
	size    int64 // of the payload
	isHead  bool  // of a request
	session int   // of the crawl
	status  int
	chunked bool // the body has its transfer coding
	media   string
	facts   facts
	event   *event  // of a metadata record; its body is left out
	judged  *judged // for a result, which is no record in the file; see known.go
}

// read reads what is to be known of a record. It writes a payload to w, but keeps no body.
func (e *entry) read(m *member, w io.Writer) error {
	e.offset, e.kind, e.id, e.uri, e.date = m.offset, m.field("WARC-Type"), m.field("WARC-Record-ID"), strings.Trim(m.field("WARC-Target-URI"), "<>"), m.date()
	e.payload, e.cut, e.size = m.field("WARC-Payload-Digest"), m.field("WARC-Truncated"), 0
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

// scan learns what earlier sessions of the crawl have kept in PATH.part, and returns the size of its whole
// records.
func (k *Keeper) scan(f *os.File) (size int64) {
	var last *entry                     // an exchange whose request may follow
	bodies := map[[16]byte]section{}    // of responses, by their record IDs
	defer func() { k.addKnown(last) }() // there is no lock: nothing else knows of k yet
	in := readMembers(io.NewSectionReader(f, 0, 1<<62), 0, partSize)
	for {
		m, err := in.next()
		if err != nil {
			return size
		}
		e, of, refers := &entry{session: k.session}, m.field("WARC-Concurrent-To"), m.field("WARC-Refers-To")
		if e.read(m, io.Discard) != nil || in.end() != nil {
			return size
		}
		size = in.offset()
		e.length = size - e.offset
		switch {
		case e.kind == typeInfo:
			k.session++ // each begins with one
		case e.kind == typeRequest && last != nil && last.id == of:
			last.request = e.length
		case e.isExchange():
			k.addKnown(last)
			last = e
			switch e.kind {
			case typeResponse:
				bodies[shortHash(e.id)] = e.section
			case typeRevisit:
				e.body = bodies[shortHash(refers)]
			}
		}
	}
}

// choice is what is kept of a run.
type choice struct {
	fits []bool // by the places of exchanges in the order of targets
	left int    // exchanges that were left out
}

// choose chooses what is kept: what fits into the limit, and first what belongs to findings.
func (k *Keeper) choose(run Run) (*choice, error) {
	for _, start := range run.Starts {
		k.judged.want(k.judged.document(start))
	}
	c := &choice{fits: make([]bool, k.count), left: k.left}
	b := &budget{room: k.options.MaxSize - verdictCost, indexed: k.place.form != formWARC, bodies: map[uint64]bool{}}
	if b.indexed {
		b.room -= packageCost
	}
	for _, findings := range []bool{true, false} {
		if !findings && !k.options.All {
			break
		}
		err := k.eachTarget(func(first int, known []*entry) error {
			if k.judged.wants(known[0].facts.For) != findings {
				return nil
			}
			since, hop := begun(known), k.judged.hops[known[0].facts.For]
			for i, e := range known {
				switch {
				case e.rank() == rankVerdict, e.rank() == rankVisit && e.session < since:
				case !b.take(e):
					c.left++
				default:
					c.fits[first+i] = true
					if hop != nil && e.rank() == rankVisit {
						hop.ids = append(hop.ids, e.id)
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// begun returns the session that last asked a target from the beginning, because the one before ended
// before it had settled it: what earlier ones asked for it does not count. It is 0 for none.
func begun(known []*entry) (session int) {
	for _, e := range known {
		if e.session > 1 && e.facts.First {
			session = max(session, e.session)
		}
	}
	return session
}

// About how many bytes are taken, besides the records of exchanges.
const (
	verdictCost = 500  // by a record about a verdict
	indexCost   = 350  // by a line of the index and of the pages, besides the URL
	packageCost = 2500 // by the package and by the names in a WACZ file
)

// budget is the room for what is kept.
type budget struct {
	room    int64           // bytes
	indexed bool            // there is an index
	bodies  map[uint64]bool // payloads in the file; see textKey
}

// take takes the room for an exchange, and reports false if there is not enough.
func (b *budget) take(e *entry) bool {
	cost := e.length + e.request + verdictCost
	if b.indexed {
		cost += indexCost + 3*int64(len(e.uri)) // twice in the index, and once in the pages
	}
	if e.kind == typeRevisit && !b.bodies[textKey(e.payload)] {
		cost += e.body.length
	}
	if cost > b.room {
		return false
	}
	b.room -= cost
	if e.payload != "" {
		b.bodies[textKey(e.payload)] = true
	}
	return true
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
