package diskstore

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Pages reads the pages of a finished crawl, for the next one. It takes 16 bytes of memory for each,
// and nothing for other targets.
type Pages struct {
	mu    sync.Mutex
	conn  *conn
	index []pageAt // in ascending order
	crawl []byte   // see frontier.Earlier
}

// pageAt is a page by the lower half of its fingerprint.
type pageAt struct {
	fingerprint uint64
	id          frontier.ID
}

// OpenPages opens a state file that no process writes, in the latest format. Nothing but what finds
// the pages is read.
func OpenPages(file string) (p *Pages, err error) {
	defer func() {
		if err != nil {
			p, err = nil, fmt.Errorf("open the state %s: %w", file, explain(err))
		}
	}()
	c, err := connectLatest(file)
	if err != nil {
		return nil, err
	}
	p = &Pages{conn: c}
	if p.crawl, err = c.source(); err == nil {
		err = p.readIndex()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return p, nil
}

// connectLatest opens a connection to a file in the latest format that no process writes.
func connectLatest(file string) (*conn, error) {
	if err := checkHeader(file); err != nil {
		return nil, err
	}
	how := connectUnchanging
	if exists(file + "-wal") { // of a process that was killed
		how = connect
	}
	c, err := how(file)
	if err != nil {
		return nil, err
	}
	version, err := c.number("PRAGMA user_version")
	var encoding []byte
	if err == nil && (version == format || version == plainFormat) {
		encoding, err = c.meta(metaEncoding)
	}
	if err == nil && (encoding == nil || string(encoding) != strconv.Itoa(frontier.Encoding)) {
		err = ErrOtherVersion
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (p *Pages) readIndex() error {
	width, err := p.conn.width()
	if err != nil {
		return err
	}
	if err := p.conn.exec(readPragmas); err != nil {
		return err
	}
	// Table outcomes says which targets have a row in table pages, and is much smaller.
	sql := fmt.Sprintf("SELECT t.id, t.host, t.record FROM outcomes o JOIN targets t ON t.id = o.id WHERE substr(o.record, 1, 1) IN (x'%02x', x'%02x')", flagPage, flagPage|flagEntered)
	err = p.conn.each(sql, func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		if err != nil {
			return err
		}
		host, err := cur.small(1, 1<<32-1)
		if err != nil {
			return err
		}
		content, err := cur.record(2, targetsTable, targetKey(frontier.ID(id), uint32(host)))
		if err != nil {
			return err
		}
		f, _, _, _, err := parseTarget(content, width)
		p.index = append(p.index, pageAt{f.Low, frontier.ID(id)})
		return err
	})
	slices.SortFunc(p.index, func(a, b pageAt) int { return cmp.Compare(a.fingerprint, b.fingerprint) })
	return err
}

// Page returns what is kept of the page with a fingerprint; nil if there is no such page, or it is
// damaged. If the fingerprints are wide, the page may be one with the same lower half.
func (p *Pages) Page(f frontier.Fingerprint) *frontier.Earlier {
	at, found := slices.BinarySearchFunc(p.index, f.Low, func(a pageAt, low uint64) int { return cmp.Compare(a.fingerprint, low) })
	if !found {
		return nil
	}
	id := p.index[at].id
	var e *frontier.Earlier
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn.bind(int64(id))
	err := p.conn.each("SELECT o.record, p.record, p.links FROM outcomes o JOIN pages p ON p.id = o.id WHERE o.id = ?", func(cur *cursor) (err error) {
		now := frontier.Earlier{Crawl: p.crawl, ID: id}
		if now.Record, err = cur.record(0, outcomesTable, uint64(id)); err != nil {
			return err
		}
		if _, _, now.Outcome, err = parseOutcome(now.Record); err != nil {
			return err
		}
		content, err := cur.record(1, pagesTable, uint64(id))
		if err != nil {
			return err
		}
		var sum uint32
		if now.Found, now.Page, sum, err = parsePage(content); err != nil {
			return err
		}
		if now.Links, err = cur.bytes(2); err == nil && crc32.Checksum(now.Links, castagnoli) != sum {
			err = damaged("the checksum of its references is wrong")
		}
		e = &now
		return err
	})
	if err != nil {
		return nil
	}
	return e
}

// Value is that of the crawl's Store.
func (p *Pages) Value(name string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn.meta(metaValue + name)
}

// Close closes the file.
func (p *Pages) Close() error { return p.conn.close() }
