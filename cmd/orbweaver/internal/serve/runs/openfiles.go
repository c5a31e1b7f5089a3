package runs

import (
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
)

// mostOpen is the number of files of findings that are kept open.
const mostOpen = 8

// openFiles keeps the files of findings open that were used last, with the counts that they
// know. It is safe for concurrent use.
type openFiles struct {
	mu    sync.Mutex
	files map[string]*openFile
	clock int
}

type openFile struct {
	index *findings.Index
	users int
	used  int  // the time of the last use
	gone  bool // it is closed after its last user
}

func newOpenFiles() *openFiles { return &openFiles{files: map[string]*openFile{}} }

func (o *openFiles) open(name string) (*findings.Index, func(), error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.files[name]
	if f == nil {
		index, err := findings.Open(name)
		if err != nil {
			return nil, nil, err
		}
		f = &openFile{index: index}
		o.makeRoom()
		o.files[name] = f
	}
	o.clock++
	f.users++
	f.used = o.clock
	return f.index, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		f.users--
		f.closeIfGone()
	}, nil
}

// makeRoom forgets the file that was not used for the longest time. The caller holds mu.
func (o *openFiles) makeRoom() {
	if len(o.files) < mostOpen {
		return
	}
	oldest := ""
	for name, f := range o.files {
		if oldest == "" || f.used < o.files[oldest].used {
			oldest = name
		}
	}
	o.drop(oldest)
}

func (o *openFiles) drop(name string) {
	if f := o.files[name]; f != nil {
		delete(o.files, name)
		f.gone = true
		f.closeIfGone()
	}
}

func (f *openFile) closeIfGone() {
	if f.gone && f.users == 0 {
		_ = f.index.Close() // it was only read
	}
}

// forget closes a file that is replaced or removed.
func (o *openFiles) forget(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop(name)
}

func (o *openFiles) closeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range o.files {
		o.drop(name)
	}
}
