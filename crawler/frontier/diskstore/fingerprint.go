package diskstore

import (
	"encoding/binary"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// A narrow fingerprint is kept as a number, with its highest bit for a sign. A wide
// one is kept as the 16 bytes of which SipHash's authors make it up: the low half,
// then the high one, each with its lowest byte first.

const wideSize = int(frontier.Wide) / 8

// bindFingerprint adds a fingerprint as an argument of the next statement.
func (c *conn) bindFingerprint(f frontier.Fingerprint, w frontier.Width) {
	if w != frontier.Wide {
		c.bind(int64(f.Low))
		return
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, wideSize), f.Low)
	c.bind(binary.LittleEndian.AppendUint64(b, f.High))
}

// fingerprint reads a column that holds a fingerprint.
func (c *cursor) fingerprint(column int, w frontier.Width) (frontier.Fingerprint, error) {
	if w != frontier.Wide {
		n, err := c.int(column)
		return frontier.Fingerprint{Low: uint64(n)}, err
	}
	b, err := c.bytes(column)
	if err == nil && len(b) != wideSize {
		err = damaged("column %s holds %d bytes in place of %d", c.rows.Columns()[column], len(b), wideSize)
	}
	if err != nil {
		return frontier.Fingerprint{}, err
	}
	return frontier.Fingerprint{Low: binary.LittleEndian.Uint64(b), High: binary.LittleEndian.Uint64(b[8:])}, nil
}
