package runs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Event is something that happened in a run.
type Event struct {
	ID   int64           // increasing; the same for every reader
	Type string          // progress, finding or state
	Data json.RawMessage // one line
}

// Events is the history of one run in a file that is only appended to, one line for each
// event: its type, a tab, and JSON. The ID of an event is the place in the file at which its
// line ends, so a reader that knows an ID can continue without reading what precedes it. It
// is safe for concurrent use.
type Events struct {
	mu      sync.Mutex
	file    *os.File
	size    int64
	changed chan struct{} // closed at the next event
	over    bool
	told    time.Time // the last event of progress
}

// openEvents opens the events of a run. A line that a kill has cut short is removed.
func openEvents(name string) (*Events, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the events: %w", err)
	}
	e := &Events{file: f, changed: make(chan struct{})}
	if e.size, err = lastLineEnd(f); err == nil {
		err = f.Truncate(e.size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open the events: %w", err)
	}
	return e, nil
}

// lastLineEnd returns the place behind the last line end of a file.
func lastLineEnd(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	const step = 4096
	block := make([]byte, step)
	for end := info.Size(); end > 0; {
		begin := max(0, end-step)
		n, err := f.ReadAt(block[:end-begin], begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return 0, nil
}

// Append adds an event and wakes the readers.
func (e *Events) Append(kind string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	line := eventLine(kind, data)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return errors.New("write an event: the run is over")
	}
	if _, err := e.file.WriteAt(line, e.size); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	e.size += int64(len(line))
	close(e.changed)
	e.changed = make(chan struct{})
	return nil
}

// AppendProgress adds an event of progress, unless the last one is less than progressEvery old.
func (e *Events) AppendProgress(p api.Progress) error {
	e.mu.Lock()
	early := time.Since(e.told) < progressEvery
	if !early {
		e.told = time.Now()
	}
	e.mu.Unlock()
	if early {
		return nil
	}
	return e.Append("progress", p)
}

func eventLine(kind string, data []byte) []byte {
	line := make([]byte, 0, len(kind)+len(data)+2)
	line = append(append(line, kind...), '\t')
	return append(append(line, data...), '\n')
}

// close closes the file. Readers have their own; they wake, and see that nothing follows.
func (e *Events) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.over = true
		close(e.changed)
	}
	return e.file.Close()
}

func (e *Events) closed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.over
}

// wait returns the size of the file, and a channel that is closed when it grows.
func (e *Events) wait() (int64, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size, e.changed
}

// Reader reads the events of a run.
type Reader struct {
	file *os.File
	at   int64
	live *Events // nil when the run has ended
}

// maxEvents is the number of events that a reader returns at once.
const maxEvents = 1000

// maxLine is the maximum length of an event, in bytes.
const maxLine = 16 << 20

// Next returns the events that are known and were not read, without those of progress that
// a later one replaces. If there are none, it returns a channel that is closed when there
// may be, or nil if the run has ended.
func (r *Reader) Next() ([]Event, <-chan struct{}, error) {
	var changed <-chan struct{}
	var size int64
	if r.live != nil {
		size, changed = r.live.wait()
	} else {
		info, err := r.file.Stat()
		if err != nil {
			return nil, nil, err
		}
		size = info.Size()
	}
	if r.at >= size {
		return nil, changed, nil
	}
	from := max(0, r.at-1) // with the end of the line before
	lines := bufio.NewScanner(io.NewSectionReader(r.file, from, size-from))
	lines.Buffer(nil, maxLine)
	if from < r.at && lines.Scan() { // it is empty, unless the reader asked for a place within a line
		r.at = from + int64(len(lines.Bytes())) + 1
	}
	var events []Event
	for len(events) < maxEvents && lines.Scan() {
		line := lines.Bytes()
		r.at += int64(len(line)) + 1
		kind, data, found := bytes.Cut(line, []byte("\t"))
		if !found || !json.Valid(data) {
			continue
		}
		event := Event{ID: r.at, Type: string(kind), Data: json.RawMessage(bytes.Clone(data))}
		if last := len(events) - 1; last >= 0 && event.Type == "progress" && events[last].Type == "progress" {
			events[last] = event
			continue
		}
		events = append(events, event)
	}
	return events, changed, lines.Err()
}

// Ended reports whether the run has ended and the reader has read all events.
func (r *Reader) Ended() bool {
	if r.live == nil {
		return true
	}
	size, _ := r.live.wait()
	return r.live.closed() && r.at >= size
}

// Close closes the reader.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// emitted returns the fingerprints of the findings that the events of a run have.
func emitted(name string) (map[string]bool, error) {
	seen := map[string]bool{}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return seen, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "finding\t")
		if !found {
			continue
		}
		var finding struct {
			Fingerprint string `json:"fingerprint"`
		}
		if json.Unmarshal([]byte(data), &finding) == nil { // else it is the line that was cut short
			seen[finding.Fingerprint] = true
		}
	}
	return seen, lines.Err()
}

// lastState returns the state in the last event of state, "" for none.
func (e *Events) lastState() (api.State, error) {
	const tail = 1 << 20 // longer than what can follow an event of state
	begin := max(0, e.size-tail)
	block := make([]byte, e.size-begin)
	if _, err := e.file.ReadAt(block, begin); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line := block[bytes.LastIndexByte(bytes.TrimSuffix(block, []byte("\n")), '\n')+1:]
	data, found := bytes.CutPrefix(line, []byte("state\t"))
	if !found {
		return "", nil
	}
	var run struct{ State api.State }
	err := json.Unmarshal(data, &run)
	return run.State, err
}
