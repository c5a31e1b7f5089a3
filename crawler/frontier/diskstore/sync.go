package diskstore

import "time"

// A batch that was committed is in the hands of the operating system: it stays
// when the process is killed. That it stays when the power fails takes a flush of
// the write-ahead log to the disk, which costs milliseconds; one covers all batches
// before it. So after each flush come some without, until the next costs but a
// part of the time: a power cut takes back the last moments, whole steps, which are
// then in flight again.

const (
	// syncShare is how many times longer than a flush takes none follows it.
	syncShare = 4
	// syncLatest is after how long one does in any case, should anything be written.
	syncLatest = time.Second
)

// syncing decides which batches are flushed.
type syncing struct {
	last time.Time
	cost time.Duration
}

// due reports whether the next batch is to be flushed.
func (s *syncing) due(now time.Time) bool {
	return now.Sub(s.last) >= min(syncShare*s.cost, syncLatest)
}

// write writes a batch, and flushes it when that is due.
func (s *syncing) write(c *conn, b *batch, hosts []hostRow) error {
	began := time.Now()
	if !s.due(began) {
		return c.write(b, hosts)
	}
	if err := c.exec("PRAGMA synchronous=FULL"); err != nil {
		return err
	}
	if err := c.write(b, hosts); err != nil {
		return err
	}
	s.last = time.Now()
	s.cost = s.last.Sub(began)
	return c.exec("PRAGMA synchronous=NORMAL")
}
