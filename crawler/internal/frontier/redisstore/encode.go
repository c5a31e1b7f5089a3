package redisstore

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// Items travel to the scripts, and from there into the log, in this form, in little-endian
// numbers: ID (4 bytes), fingerprint (8 or 16), wave, need, whether it has an outcome (1
// each), then with their lengths host (2), job (4) and outcome (4).

// appendItem appends an item. id is the number on its server, 0 if it is not known.
func appendItem(b []byte, it *frontier.Item, id frontier.ID, wide bool) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(id))
	b = appendFingerprint(b, it.Fingerprint, wide)
	settled := byte(0)
	if it.Outcome != nil {
		settled = 1
	}
	b = append(b, byte(it.Wave), byte(it.Need), settled)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(it.Host))), it.Host...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(it.Job))), it.Job...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(it.Outcome))), it.Outcome...)
}

func appendFingerprint(b []byte, f frontier.Fingerprint, wide bool) []byte {
	b = binary.LittleEndian.AppendUint64(b, f.Low)
	if wide {
		b = binary.LittleEndian.AppendUint64(b, f.High)
	}
	return b
}

// appendKept appends a target for fill.lua.
func appendKept(b []byte, k *frontier.Kept, wide bool, now time.Time) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(k.ID))
	b = appendFingerprint(b, k.Fingerprint, wide)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(k.Host))), k.Host...)
	state := byte(0)
	switch {
	case k.Entered:
		state = 3
	case k.Settled:
		state = 2
	}
	b = append(b, byte(k.Wave), byte(k.Lowest), byte(k.Need), state, byte(k.Met), byte(k.Tries))
	wait := 0.0
	if !k.NotBefore.IsZero() {
		wait = float64(max(k.NotBefore.Sub(now).Microseconds(), 0))
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(wait))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(k.Job))), k.Job...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(k.Note))), k.Note...)
}

// appendNames appends the names that an entry of the log gives to a visit and to what was found.
func appendNames(b []byte, l *frontier.Lease, met frontier.Need, found []frontier.Item, wide bool) []byte {
	b = append(appendFingerprint(b, l.Fingerprint, wide), byte(met))
	for i := range found {
		b = appendFingerprint(b, found[i].Fingerprint, wide)
	}
	return b
}

// appendResult appends the part of a Done that only the log has.
func appendResult(b []byte, d *frontier.Done) []byte {
	for _, part := range [][]byte{d.Outcome, d.Links, d.Page} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	for _, t := range d.Tally {
		b = append(binary.AppendUvarint(b, uint64(len(t.Name))), t.Name...)
		b = binary.AppendVarint(b, t.By)
	}
	return b
}

var errLog = errors.New("the log of the frontier is damaged")

// fields reads numbers and texts. After the first failure it returns zero values.
type fields struct{ record.Reader }

func fieldsOf(b []byte) fields { return fields{record.Reader{Rest: b}} }

func (r *fields) uint16() uint16 {
	if b := r.Take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *fields) uint32() uint32 {
	if b := r.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *fields) fingerprint(wide bool) (f frontier.Fingerprint) {
	f.Low = r.Uint64()
	if wide {
		f.High = r.Uint64()
	}
	return f
}

func (r *fields) float() float64 { return math.Float64frombits(r.Uint64()) }

// readItems reads items.
func readItems(b []byte, wide bool) ([]frontier.Item, error) {
	var items []frontier.Item
	r := fieldsOf(b)
	for len(r.Rest) > 0 {
		var it frontier.Item
		it.ID = frontier.ID(r.uint32())
		it.Fingerprint = r.fingerprint(wide)
		it.Wave, it.Need = frontier.Wave(r.Byte()), frontier.Need(r.Byte())
		settled := r.Byte()
		it.Host = r.Take(uint64(r.uint16()))
		it.Job = r.Take(uint64(r.uint32()))
		if outcome := r.Take(uint64(r.uint32())); settled == 1 {
			it.Outcome = append([]byte{}, outcome...)
		}
		if r.Failed {
			return nil, errLog
		}
		items = append(items, it)
	}
	return items, nil
}

// readEvent reads an entry of the log from its kind and its three parts.
func readEvent(kind string, a, b, c []byte, wide bool) (e frontier.Event, err error) {
	r := fieldsOf(a)
	switch kind {
	case "A":
		e.Kind = frontier.EventEntered
		e.Items, err = readItems(a, wide)
		return e, err
	case "C":
		e.Kind, e.Name, e.Met = frontier.EventSettled, r.fingerprint(wide), frontier.Need(r.Byte())
		for len(r.Rest) > 0 && !r.Failed {
			e.Names = append(e.Names, r.fingerprint(wide))
		}
		if e.Items, err = readItems(b, wide); err != nil {
			return e, err
		}
		result := fieldsOf(c)
		e.Done.Outcome = result.Take(result.Uvarint())
		e.Done.Links, e.Done.Page = result.Take(result.Uvarint()), result.Take(result.Uvarint())
		for len(result.Rest) > 0 {
			name := string(result.Take(result.Uvarint()))
			e.Done.Tally = append(e.Done.Tally, frontier.Tally{Name: name, By: result.Varint()})
		}
		r.Failed = r.Failed || result.Failed
	case "R":
		e.Kind, e.Name, e.Deferral.Wave, e.Tries = frontier.EventDeferred, r.fingerprint(wide), frontier.Wave(r.Byte()), int(r.Byte())
		if at := r.float(); at > 0 {
			e.Deferral.NotBefore = time.UnixMicro(int64(at))
		}
		e.Deferral.Note = b
		tallies := fieldsOf(c)
		for len(tallies.Rest) > 0 {
			name := string(tallies.Take(uint64(tallies.uint16())))
			e.Deferral.Tally = append(e.Deferral.Tally, frontier.Tally{Name: name, By: int64(tallies.float())})
		}
		r.Failed = r.Failed || tallies.Failed
	case "P":
		e.Kind, e.Host = frontier.EventPaced, string(a)
		r = fieldsOf(b)
		e.Pace.Concurrency = int(r.float())
		e.Pace.Interval = time.Duration(r.float()) * time.Microsecond
		if at := r.float(); at > 0 {
			e.Pace.NotBefore = time.UnixMicro(int64(at))
		}
	default:
		return e, errLog
	}
	if r.Failed {
		return e, errLog
	}
	return e, nil
}
