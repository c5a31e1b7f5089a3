package redisstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// Items travel to the scripts, and from there into the log, in this form, in little-endian
// numbers: ID (4 bytes), fingerprint (8 or 16), wave, need, whether it has an outcome (1
// each), then with their lengths host (2), job (4) and outcome (4). A job is without the host, which most
// contain, as a server keeps it: its first byte tells where the host was, 0 for nowhere.

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
	b = appendJob(b, it.Job, it.Host)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(it.Outcome))), it.Outcome...)
}

// appendJob appends a job without the host that it contains, and its length.
func appendJob(b, job, host []byte) []byte {
	at := bytes.Index(job, host)
	if at < 0 || at >= 255 {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(1+len(job))), 0)
		return append(b, job...)
	}
	b = append(binary.LittleEndian.AppendUint32(b, uint32(1+len(job)-len(host))), byte(1+at))
	return append(append(b, job[:at]...), job[at+len(host):]...)
}

// fullJob returns a job with the host that it contains.
func fullJob(short, host []byte) []byte {
	if len(short) == 0 {
		return []byte{}
	}
	at, rest := int(short[0])-1, short[1:]
	if at < 0 || at > len(rest) {
		return rest
	}
	return slices.Concat(rest[:at], host, rest[at:])
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
	b = appendJob(b, k.Job, []byte(k.Host))
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(k.Note))), k.Note...)
}

// A settled page has one part of an entry of the log: the lengths of what follows (4 bytes each), names,
// the items that its server was given, those for other servers, and the result.

// appendSettled appends the part of a page.
func appendSettled(b, names, own []byte, posts []post, result []byte) []byte {
	others := 0
	for _, o := range posts {
		others += len(o.items)
	}
	for _, n := range []int{len(names), len(own), others, len(result)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(append(b, names...), own...)
	for _, o := range posts {
		b = append(b, o.items...)
	}
	return append(b, result...)
}

// readSettled reads the parts of an entry.
func readSettled(b []byte, wide bool) (events []frontier.Event, err error) {
	for all := fieldsOf(b); len(all.Rest) > 0; {
		names, own, others, result := all.uint32(), all.uint32(), all.uint32(), all.uint32()
		r := fieldsOf(all.Take(uint64(names)))
		e := frontier.Event{Kind: frontier.EventSettled, Name: r.fingerprint(wide), Met: frontier.Need(r.Byte())}
		for len(r.Rest) > 0 && !r.Failed {
			e.Names = append(e.Names, r.fingerprint(wide))
		}
		if e.Items, err = readItems(all.Take(uint64(own)+uint64(others)), wide); err != nil {
			return nil, err
		}
		if err := readResult(all.Take(uint64(result)), &e.Done); err != nil || r.Failed || all.Failed {
			return nil, errLog
		}
		events = append(events, e)
	}
	return events, nil
}

// appendVisit appends the numbers of a lease that is settled, with how many items were entered before.
func appendVisit(b []byte, id uint32, fence uint64, met frontier.Need, before int) []byte {
	b = binary.LittleEndian.AppendUint32(b, id)
	b = append(binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(fence))), byte(met))
	return binary.LittleEndian.AppendUint32(b, uint32(before))
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

// readResult reads what appendResult has appended.
func readResult(b []byte, d *frontier.Done) error {
	r := fieldsOf(b)
	d.Outcome, d.Links, d.Page = r.Take(r.Uvarint()), r.Take(r.Uvarint()), r.Take(r.Uvarint())
	for len(r.Rest) > 0 {
		name := string(r.Take(r.Uvarint()))
		d.Tally = append(d.Tally, frontier.Tally{Name: name, By: r.Varint()})
	}
	if r.Failed {
		return errLog
	}
	return nil
}

// appendTallies appends tallies as complete.lua reads them.
func appendTallies(b []byte, list []frontier.Tally) []byte {
	for _, t := range list {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(t.Name))), t.Name...)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(t.By)))
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

// pace reads a pace as scripts write it.
func (r *fields) pace() frontier.Pace {
	p := frontier.Pace{Concurrency: int(r.float()), Interval: time.Duration(r.float()) * time.Microsecond}
	if at := r.float(); at > 0 {
		p.NotBefore = time.UnixMicro(int64(at))
	}
	return p
}

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
		it.Job = fullJob(r.Take(uint64(r.uint32())), it.Host)
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

// readEvents reads an entry of the log from its kind and its three parts.
func readEvents(kind string, a, b, c []byte, wide bool) ([]frontier.Event, error) {
	if kind == "C" {
		return readSettled(a, wide)
	}
	e, err := readEvent(kind, a, b, c, wide)
	return []frontier.Event{e}, err
}

func readEvent(kind string, a, b, c []byte, wide bool) (e frontier.Event, err error) {
	r := fieldsOf(a)
	switch kind {
	case "A":
		e.Kind = frontier.EventEntered
		e.Items, err = readItems(a, wide)
		return e, err
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
		e.Pace = r.pace()
	default:
		return e, errLog
	}
	if r.Failed {
		return e, errLog
	}
	return e, nil
}
