// Package shards keeps the state of a crawl on several servers, in a file for each.
//
// The first file has the name of the state, and the others have a number in their names. Each is a
// diskstore.Store that follows the log of its server alone (diskstore.Replica). So each server has a
// recorder of its own, no step concerns two files, and a file may be ahead of another one.
//
//	log of server 1 ──► crawl.sqlite    its targets, and those of others that its pages refer to ─┐
//	log of server 2 ──► crawl-2.sqlite  likewise                                                  ├─ State ──► report
//	log of server 3 ──► crawl-3.sqlite  likewise                                                 ─┘
//
// State joins them: it reads their targets as those of one store.
//
// Create and Open make a state of several files; a state of one file is a diskstore.Store, and Open
// returns that.
package shards

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// place says which of the files of a state one is.
type place struct {
	state  string // that all files of the state have
	number int    // from 1
	of     int
}

// placeValue is the name of the value with the place of a file. It is missing in a file that is the only
// one.
const placeValue = "shard"

// parsePlace reads the value.
func parsePlace(value []byte) (p place, err error) {
	if value == nil {
		return place{number: 1, of: 1}, nil
	}
	n, err := fmt.Sscanf(string(value), "%s %d %d", &p.state, &p.number, &p.of)
	if n != 3 || err != nil || p.number < 1 || p.number > p.of || p.of > redisstore.MaxServers {
		return p, fmt.Errorf("%w: it does not say which file of a state it is", diskstore.ErrDamaged)
	}
	return p, nil
}

// FileOf returns the name of file number n of a state, from 1, by the name of the first one.
func FileOf(first string, n int) string {
	if n == 1 {
		return first
	}
	ending := filepath.Ext(first)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(first, ending), n, ending)
}

// Create makes the files of a crawl on so many servers. The first file has the values, and appears when the
// others are there. A nil key is a new one.
func Create(file string, servers int, w frontier.Width, key *[16]byte, values map[string][]byte) error {
	if exists(file) {
		return fmt.Errorf("create the state: %w", &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist})
	}
	if key == nil {
		key = new([16]byte)
		rand.Read(key[:]) // never fails
	}
	state := rand.Text()
	for n := servers; n > 0; n-- {
		own := map[string][]byte{placeValue: fmt.Appendf(nil, "%s %d %d", state, n, servers)}
		if n == 1 {
			maps.Copy(own, values)
		} else if err := diskstore.Remove(FileOf(file, n)); err != nil { // of a process that was killed
			return err
		}
		s, err := diskstore.CreateWithKey(FileOf(file, n), w, *key, own)
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Valued is a store with values: a State, or the diskstore.Store of a state that is one file.
type Valued interface {
	frontier.Store
	Value(name string) ([]byte, error)
}

// Open opens a state, all of whose files open opens. The error is diskstore.ErrDamaged if one of several is
// missing.
func Open(file string, open func(string) (*diskstore.Store, error)) (Valued, error) {
	first, err := open(file)
	if err != nil {
		return nil, err
	}
	p, err := placeOf(file, first)
	if err == nil && p.number != 1 {
		err = fmt.Errorf("open the state %s: it is file %d of %d of a crawl: name the first one", file, p.number, p.of)
	}
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	if p.of == 1 {
		return first, nil
	}
	s := &State{Store: first, files: []*diskstore.Store{first}}
	for n := 2; n <= p.of; n++ {
		more, err := openOne(FileOf(file, n), open, place{p.state, n, p.of})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.files = append(s.files, more)
	}
	s.Refresh()
	return s, nil
}

// openOne opens a further file of a state.
func openOne(file string, open func(string) (*diskstore.Store, error), want place) (*diskstore.Store, error) {
	s, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the state %s: %w: it is missing, and has a part of the crawl", file, diskstore.ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	p, err := placeOf(file, s)
	if err == nil && p != want {
		err = fmt.Errorf("open the state %s: %w: it belongs to another crawl than the files beside it", file, diskstore.ErrDamaged)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func placeOf(file string, s interface{ Value(string) ([]byte, error) }) (place, error) {
	value, err := s.Value(placeValue)
	if err != nil {
		return place{}, err
	}
	p, err := parsePlace(value)
	if err != nil {
		err = fmt.Errorf("open the state %s: %w", file, err)
	}
	return p, err
}

// OpenPages is diskstore.OpenPages. It refuses a state of several files: the next crawl reads all pages.
func OpenPages(file string) (*diskstore.Pages, error) {
	pages, err := diskstore.OpenPages(file)
	if err != nil {
		return nil, err
	}
	p, err := placeOf(file, pages)
	if err == nil && p.of > 1 {
		err = fmt.Errorf("open the state %s: it is one of %d files", file, p.of)
	}
	if err != nil {
		return nil, errors.Join(err, pages.Close())
	}
	return pages, nil
}

// Remove removes a state, with all its files. No process may use it.
func Remove(file string) error {
	for n := redisstore.MaxServers; n > 0; n-- {
		if err := diskstore.Remove(FileOf(file, n)); err != nil {
			return err
		}
	}
	return nil
}

// Move renames a state, with all its files. A state with the new name is replaced. The first file comes last:
// after a crash, Move can be called again.
func Move(from, to string) error {
	value, err := diskstore.ReadValue(from, placeValue)
	if err != nil {
		return err
	}
	p, err := parsePlace(value)
	if err != nil {
		return fmt.Errorf("rename the state %s: %w", from, err)
	}
	for n := redisstore.MaxServers; n > 1; n-- {
		switch {
		case n > p.of:
			err = diskstore.Remove(FileOf(to, n))
		case exists(FileOf(from, n)):
			err = diskstore.Move(FileOf(from, n), FileOf(to, n))
		}
		if err != nil {
			return err
		}
	}
	return diskstore.Move(from, to)
}

// SetAside renames a state that cannot be used, with all its files, and returns the new name of the first.
func SetAside(file string) (string, error) {
	name, err := diskstore.SetAside(file)
	for n := 2; err == nil && n <= redisstore.MaxServers; n++ {
		if exists(FileOf(file, n)) {
			err = diskstore.Move(FileOf(file, n), FileOf(name, n))
		}
	}
	return name, err
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}
