package diskstore

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// table is a table of the file.
type table uint8

const (
	metaTable table = iota
	talliesTable
	hostsTable
	targetsTable
	changesTable
	outcomesTable
	pagesTable
	deferredTable
	tables
)

var tableNames = [tables]string{"meta", "tallies", "hosts", "targets", "changes", "outcomes", "pages", "deferred"}

func (t table) String() string { return tableNames[t] }

// checksumSize is the number of bytes of a checksum at the end of a record.
const checksumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of a row: the CRC-32C of its record, combined with a hash of
// its table and its key. So damage to the key is found, too.
func (t table) checksum(key uint64, content []byte) uint32 {
	key += uint64(t) * 0x9E3779B97F4A7C15
	key = (key ^ key>>33) * 0xFF51AFD7ED558CCD // the finalizer of MurmurHash3
	key = (key ^ key>>33) * 0xC4CEB9FE1A85EC53
	return crc32.Checksum(content, castagnoli) ^ uint32(key>>32)
}

// seal appends the checksum to the record at the end of b, which begins at an offset.
func (t table) seal(b []byte, at int, key uint64) []byte {
	return binary.LittleEndian.AppendUint32(b, t.checksum(key, b[at:]))
}

// content returns a record without its checksum. The error is ErrDamaged if the checksum is
// wrong.
func (t table) content(key uint64, record []byte) ([]byte, error) {
	end := len(record) - checksumSize
	if end < 0 || storedChecksum(record) != t.checksum(key, record[:end]) {
		return nil, damaged("the checksum of a row of table %s is wrong", t)
	}
	return record[:end:end], nil
}

// storedChecksum returns the checksum at the end of a sealed record.
func storedChecksum(record []byte) uint32 {
	return binary.LittleEndian.Uint32(record[len(record)-checksumSize:])
}

// targetKey returns the key of a row of the table targets.
func targetKey(id frontier.ID, host uint32) uint64 { return uint64(id)<<32 | uint64(host) }

// hostKey returns the key of a row of the table hosts.
func hostKey(number int, name string) uint64 { return uint64(number) ^ xxhash.Sum64String(name) }

// nameKey returns the key of a row that has a name.
func nameKey(name string) uint64 { return xxhash.Sum64String(name) }

// totals are the numbers of rows of the tables and the sums of their checksums. They are a
// row of the table meta that is written in each transaction. So missing and outdated rows
// are found.
type totals [tables]total

type total struct{ rows, sum uint64 }

func (t *total) add(checksum uint32) {
	t.rows++
	t.sum += uint64(checksum)
}

func (t *total) remove(checksum uint32) {
	t.rows--
	t.sum -= uint64(checksum)
}

// append appends the stored form of the totals.
func (t *totals) append(b []byte) []byte {
	for _, one := range t {
		b = binary.AppendUvarint(binary.AppendUvarint(b, one.rows), one.sum)
	}
	return b
}

// parseTotals is the inverse of append.
func parseTotals(b []byte) (t totals, err error) {
	r := record.Reader{Rest: b}
	for i := range t {
		t[i] = total{r.Uvarint(), r.Uvarint()}
	}
	if !r.Done() {
		err = damaged("its totals are malformed")
	}
	return t, err
}

// check returns an error if a table has other rows than it should.
func (t *totals) check(one table, found total) error {
	if want := t[one]; found != want {
		return damaged("table %s has lost rows, or has outdated ones: it has %d rows, and should have %d", one, found.rows, want.rows)
	}
	return nil
}

// appendTarget appends the record of a target.
func appendTarget(b []byte, f frontier.Fingerprint, width frontier.Width, w frontier.Wave, n frontier.Need, job []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, f.Low)
	if width == frontier.Wide {
		b = binary.LittleEndian.AppendUint64(b, f.High)
	}
	return append(append(b, byte(w), byte(n)), job...)
}

// parseTarget is the inverse of appendTarget.
func parseTarget(content []byte, width frontier.Width) (f frontier.Fingerprint, w frontier.Wave, n frontier.Need, job []byte, err error) {
	size := int(width) / 8
	if len(content) < size+2 {
		return f, 0, 0, nil, damaged("the record of a target is too short")
	}
	f.Low = binary.LittleEndian.Uint64(content)
	if width == frontier.Wide {
		f.High = binary.LittleEndian.Uint64(content[8:])
	}
	return f, frontier.Wave(content[size]), frontier.Need(content[size+1]), content[size+2:], nil
}

// Flags in the record of an outcome.
const (
	flagEntered = 1 << iota // the target was entered as settled, without a visit
	flagPage                // there is a row of the table pages
)

// appendOutcome appends the record of an outcome. met is what the visit met.
func appendOutcome(b []byte, flags byte, met frontier.Need, outcome []byte) []byte {
	return append(append(b, flags, byte(met)), outcome...)
}

// parseOutcome is the inverse of appendOutcome.
func parseOutcome(content []byte) (flags byte, met frontier.Need, outcome []byte, err error) {
	if len(content) < 2 {
		return 0, 0, nil, damaged("the record of an outcome is too short")
	}
	return content[0], frontier.Need(content[1]), content[2:], nil
}

// appendPage appends the record of a page. The links are in a column of their own, because
// they are large and not always read. The record has their checksum.
func appendPage(b, found, page, links []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(found)))
	b = append(append(b, found...), page...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(links, castagnoli))
}

// parsePage is the inverse of appendPage.
func parsePage(content []byte) (found, page []byte, links uint32, err error) {
	r := record.Reader{Rest: content}
	found = r.Take(r.Uvarint())
	rest, ok := r.End()
	if !ok || len(rest) < checksumSize {
		return nil, nil, 0, damaged("the record of a page is too short")
	}
	end := len(rest) - checksumSize
	return found, orNil(rest[:end:end]), storedChecksum(rest), nil
}

// appendDeferral appends the record of a deferred target. notBefore is in nanoseconds since
// 1970.
func appendDeferral(b []byte, w frontier.Wave, tries int, notBefore int64, note []byte) []byte {
	b = append(b, byte(w), byte(tries))
	return append(binary.AppendVarint(b, notBefore), note...)
}

// parseDeferral is the inverse of appendDeferral.
func parseDeferral(content []byte) (w frontier.Wave, tries int, notBefore int64, note []byte, err error) {
	r := record.Reader{Rest: content}
	w, tries, notBefore = frontier.Wave(r.Byte()), int(r.Byte()), r.Varint()
	note, ok := r.End()
	if !ok {
		err = damaged("the record of a deferred target is too short")
	}
	return w, tries, notBefore, orNil(note), err
}

// appendPace appends the record of a host. notBefore is in nanoseconds since 1970.
func appendPace(b []byte, concurrency, interval, notBefore int64) []byte {
	return binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, concurrency), interval), notBefore)
}

// parsePace is the inverse of appendPace.
func parsePace(content []byte) (concurrency, interval, notBefore int64, err error) {
	r := record.Reader{Rest: content}
	concurrency, interval, notBefore = r.Varint(), r.Varint(), r.Varint()
	if !r.Done() {
		err = damaged("the record of a host is malformed")
	}
	return concurrency, interval, notBefore, err
}
