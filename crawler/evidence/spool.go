package evidence

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"io"
	"os"
	"sync"
)

// maxInMemory is how many bytes of a body are held in memory.
const maxInMemory = 1 << 20

// spool holds a body until its exchange ends: in memory, and if it is large, in a file that has no
// name. The file is encrypted with a key that is never stored, as secrets are masked only when
// the body is complete.
type spool struct {
	memory []byte
	file   *os.File
	block  cipher.Block
	enc    cipher.Stream
	size   int64
	err    error
}

func (s *spool) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.file == nil && len(s.memory)+len(p) > maxInMemory {
		s.err = s.open()
	}
	if s.err == nil && s.file == nil {
		if s.memory == nil {
			s.memory = (*spoolMemory.Get().(*[]byte))[:0]
		}
		s.memory = append(s.memory, p...)
	} else if s.err == nil {
		s.err = s.append(p)
	}
	if s.err != nil {
		return 0, s.err
	}
	s.size += int64(len(p))
	return len(p), nil
}

// open moves the body to a file.
func (s *spool) open() error {
	var key [32]byte
	rand.Read(key[:])
	var err error
	if s.block, err = aes.NewCipher(key[:]); err != nil {
		return err
	}
	if s.file, err = os.CreateTemp("", "orbweaver-evidence-*"); err != nil {
		return err
	}
	_ = os.Remove(s.file.Name()) // where an open file can be removed, nothing is left even after a crash
	s.enc = s.stream()
	memory := s.memory
	s.memory = nil
	return s.append(memory)
}

func (s *spool) stream() cipher.Stream { return cipher.NewCTR(s.block, make([]byte, aes.BlockSize)) }

func (s *spool) append(p []byte) error {
	hidden := make([]byte, len(p))
	s.enc.XORKeyStream(hidden, p)
	_, err := s.file.Write(hidden)
	return err
}

// reader returns the body from its beginning.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return cipher.StreamReader{S: s.stream(), R: io.NewSectionReader(s.file, 0, s.size)}
}

// writeTo writes the body to w.
func (s *spool) writeTo(w io.Writer) error {
	if s.file == nil {
		_, err := w.Write(s.memory)
		return err
	}
	_, err := io.Copy(w, s.reader())
	return err
}

// spoolMemory has memory for reuse, as each exchange needs some.
var spoolMemory = sync.Pool{New: func() any {
	memory := make([]byte, 0, 32<<10) // most bodies fit
	return &memory
}}

// close releases the body.
func (s *spool) close() {
	if memory := s.memory; memory != nil {
		spoolMemory.Put(&memory)
		s.memory = nil
	}
	if s.file != nil {
		name := s.file.Name()
		s.file.Close()
		_ = os.Remove(name) // where it could not be removed before
	}
}
