package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// Options say what is kept, and where.
type Options struct {
	Path string // its name decides the form; see CheckName
	All  bool   // keep every exchange, not only those of findings
	// MaxSize bounds what is kept, in compressed bytes.
	MaxSize int64
	// MaxBody bounds a body that must be decoded, in bytes.
	MaxBody  int64
	Targets  []string // as the user named them
	Software string   // such as "orbweaver/1.0"
	Secrets  Secrets
	// Earlier is the file with what earlier sessions of the crawl asked; "" for a crawl without a
	// state. Resumes is set if there were any.
	Earlier string
	Resumes bool
	// Apart is set if another process judges what this one asks.
	Apart bool
	// Lock locks the file that is written, until it is closed or the process ends, and reports
	// false if another process holds it. nil locks nothing; then the caller keeps two runs from writing
	// one file.
	Lock func(*os.File) (held bool, err error)
	Note io.Writer // gets lines about what is left out
}

// Run is what is known at the end of a run.
type Run struct {
	Complete bool
	Over     bool     // the crawl is over, so that no other session goes on with it
	Starts   []string // printed URLs of the start targets
}

// Keeper keeps the exchanges of one run. It is a fetch.Recorder, and safe for concurrent use.
type Keeper struct {
	options Options
	place   *place
	mask    *mask
	judged  verdicts
	maxData int64 // size of the largest WARC file in a WACZ

	mu      sync.Mutex
	part    *partFile         // nil at the end
	err     error             // why nothing is kept any more
	digests map[string]origin // of payloads
	left    int               // exchanges that were left out

	session  int // of the crawl, from 1
	known    result.Sorted[*entry]
	count    int             // of known
	payloads map[uint64]bool // whether several exchanges have it; see textKey
}

// maxDigests is the maximum number of payloads that are remembered, so that they are not written
// twice. When there are more, all are forgotten.
const maxDigests = 1 << 14

// maxPart is how many times larger than what is kept the file with everything may be. A crawl
// without an end must not fill the disk.
const maxPart = 8

// Create begins to keep. It replaces only files that this program wrote. The caller calls Finish
// or Abandon.
func Create(o Options) (*Keeper, error) {
	place, err := openPlace(o)
	if err != nil {
		return nil, err
	}
	k := &Keeper{options: o, place: place, mask: newMask(o.Secrets), maxData: maxData, digests: map[string]origin{}, known: result.Sorted[*entry]{Order: byTarget{}}, payloads: map[uint64]bool{}}
	file, size, err := place.createPart(k.scan)
	if err != nil {
		k.known.Close()
		place.close()
		return nil, err
	}
	k.part = &partFile{File: file, size: size, timer: time.AfterFunc(maxLateTime, k.flush), prompt: o.Earlier != ""}
	k.part.timer.Stop()
	k.judged = verdicts{wanted: map[uint64]bool{}, hops: map[string]*hop{}, mask: k.mask}
	k.session++
	k.append(nil, infoRecord(o.Software, time.Now(), k.about()))
	k.flush() // so that the file says whose it is
	return k, nil
}

// about returns what is known of the run from its start.
func (k *Keeper) about() aboutRun {
	run := aboutRun{Of: "findings", Targets: make([]string, len(k.options.Targets))}
	if k.options.All {
		run.Of = "all"
	}
	for i, target := range k.options.Targets {
		run.Targets[i] = k.mask.url(target)
	}
	return run
}

// append appends records, all or none, and reports whether it did. A failed write ends the keeping. e, if not
// nil, is what is known of the first record; the other is its request.
func (k *Keeper) append(e *entry, records ...*record) bool {
	var b spool // large records go to its file, so that other exchanges need not wait
	defer b.close()
	first := int64(0)
	for i, r := range records {
		if err := r.write(&b); err != nil {
			k.fail(err)
			return false
		}
		if i == 0 {
			first = b.size
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.err != nil:
		return false
	case k.part.size+b.size > maxPart*k.options.MaxSize:
		k.left++
		return false
	}
	at := k.part.size
	if err := k.part.append(&b); err != nil {
		k.failLocked(err)
		return false
	}
	if e != nil {
		e.section, e.request, e.session = section{at, first}, b.size-first, k.session
		k.addKnown(e)
	}
	return true
}

// appendEvent appends an exchange that is no answer over HTTP.
func (k *Keeper) appendEvent(uri string, at time.Time, e *event) {
	r := jsonRecord(newID(), uri, at, e)
	k.append(r.entry(&e.facts), r)
}

// fail ends the keeping: what was appended so far is whole.
func (k *Keeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if late := k.part.write(); late != nil {
		err = late
	}
	k.failLocked(err)
}

// flush writes the records that are not in PATH.part yet.
func (k *Keeper) flush() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil || k.part == nil {
		return
	}
	if err := k.part.write(); err != nil {
		k.failLocked(err)
	}
}

func (k *Keeper) failLocked(err error) {
	if k.err == nil {
		k.err = err
		k.part.cut()
		fmt.Fprintf(k.options.Note, "%v; the run goes on without it\n", k.failure())
	}
}

// failure returns the error of a Keeper that has failed, nil if it has not.
func (k *Keeper) failure() error {
	if k.err == nil {
		return nil
	}
	cause := k.err
	var p *os.PathError
	if errors.As(cause, &p) {
		cause = p.Err
	}
	return fmt.Errorf("the evidence cannot be written to %s: %w", k.options.Path, cause)
}

func (k *Keeper) seen(payload string) (origin, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	first, known := k.digests[payload]
	return first, known
}

func (k *Keeper) remember(payload string, first origin) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.digests) >= maxDigests {
		clear(k.digests)
	}
	if _, known := k.digests[payload]; !known {
		k.digests[payload] = first
	}
}

// Judged notes a result of the run. It must not be called by several goroutines at once.
func (k *Keeper) Judged(r *result.Result) {
	if k == nil {
		return
	}
	if j := k.judged.add(r); j != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.addKnown(&entry{facts: facts{For: document(j.url)}, judged: j})
	}
}

// Abandon ends the keeping of a run that did not begin, or could not go on. It leaves nothing behind,
// unless another session of the crawl may go on with it. After Finish it does nothing.
func (k *Keeper) Abandon() {
	if k == nil || k.part == nil {
		return
	}
	k.endPart(k.options.Earlier == "")
	k.place.close()
}

// endPart closes PATH.part, and removes it if it is of no more use: while it is locked, so that it is not
// another run's by then.
func (k *Keeper) endPart(remove bool) {
	k.flush()
	k.mu.Lock()
	part := k.part
	k.part = nil
	k.mu.Unlock()
	part.stop()
	k.known.Close()
	remains := remove && os.Remove(part.Name()) != nil
	part.Close()
	if remains {
		_ = os.Remove(part.Name()) // Windows removes no open file
	}
}

// encodeFacts returns facts as one line.
func encodeFacts(f *facts) string {
	text, _ := json.Marshal(f)
	return string(text)
}
