package evidence

import (
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// facts are what a replay needs of an exchange besides the answer.
type facts struct {
	For      string    `json:"for"`                // what needed the answer
	Method   string    `json:"method,omitempty"`   // if it is not GET
	First    bool      `json:"first,omitempty"`    // no try of the visit was before it
	Beside   bool      `json:"beside,omitempty"`   // no visit did
	Again    bool      `json:"again,omitempty"`    // it belongs to the exchange before
	Resent   bool      `json:"resent,omitempty"`   // it repeats the exchange before
	Page     bool      `json:"page,omitempty"`     // it was asked as a page of the site
	Title    string    `json:"title,omitempty"`    // of a page; replays do without
	Requests *int      `json:"requests,omitempty"` // if it took another number than 1
	Size     *int64    `json:"size,omitempty"`     // the declared length, if the head does not say it
	NotAfter time.Time `json:"not_after,omitzero"` // the end of the certificate
	Issuer   string    `json:"issuer,omitempty"`   // whose certificate is missing
	Proxy    string    `json:"proxy,omitempty"`    // that answered
	Fault    *fault    `json:"why,omitempty"`      // there is no answer, or not all of its body
}

// fault is a fetch.Fault.
type fault struct {
	Kind   string `json:"code"`
	Op     string `json:"op,omitempty"`
	Target string `json:"of,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Cause  string `json:"cause,omitempty"`
	Retry  bool   `json:"retry,omitempty"`
	Local  bool   `json:"local,omitempty"`
}

// format is the value of the first key of all our JSON.
const format = "evidence/1"

// event is the block of a metadata record about an exchange that is no answer over HTTP.
type event struct {
	Format  string `json:"orbweaver"`
	Kind    string `json:"kind"` // "fault"; "answer" for other schemes than http and https
	Method  string `json:"method,omitempty"`
	Fault   string `json:"fault,omitempty"` // a code
	Message string `json:"message,omitempty"`
	facts
	Answer *answer `json:"answer,omitempty"`
	Lookup *lookup `json:"lookup,omitempty"`
}

// answer is a fetch.Response of other schemes.
type answer struct {
	Status   int         `json:"status,omitempty"`
	Location string      `json:"location,omitempty"`
	Type     string      `json:"type,omitempty"`
	Size     int64       `json:"size"`
	Modified time.Time   `json:"modified,omitzero"`
	Excerpt  []byte      `json:"excerpt,omitempty"`
	Body     []byte      `json:"body,omitempty"`
	HasBody  bool        `json:"has_body,omitempty"`
	Notes    [][2]string `json:"notes,omitempty"`
}

// exchange is one exchange in progress.
type exchange struct {
	k       *Keeper
	request []byte // the block of its record
	sent    *traffic.Sent
	body    spool
}

// Begin begins an exchange. It is a method of fetch.Recorder.
func (k *Keeper) Begin(sent *traffic.Sent) fetch.Recording {
	b := append(make([]byte, 0, 512), sent.Method+" "...)
	b = append(append(b, oneLine(k.mask.url("x://x" + sent.Target)[len("x://x"):])...), " HTTP/1.1\r\n"...)
	b = appendField(b, "Host", sent.Host)
	return &exchange{k: k, sent: sent, request: k.mask.appendHeader(b, sent.Header, nil)}
}

// Keep adds to the body.
func (x *exchange) Keep(part []byte) { _, _ = x.body.Write(part) } // its error is in x.body.err

// Finish appends the exchange to PATH.part.
func (x *exchange) Finish(got *traffic.Received, fault *fetch.Fault) {
	defer x.body.close()
	switch {
	case got == nil:
		return
	case x.body.err != nil:
		x.k.fail(x.body.err)
		return
	}
	f := &facts{For: x.k.mask.url(x.sent.Asker.URL.Printed()), Beside: !x.sent.Asker.Visit, First: x.sent.Asker.First && !x.sent.Again, Again: x.sent.Again, Resent: x.sent.Resent, Page: x.sent.Page, NotAfter: got.NotAfter.UTC(), Issuer: got.Issuer, Proxy: got.Proxy}
	f.setRequests(got.Requests)
	if got.NotAfter.IsZero() {
		f.NotAfter = time.Time{}
	}
	if got.Status == 0 {
		x.finishFault(f, got, fault)
		return
	}
	if f.Fault = x.k.mask.fault(fault); x.sent.Method != http.MethodGet {
		f.Method = x.sent.Method
	}
	x.finishAnswer(f, got)
}

// uri returns the WARC-Target-URI.
func (x *exchange) uri() string { return x.k.mask.url(x.sent.URL.Printed()) }

// finishFault writes an exchange without an answer.
func (x *exchange) finishFault(f *facts, got *traffic.Received, fault *fetch.Fault) {
	f.Fault = x.k.mask.fault(fault)
	e := &event{Format: format, Kind: "fault", Method: x.sent.Method, Fault: f.Fault.Kind, Message: x.k.mask.text(fault.Error()), facts: *f}
	main := jsonRecord(newID(), x.uri(), x.sent.At, e)
	if got.Address != "" {
		main.fields = append(main.fields, field{"WARC-IP-Address", got.Address})
	}
	if got.Reached {
		x.k.append(main.entry(f), main, x.requestOf(main))
	} else {
		x.k.append(main.entry(f), main)
	}
}

// requestOf returns the request record, and joins both.
func (x *exchange) requestOf(main *record) *record {
	r := &record{kind: typeRequest, id: newID(), uri: main.uri, date: x.sent.At, media: mediaRequest, head: x.request}
	r.fields = []field{{"WARC-Concurrent-To", main.id}}
	main.fields = append(main.fields, field{"WARC-Concurrent-To", r.id})
	return r
}

// finishAnswer writes an answer with its request.
func (x *exchange) finishAnswer(f *facts, got *traffic.Received) {
	body, header := &x.body, got.Header
	if plain := x.masked(header); plain != nil {
		body, got.Text = plain, nil
		defer plain.close()
	}
	header.Del("Transfer-Encoding")
	if declared := header.Get("Content-Length"); x.sent.Method == http.MethodHead {
		header.Del("Content-Length") // a reader would wait for the body
	} else if declared != "" && got.Cut == "" {
		header.Set("Content-Length", strconv.FormatInt(body.size, 10))
	}
	if header.Get("Content-Length") != strconv.FormatInt(got.Size, 10) && got.Size >= 0 {
		f.Size = &got.Size
	}
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if f.Page && got.Status/100 == 2 && isHTML(media) {
		f.Title = x.k.mask.text(titleOf(body, got.Text, header))
	}
	digest := sha256.New()
	if err := body.writeTo(digest); err != nil {
		x.k.fail(err)
		return
	}
	main := &record{kind: typeResponse, id: newID(), uri: x.uri(), date: x.sent.At, media: mediaResponse, compression: compressionOf(body, media, header.Get("Content-Encoding"))}
	_, reason, _ := strings.Cut(got.Reason, " ")
	main.head = append(make([]byte, 0, 512), "HTTP/1.1 "+strconv.Itoa(got.Status)+" "+oneLine(x.k.mask.text(reason))+"\r\n"...)
	main.head = x.k.mask.appendHeader(main.head, header, got.Order)
	payload := formatDigest(digest)
	main.fields = append(main.fields, field{"WARC-Payload-Digest", payload})
	if got.Address != "" {
		main.fields = append(main.fields, field{"WARC-IP-Address", got.Address})
	}
	if got.Protocol != "" {
		main.fields = append(main.fields, field{"WARC-Protocol", got.Protocol})
	}
	main.fields = append(main.fields, field{factsField, encodeFacts(f)})
	e := main.entry(f)
	e.payload, e.cut, e.size, e.status, e.media = payload, got.Cut, body.size, got.Status, media
	repeats := e.repeats() && body.size >= shortestRevisited
	if first, known := x.k.seen(payload); repeats && known {
		main.revisit(first)
		e.kind, e.body = typeRevisit, first.at
	} else {
		main.body = body
		if got.Cut != "" {
			main.fields = append(main.fields, field{"WARC-Truncated", got.Cut})
		}
	}
	request := x.requestOf(main)
	if x.k.append(e, main, request) && repeats && main.kind == typeResponse {
		x.k.remember(payload, origin{main.id, main.uri, formatDate(main.date), e.section})
	}
}

// masked returns the decoded body with its secrets masked, and changes the header accordingly. It
// is nil if the body shows none.
func (x *exchange) masked(header http.Header) *spool {
	coding := strings.Join(header["Content-Encoding"], ",")
	decoded := fetch.DecodeBody(x.body.reader(), coding, x.k.options.MaxBody)
	shows := x.k.mask.occurs(decoded)
	decoded.Close()
	if !shows {
		return nil
	}
	plain := &spool{}
	decoded = fetch.DecodeBody(x.body.reader(), coding, x.k.options.MaxBody)
	defer decoded.Close()
	limited := io.LimitReader(decoded, x.k.options.MaxBody+1)
	if _, err := x.k.mask.copy(plain, limited); err != nil && plain.err != nil {
		x.k.fail(plain.err)
	}
	header.Del("Content-Encoding")
	return plain
}

// origin is a response whose payload others have as well.
type origin struct {
	id, uri, date string
	at            section
}

// shortestRevisited is the size of the smallest payload that is not written twice.
const shortestRevisited = 256

// revisit makes a response a record without a body, which refers to an earlier one.
func (r *record) revisit(of origin) {
	r.kind = typeRevisit
	r.body = nil
	r.fields = append(r.fields, field{"WARC-Profile", revisitProfile}, field{"WARC-Refers-To", of.id},
		field{"WARC-Refers-To-Target-URI", of.uri}, field{"WARC-Refers-To-Date", of.date})
}
