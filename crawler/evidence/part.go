package evidence

import (
	"io"
	"os"
	"time"
)

// partFile is PATH.part. Records are written to it together, as a write takes about as long for many as
// for one.
type partFile struct {
	*os.File
	size  int64       // of the records that were appended
	late  []byte      // the last of them, which are not in the file yet
	timer *time.Timer // runs while they wait; at its end they are written
	// prompt is set if records must not wait: what a session of a crawl has settled is not asked again by
	// the next one, so that its evidence must be in the file before.
	prompt bool
}

const (
	maxLateSize = 256 << 10 // bytes
	maxLateTime = time.Second
)

// append appends records. An error may be that of earlier ones.
func (p *partFile) append(b *spool) error {
	if b.size+int64(len(p.late)) > maxLateSize {
		if err := p.write(); err != nil {
			return err
		}
	}
	if p.prompt || b.size > maxLateSize {
		n, err := io.Copy(p, b.reader())
		if err == nil {
			p.size += n
		}
		return err
	}
	if len(p.late) == 0 {
		p.timer.Reset(maxLateTime)
	}
	p.late = append(p.late, b.memory...)
	p.size += b.size
	return nil
}

// write writes the records that are not in the file yet.
func (p *partFile) write() error {
	if len(p.late) == 0 {
		return nil
	}
	_, err := p.Write(p.late)
	if err == nil {
		p.late = p.late[:0]
	}
	return err
}

// cut removes what a failed write has left, and forgets what is not in the file. What stays is a valid file
// even if this fails, but for its end.
func (p *partFile) cut() {
	p.size -= int64(len(p.late))
	p.late = nil
	_ = p.Truncate(p.size)
}

// stop stops the timer.
func (p *partFile) stop() {
	p.timer.Stop()
}
