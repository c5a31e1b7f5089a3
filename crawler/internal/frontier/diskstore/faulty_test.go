package diskstore

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// faulty is an SQLite VFS over the system's files. It can fail changes, and it can record
// them, so that a test can restore the files as a power cut at any instant leaves them.
type faulty struct {
	mu     sync.Mutex
	count  int  // changes so far: writes, truncations, flushes, deletions
	failAt int  // the change that fails; 0 is none
	lasts  bool // all later changes fail too, as on a full disk
	how    fault
	killAt int      // the change at which the process kills itself; 0 is none
	refuse bool     // write-ahead logs cannot be opened, as in a directory that cannot be written
	log    []change // when record is set
	record bool
	files  map[uintptr]string // names of open files
	io     map[uintptr]uintptr
	under  *sqlite3.Tsqlite3_vfs
}

// fault is the way in which a change fails.
type fault int

const (
	noSpace fault = iota // nothing is written: ENOSPC
	ioError              // nothing is written: EIO
	short                // half of it is written: ENOSPC
)

// change is a change of a file.
type change struct {
	kind changeKind
	file string
	at   int64 // offset of a write, or the new size of a truncated file
	data []byte
}

type changeKind int

const (
	written changeKind = iota
	truncated
	flushed
	deleted
)

// layer is the VFS, which has the name "faulty".
var layer = &faulty{files: map[uintptr]string{}, io: map[uintptr]uintptr{}}

// useFaulty makes the test open files through the VFS.
func useFaulty(t testing.TB) *faulty {
	t.Helper()
	if layer.under == nil {
		layer.register(t)
	}
	vfs = "faulty"
	layer.reset()
	t.Cleanup(func() { vfs = ""; layer.reset() })
	return layer
}

// reset ends faults and recording, and sets the count to 0.
func (f *faulty) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.failAt, f.lasts, f.refuse, f.record, f.log = 0, 0, false, false, false, nil
}

// fail makes the change with a number fail, and all later ones if lasts is true.
func (f *faulty) fail(at int, how fault, lasts bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.failAt, f.how, f.lasts = 0, at, how, lasts
}

func (f *faulty) register(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}) {
	tls := libc.NewTLS()
	defer tls.Close()
	if rc := sqlite3.Xsqlite3_initialize(tls); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_initialize: %d", rc)
	}
	under := sqlite3.Xsqlite3_vfs_find(tls, 0)
	f.under = in[sqlite3.Tsqlite3_vfs](under)
	name, err := libc.CString("faulty")
	if err != nil {
		t.Fatal(err)
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*f.under)))
	v := in[sqlite3.Tsqlite3_vfs](p)
	*v = *f.under
	v.FpNext, v.FzName = 0, name
	v.FxOpen = pointerTo(faultyOpen)
	v.FxDelete = pointerTo(faultyDelete)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, p, 0); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_vfs_register: %d", rc)
	}
}

// pointerTo returns a function as the translation of SQLite to Go represents it.
func pointerTo[F any](fn F) uintptr { return *(*uintptr)(unsafe.Pointer(&fn)) }

// in returns the value at an address in SQLite's memory.
func in[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// function is the inverse of pointerTo.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	deleteFunc   = func(tls *libc.TLS, vfs, name uintptr, sync int32) int32
	closeFunc    = func(tls *libc.TLS, file uintptr) int32
	writeFunc    = func(tls *libc.TLS, file, data uintptr, n int32, at sqlite3.Tsqlite3_int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size sqlite3.Tsqlite3_int64) int32
)

// faultyOpen opens a file and replaces the functions for it.
func faultyOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	if layer.refuse && name != 0 && strings.HasSuffix(libc.GoString(name), "-wal") {
		return sqlite3.SQLITE_CANTOPEN
	}
	rc := function[openFunc](layer.under.FxOpen)(tls, vfs, name, file, flags, outFlags)
	opened := in[sqlite3.Tsqlite3_file](file)
	if rc != sqlite3.SQLITE_OK || opened.FpMethods == 0 {
		return rc
	}
	layer.mu.Lock()
	defer layer.mu.Unlock()
	ours := layer.io[opened.FpMethods]
	if ours == 0 {
		ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		m := in[sqlite3.Tsqlite3_io_methods](ours)
		*m = *in[sqlite3.Tsqlite3_io_methods](opened.FpMethods)
		m.FxClose, m.FxWrite = pointerTo(faultyClose), pointerTo(faultyWrite)
		m.FxTruncate, m.FxSync = pointerTo(faultyTruncate), pointerTo(faultySync)
		layer.io[opened.FpMethods] = ours
		layer.io[ours] = opened.FpMethods
	}
	opened.FpMethods = ours
	layer.files[file] = libc.GoString(name)
	return rc
}

