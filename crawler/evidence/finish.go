package evidence

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// headerFields are the fields of an answer.
type headerFields = http.Header

// Finish writes what is kept of the run to its place. If that fails, PATH.part stays.
func (k *Keeper) Finish(run Run) error {
	if k == nil || k.part == nil {
		return nil
	}
	k.flush()
	err := k.failure()
	if err == nil {
		if err = k.finish(run); err != nil {
			k.err = err
			err = k.failure()
		}
	}
	if err == nil && run.Over {
		err = k.place.forget()
	} else if err == nil {
		err = k.place.keepForLater(k.part.File)
	}
	k.endPart(err == nil)
	return err
}

func (k *Keeper) finish(run Run) error {
	c, err := k.choose(run)
	if err != nil {
		return err
	}
	if c.left > 0 {
		fmt.Fprintf(k.options.Note, "--evidence-max: %d exchanges were left out of %s\n", c.left, k.options.Path)
	}
	out, err := k.place.create()
	if err != nil {
		return err
	}
	w := &writer{k: k, out: out, part: k.part.File, now: time.Now(), about: k.about(), buf: make([]byte, partSize),
		index: result.Sorted[string]{Order: lineOrder{}}, pages: result.Sorted[string]{Order: lineOrder{}}}
	defer w.index.Close()
	defer w.pages.Close()
	w.about.Complete, w.about.LeftOut = run.Complete && c.left == 0, c.left
	if err = w.write(c); err == nil {
		err = w.finish()
	}
	if err != nil {
		return errors.Join(err, out.abandon())
	}
	return out.commit()
}

// writer writes what was chosen.
type writer struct {
	k     *Keeper
	out   output
	part  *os.File
	now   time.Time
	about aboutRun

	data    *dataWriter
	files   int
	written map[string]origin // payloads in the file that several exchanges have
	index   result.Sorted[string]
	pages   result.Sorted[string] // each URL, NUL, and its line
	buf     []byte                // for copy
	told    bytes.Buffer          // for verdict
}

// copy copies records as they are.
func (w *writer) copy(from section) error {
	_, err := io.CopyBuffer(w.data, io.NewSectionReader(w.part, from.offset, from.length), w.buf)
	return err
}

// dataWriter writes a WARC file, and counts what is written to it. A goroutine of its own computes the digest and
// writes, while further records are read.
type dataWriter struct {
	name  string
	w     *bufio.Writer
	n     int64
	pipe  *io.PipeWriter
	ended chan error // receives the result of the goroutine
}

func newDataWriter(name string, to io.Writer) *dataWriter {
	r, pipe := io.Pipe()
	d := &dataWriter{name: name, w: bufio.NewWriterSize(pipe, dataPart), pipe: pipe, ended: make(chan error, 1)}
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{r}, make([]byte, dataPart))
		r.CloseWithError(err)
		d.ended <- err
	}()
	return d
}

func (d *dataWriter) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.n += int64(n)
	return n, err
}

// close writes the rest, and ends the goroutine.
func (d *dataWriter) close() error {
	err := d.w.Flush()
	d.pipe.Close()
	if ended := <-d.ended; err == nil {
		err = ended
	}
	return err
}

// dataPart is how much is written to a WARC file at once, in bytes.
const dataPart = 256 << 10

// maxData is the size of the largest WARC file in a WACZ.
const maxData = 1 << 30

// open begins a WARC file, unless there is room in the last one for records of a length.
func (w *writer) open(length int64) error {
	if w.data != nil && (w.k.place.form == formWARC || w.data.n+length < w.k.maxData-verdictCost) {
		return nil
	}
	if err := w.end(); err != nil {
		return err
	}
	name := dataFile(w.files)
	to, err := w.out.file(name)
	if err != nil {
		return err
	}
	w.data, w.written = newDataWriter(name[len(archiveDir)+1:], to), map[string]origin{}
	w.files++
	return infoRecord(w.k.options.Software, w.now, w.about).write(w.data)
}

// end ends the last WARC file.
func (w *writer) end() error {
	if w.data == nil {
		return nil
	}
	last := w.data
	w.data = nil
	return last.close()
}

// write writes all records.
func (w *writer) write(c *choice) error {
	err := w.open(0)
	if err == nil {
		err = w.k.eachTarget(func(first int, known []*entry) error { return w.target(c.fits[first:], known) })
	}
	return cmp.Or(err, w.end())
}

// target writes what fits of a target: the exchanges of its visits, its verdicts, and other exchanges.
func (w *writer) target(fits []bool, known []*entry) error {
	var visits []string
	var last *entry
	write := func(rank int) error {
		for i, e := range known {
			if !fits[i] || e.rank() != rank {
				continue
			}
			if err := w.exchange(e); err != nil {
				return err
			}
			if rank == rankVisit {
				visits, last = append(visits, e.id), e
			}
		}
		return nil
	}
	if err := write(rankVisit); err != nil {
		return err
	}
	if last != nil && !w.k.options.Apart {
		if err := w.verdicts(last, visits, known); err != nil {
			return err
		}
	}
	return write(rankBeside)
}

// verdicts writes the verdicts on a target. One without a result is ok, unless a target with another
// verdict redirected to it, and it failed.
func (w *writer) verdicts(last *entry, visits []string, known []*entry) error {
	told := false
	for _, e := range known {
		if e.rank() == rankVerdict {
			told = true
			if err := w.verdict(e.judged, last.facts.For, visits); err != nil {
				return err
			}
		}
	}
	if hop := w.k.judged.hops[last.facts.For]; told || hop != nil && hop.failed && last.status/100 != 2 {
		return nil
	}
	return w.verdict(&judged{url: last.facts.For, verdict: check.OK, code: check.CodeOK}, last.facts.For, visits)
}

