package archiving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// State is what is known of a copy.
type State string

// The states of a URL.
const (
	Submitted State = "submitted" // in the log: it was sent, or is about to be
	Archived  State = "archived"
	Failed    State = "failed"
	Pending   State = "pending" // in a Result: the service has not said yet
)

// Entry is a line of a Log.
type Entry struct {
	URL   string    `json:"url"`
	State State     `json:"state"`          // Submitted, Archived or Failed
	Job   string    `json:"job,omitempty"`  // the service's name of the submission; "" until it answers
	Copy  string    `json:"copy,omitempty"` // the address of the copy
	Time  time.Time `json:"time"`           // of the copy, or of the line if there is none
	Error string    `json:"error,omitempty"`
}

// Entries are the last lines about each URL of a log.
type Entries struct {
	ByURL map[string]Entry
	// Cut is the number of a last line that is not whole, because the program was killed while
	// it wrote it; 0 if there is none. It is left out.
	Cut  int
	size int64 // of the whole lines
}

// maxLog is the maximum size of a log, in bytes.
const maxLog = 256 << 20

// mayOpen returns an error unless a log is a regular file, or is not there. The usual name of a log may be that of a
// named pipe, or of a link out of a tree that comes from a stranger.
func mayOpen(name string) error {
	switch info, err := os.Lstat(name); {
	case err != nil:
		return nil // opening it tells
	case !info.Mode().IsRegular():
		return fmt.Errorf("open %s: it is not a regular file", name)
	case info.Size() > maxLog:
		return fmt.Errorf("open %s: it is larger than %d MiB", name, maxLog>>20)
	}
	return nil
}

// ReadLog reads a log. Its errors name the file.
func ReadLog(name string) (*Entries, error) {
	if err := mayOpen(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLog(f)
}

func readLog(f *os.File) (*Entries, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	known := &Entries{ByURL: map[string]Entry{}}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e Entry
		switch err := json.Unmarshal(line, &e); {
		case !bytes.HasSuffix(line, []byte("\n")) && (n > 1 || beginsEntry(line)):
			known.Cut = n
			return known, nil
		case err != nil || e.URL == "":
			return nil, fmt.Errorf("read %s: line %d is not a line of this log", f.Name(), n)
		}
		known.ByURL[e.URL] = e
		known.size += int64(len(line))
	}
	return known, nil
}

// beginsEntry reports whether a first line may be the beginning of one of this log, and not that of
// a file which belongs to another program.
func beginsEntry(line []byte) bool {
	begins := []byte(`{"url":"`)
	line = bytes.ReplaceAll(line, []byte(" "), nil)
	n := min(len(line), len(begins))
	return bytes.Equal(line[:n], begins[:n])
}

// Log is an open log.
type Log struct {
	Entries
	File *os.File // for locking it
}

// OpenLog opens a log for reading and writing, and makes it if it is not there. A last line that
// is cut is removed with the first line that is added. Its errors name the file.
func OpenLog(name string) (*Log, error) {
	if err := mayOpen(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	known, err := readLog(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Log{Entries: *known, File: f}, nil
}

// add appends a line and syncs it.
func (l *Log) add(e Entry) error {
	e.Time = e.Time.UTC().Truncate(time.Second)
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if err := errors.Join(l.File.Truncate(l.size), writeAt(l.File, line, l.size), l.File.Sync()); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	l.size += int64(len(line))
	l.ByURL[e.URL] = e
	return nil
}

func writeAt(f *os.File, data []byte, at int64) error {
	_, err := f.WriteAt(data, at)
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.File.Close() }