// below returns the system's functions for an open file.
func (f *faulty) below(file uintptr) *sqlite3.Tsqlite3_io_methods {
	f.mu.Lock()
	defer f.mu.Unlock()
	ours := in[sqlite3.Tsqlite3_file](file).FpMethods
	return in[sqlite3.Tsqlite3_io_methods](f.io[ours])
}

// step counts a change and reports whether it fails.
func (f *faulty) step(c change) (how fault, fails bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.count == f.killAt {
		killSelf()
	}
	if f.failAt > 0 && (f.count == f.failAt || f.lasts && f.count > f.failAt) {
		return f.how, true
	}
	if f.record {
		f.log = append(f.log, c)
	}
	return 0, false
}

func (f *faulty) name(file uintptr) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[file]
}

func faultyClose(tls *libc.TLS, file uintptr) int32 {
	below := layer.below(file)
	layer.mu.Lock()
	delete(layer.files, file)
	layer.mu.Unlock()
	return function[closeFunc](below.FxClose)(tls, file)
}

func faultyWrite(tls *libc.TLS, file, data uintptr, n int32, at sqlite3.Tsqlite3_int64) int32 {
	write := function[writeFunc](layer.below(file).FxWrite)
	c := change{kind: written, file: layer.name(file), at: at, data: slices.Clone(unsafe.Slice(in[byte](data), n))}
	switch how, fails := layer.step(c); {
	case !fails:
		return write(tls, file, data, n, at)
	case how == short:
		write(tls, file, data, n/2, at)
		return sqlite3.SQLITE_FULL
	case how == noSpace:
		return sqlite3.SQLITE_FULL
	}
	return sqlite3.SQLITE_IOERR_WRITE
}

func faultyTruncate(tls *libc.TLS, file uintptr, size sqlite3.Tsqlite3_int64) int32 {
	if _, fails := layer.step(change{kind: truncated, file: layer.name(file), at: size}); fails {
		return sqlite3.SQLITE_IOERR_TRUNCATE
	}
	return function[truncateFunc](layer.below(file).FxTruncate)(tls, file, size)
}

func faultySync(tls *libc.TLS, file uintptr, flags int32) int32 {
	if _, fails := layer.step(change{kind: flushed, file: layer.name(file)}); fails {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	return sqlite3.SQLITE_OK // a flush takes time, and the files need not survive the test
}

func faultyDelete(tls *libc.TLS, vfs, name uintptr, sync int32) int32 {
	if _, fails := layer.step(change{kind: deleted, file: libc.GoString(name)}); fails {
		return sqlite3.SQLITE_IOERR_DELETE
	}
	return function[deleteFunc](layer.under.FxDelete)(tls, vfs, name, 0)
}

// after returns the files as a power cut after the first n changes may leave them. Changes
// up to the last flush are made. For each later change, coin decides whether it is made as
// a whole, in part, or not at all.
func after(changes []change, n int, begin map[string][]byte, coin func(n int) int) map[string][]byte {
	files := map[string][]byte{}
	for name, data := range begin {
		files[name] = slices.Clone(data)
	}
	safe := map[string]int{} // number of the last flush of a file
	for i, c := range changes[:n] {
		if c.kind == flushed {
			safe[c.file] = i
		}
	}
	for i, c := range changes[:n] {
		data := c.data
		if i >= safe[c.file] {
			switch coin(3) {
			case 0:
				continue
			case 1:
				if c.kind == written {
					data = data[:coin(len(data)/512+1)*512] // whole sectors
				}
			}
		}
		switch c.kind {
		case written:
			file := files[c.file]
			if end := int(c.at) + len(data); len(file) < end {
				file = append(file, make([]byte, end-len(file))...)
			}
			copy(file[c.at:], data)
			files[c.file] = file
		case truncated:
			if file := files[c.file]; int64(len(file)) > c.at {
				files[c.file] = file[:c.at]
			}
		case deleted:
			delete(files, c.file)
		}
	}
	return files
}

// writeFiles writes files, and removes those of the state that are not among them.
func writeFiles(t testing.TB, state string, files map[string][]byte) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(state + suffix)
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