// verdictBlock is the block of a record about a verdict.
type verdictBlock struct {
	Format    string   `json:"orbweaver"`
	Kind      string   `json:"kind"`
	Target    string   `json:"target"`
	Verdict   string   `json:"verdict"`
	Code      string   `json:"code"`
	Exchanges []string `json:"exchanges"`
}

func (w *writer) verdict(j *judged, target string, visits []string) error {
	v := verdictBlock{format, "verdict", j.url, j.verdict.String(), string(j.code), slices.Clone(visits)}
	for _, url := range j.hops {
		if url == target {
			continue
		}
		for _, id := range w.k.judged.hops[url].ids {
			if !slices.Contains(v.Exchanges, id) {
				v.Exchanges = append(v.Exchanges, id)
			}
		}
	}
	w.told.Reset()
	if err := jsonRecord(newID(), document(j.url), w.now, v).write(&w.told); err != nil {
		return err
	}
	if err := w.open(int64(w.told.Len())); err != nil {
		return err
	}
	_, err := w.data.Write(w.told.Bytes())
	return err
}

// exchange writes one exchange. A body that is in the file already is not written again.
func (w *writer) exchange(e *entry) error {
	if err := w.open(e.length + e.request + e.body.length); err != nil {
		return err
	}
	first, known := w.written[e.payload]
	offset := w.data.n
	var err error
	switch again := known && e.repeats(); {
	case again && (e.kind == typeRevisit || e.size >= shortestRevisited):
		e.kind = typeRevisit
		err = w.rewrite(e, section{}, &first)
	case e.kind == typeRevisit:
		e.kind = typeResponse
		err = w.rewrite(e, e.body, nil)
	default:
		err = w.copy(e.section)
	}
	if err != nil {
		return err
	}
	w.describe(e, section{offset, w.data.n - offset})
	if !known && e.repeats() && w.k.payloads[textKey(e.payload)] {
		w.written[e.payload] = origin{e.id, e.uri, formatDate(e.date), section{}}
	}
	if e.request > 0 {
		err = w.copy(section{e.offset + e.length, e.request})
	}
	return err
}

// keptFields are the fields of a response or revisit that stay when it becomes the other.
var keptFields = []string{"WARC-Payload-Digest", "WARC-IP-Address", "WARC-Protocol", factsField, "WARC-Concurrent-To"}

// rewrite writes a revisit as the response that it stands for, with the body of another record,
// or a response as a revisit of the first record with its payload.
func (w *writer) rewrite(e *entry, body section, first *origin) error {
	m, err := e.open(w.part)
	if err != nil {
		return err
	}
	r := &record{kind: typeResponse, id: e.id, uri: e.uri, date: e.date, media: mediaResponse}
	for _, name := range keptFields {
		if value := m.field(name); value != "" {
			r.fields = append(r.fields, field{name, value})
		}
	}
	head, err := headOf(m.text())
	if err != nil {
		return err
	}
	r.head = head
	if first != nil {
		r.revisit(*first)
		return r.write(w.data)
	}
	if body.length == 0 {
		return errors.New("a body that is in the file once is missing")
	}
	kept := &spool{}
	defer kept.close()
	from, err := body.open(w.part)
	if err != nil {
		return err
	}
	lines := from.text()
	if _, err = headOf(lines); err == nil {
		_, err = io.Copy(kept, lines)
	}
	if err != nil {
		return err
	}
	r.body = kept
	return r.write(w.data)
}

// headOf reads the head of an answer, with the empty line.
func headOf(r *bufio.Reader) ([]byte, error) {
	var head []byte
	for {
		part, err := r.ReadSlice('\n')
		if head = append(head, part...); len(head) > maxHead {
			return nil, errors.New("a header is too long")
		}
		if err != nil && err != bufio.ErrBufferFull {
			return head, err
		}
		if bytes.HasSuffix(head, []byte("\r\n\r\n")) {
			return head, nil
		}
	}
}

// output receives the files of the end.
type output interface {
	// file begins a file, and ends the one before.
	file(name string) (io.Writer, error)
	commit() error
	abandon() error
}

// create creates the output of a place.
func (p *place) create() (output, error) {
	switch p.form {
	case formWARC:
		return createFile(p.path)
	case formWACZ:
		return createZip(p.path)
	}
	return createDir(p.path)
}

// fileOutput is a WARC file. The other files are left out.
type fileOutput struct {
	f    *os.File
	path string
}

func createFile(path string) (*fileOutput, error) {
	f, err := createUnfinished(path)
	if err == nil {
		err = f.Chmod(0o600)
	}
	return &fileOutput{f, path}, err
}

func (o *fileOutput) file(name string) (io.Writer, error) {
	if name != dataFile(0) {
		return io.Discard, nil
	}
	return o.f, nil
}

func (o *fileOutput) commit() error {
	if err := errors.Join(o.f.Sync(), o.f.Close()); err != nil {
		return errors.Join(err, os.Remove(o.f.Name()))
	}
	return os.Rename(o.f.Name(), o.path)
}

func (o *fileOutput) abandon() error {
	o.f.Close()
	return os.Remove(o.f.Name())
}

// hashed is a file with its digest.
type hashed struct {
	name string
	to   io.Writer
	sum  interface {
		io.Writer
		Sum([]byte) []byte
	}
	n int64
}

func newHashed(name string, to io.Writer) *hashed {
	return &hashed{name: name, to: to, sum: sha256.New()}
}

func (h *hashed) Write(p []byte) (int, error) {
	n, err := h.to.Write(p)
	h.sum.Write(p[:n])
	h.n += int64(n)
	return n, err
}

func (h *hashed) digest() string { return fmt.Sprintf("sha256:%x", h.sum.Sum(nil)) }
