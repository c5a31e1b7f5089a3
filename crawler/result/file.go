package result

import "os"

// File is a temporary file that is written at its end and read anywhere. It is made with
// the first write. The zero value is ready for use, by one goroutine at a time.
type File struct {
	file   *os.File
	size   int64
	failed error
}

// Write adds bytes at the end. After an error, every further call returns it: the disk is
// full, for example, and what was written before can still be read.
func (f *File) Write(b []byte) (int, error) {
	if f.failed != nil {
		return 0, f.failed
	}
	if f.file == nil {
		if f.file, f.failed = os.CreateTemp("", "orbweaver-"); f.failed != nil {
			f.file = nil
			return 0, f.failed
		}
		_ = os.Remove(f.file.Name()) // where that is possible; Close removes it elsewhere
	}
	n, err := f.file.WriteAt(b, f.size)
	if err != nil {
		f.failed = err
		return 0, err
	}
	f.size += int64(n)
	return n, nil
}

// hasFailed reports whether the file could not be made or written.
func (f *File) hasFailed() bool { return f.failed != nil }

// Size returns the number of bytes that were written.
func (f *File) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

// Close removes the file.
func (f *File) Close() {
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
	*f = File{}
}
