package diskstore

import (
	"encoding/binary"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// wideSize is the number of bytes in a wide fingerprint.
const wideSize = int(frontier.Wide) / 8

// bindFingerprint adds a fingerprint as an argument for the next statement. A narrow one is
// a number with the highest bit as its sign. A wide one is 16 bytes, as SipHash writes
// them: the low half, then the high half, both little-endian.
func (c *conn) bindFingerprint(f frontier.Fingerprint, w frontier.Width) {
	if w != frontier.Wide {
		c.bind(int64(f.Low))
		return
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, wideSize), f.Low)
	c.bind(binary.LittleEndian.AppendUint64(b, f.High))
}

// fingerprint returns a column that is a fingerprint.
func (c *cursor) fingerprint(column int, w frontier.Width) (frontier.Fingerprint, error) {
	if w != frontier.Wide {
		n, err := c.int(column)
		return frontier.Fingerprint{Low: uint64(n)}, err
	}
	b, err := c.bytes(column)
	if err == nil && len(b) != wideSize {
		err = damaged("column %s has %d bytes instead of %d", c.rows.Columns()[column], len(b), wideSize)
	}
	if err != nil {
		return frontier.Fingerprint{}, err
	}
	return frontier.Fingerprint{Low: binary.LittleEndian.Uint64(b), High: binary.LittleEndian.Uint64(b[8:])}, nil
}
