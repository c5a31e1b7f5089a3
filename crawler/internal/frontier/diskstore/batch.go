package diskstore

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// batch holds the rows of one transaction: the steps of all workers since the transaction
// before, in the order in which they were made.
type batch struct {
	number  uint64
	width   frontier.Width
	first   frontier.ID // ID of the first new target
	targets []newTarget
	paces   map[int]struct{} // numbers of hosts that are new or have a new pace
	changes []byte           // see table changes
	events  []event
	tallies []frontier.Tally
	bytes   []byte // of the spans
	steps   int
	waiting int // workers that wait until the batch is written
	// position is that in the log of a shared store up to which the steps lead; "" for no
	// change.
	position string
}

// span is a part of batch.bytes. A length of -1 is nil.
type span struct{ at, length int }

var nothing = span{length: -1}

type newTarget struct {
	host   int
	record span
}

// event is a change of a row of the table targets, outcomes, pages or deferred.
type event struct {
	table   table
	id      frontier.ID
	removes bool // there may be an old row, which is removed
	record  span // of the new row; nothing if there is none
	links   span // of a page
	host    int  // of a target
}

func (b *batch) empty() bool { return b.steps == 0 }

// reset empties the batch and keeps its memory.
func (b *batch) reset(number uint64, first frontier.ID) {
	*b = batch{number: number, width: b.width, first: first, targets: b.targets[:0], paces: b.paces, changes: b.changes[:0],
		events: b.events[:0], tallies: b.tallies[:0], bytes: b.bytes[:0]}
	if clear(b.paces); b.paces == nil {
		b.paces = map[int]struct{}{}
	}
	if cap(b.bytes) > 4<<20 { // of a large page; most are small
		b.bytes = nil
	}
}

// put adds bytes to the batch.
func (b *batch) put(p []byte) span {
	if p == nil {
		return nothing
	}
	at := len(b.bytes)
	b.bytes = append(b.bytes, p...)
	return span{at, len(p)}
}

func (b *batch) get(s span) []byte {
	if s.length < 0 {
		return nil
	}
	return b.bytes[s.at : s.at+s.length : s.at+s.length]
}

// seal takes over the bytes of the batch to which a record was appended, and adds its checksum.
func (b *batch) seal(t table, key uint64, bytes []byte) span {
	at := len(b.bytes)
	b.bytes = t.seal(bytes, at, key)
	return span{at, len(b.bytes) - at}
}

// add adds the change of a row.
func (b *batch) add(e event) { b.events = append(b.events, e) }

// target returns the sealed record of a target.
func (b *batch) target(id frontier.ID, host int, it *frontier.Item) span {
	return b.seal(targetsTable, targetKey(id, uint32(host)), appendTarget(b.bytes, it.Fingerprint, b.width, it.Wave, it.Need, it.Job))
}

// enter adds a new target, whose ID is the next.
func (b *batch) enter(host int, it *frontier.Item) {
	b.targets = append(b.targets, newTarget{host, b.target(b.first+frontier.ID(len(b.targets)), host, it)})
}

// replaceTarget replaces the row of a target.
func (b *batch) replaceTarget(id frontier.ID, host int, it *frontier.Item) {
	b.add(event{table: targetsTable, id: id, record: b.target(id, host, it), links: nothing, host: host})
}

// settle adds the outcome of a target.
func (b *batch) settle(id frontier.ID, again bool, flags byte, met frontier.Need, outcome []byte) {
	b.add(event{table: outcomesTable, id: id, removes: again, record: b.seal(outcomesTable, uint64(id), appendOutcome(b.bytes, flags, met, outcome)), links: nothing})
}

// page adds what was found on a page.
func (b *batch) page(id frontier.ID, again bool, found, links, page []byte) {
	b.add(event{table: pagesTable, id: id, removes: again, record: b.seal(pagesTable, uint64(id), appendPage(b.bytes, found, page, links)), links: b.put(orNil(links))})
}

// postpone adds the deferral of a target.
func (b *batch) postpone(id frontier.ID, again bool, tries int, d *frontier.Deferral) {
	b.add(event{table: deferredTable, id: id, removes: again, record: b.seal(deferredTable, uint64(id), appendDeferral(b.bytes, d.Wave, tries, nanos(d.NotBefore), d.Note)), links: nothing})
}

// remove removes the row of a target, if there is one.
func (b *batch) remove(t table, id frontier.ID) {
	b.add(event{table: t, id: id, removes: true, record: nothing, links: nothing})
}

// job returns the job of a target that this batch enters.
func (b *batch) job(id frontier.ID) ([]byte, bool) {
	if id < b.first || int(id-b.first) >= len(b.targets) {
		return nil, false
	}
	record := b.get(b.targets[id-b.first].record)
	_, _, _, job, err := parseTarget(record[:len(record)-checksumSize], b.width)
	return append([]byte{}, job...), err == nil
}

// note returns the note of a deferral in this batch.
func (b *batch) note(id frontier.ID) ([]byte, bool) {
	for i := len(b.events) - 1; i >= 0; i-- {
		if e := &b.events[i]; e.id == id && e.table == deferredTable && e.record != nothing {
			record := b.get(e.record)
			_, _, _, note, err := parseDeferral(record[:len(record)-checksumSize])
			return slices.Clone(note), err == nil
		}
	}
	return nil, false
}

// change adds the new lowest wave and needs of a known target.
func (b *batch) change(id frontier.ID, w frontier.Wave, n frontier.Need) {
	b.changes = binary.AppendUvarint(b.changes, uint64(id))
	b.changes = append(b.changes, byte(w), byte(n))
}

// pace adds a host whose pace has changed.
func (b *batch) pace(host int) { b.paces[host] = struct{}{} }

// tally adds to the sums.
func (b *batch) tally(list []frontier.Tally) {
next:
	for _, t := range list {
		for i := range b.tallies {
			if b.tallies[i].Name == t.Name {
				b.tallies[i].By += t.By
				continue next
			}
		}
		b.tallies = append(b.tallies, t)
	}
}

// nanos returns a time as nanoseconds since 1970, and 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// fromNanos is the inverse of nanos.
func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
