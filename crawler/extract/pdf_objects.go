package extract

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// pdfFile finds the objects of a PDF (ISO 32000-1 section 7). It does not use the
// cross-reference table. Instead it walks through the file from object to object, as a
// viewer does to repair a damaged file. So it finds all objects that are left in a
// truncated file, and does not need separate code for cross-reference tables, streams and
// mixtures of them. If several objects have the same number, the last one counts, as
// incremental updates require.
//
// The existing library, github.com/pdfcpu/pdfcpu, does not fit. As measured with version
// 0.15.0, it is fast and correct on complete files, and this reader finds the same links
// and pages in its 47 test documents. But it yields nothing from a file that lacks more
// than its last 3%, as every PDF does that is longer than the limit on bodies. If the
// cross-reference table is wrong, its repair takes quadratic time: 10,000, 20,000 and
// 40,000 empty objects, 0.8 MB, take 1.3, 3.1 and 12.7 seconds and 17 GB of allocations,
// and 300,000 take more than half a minute, beyond the deadline of the given context. And
// it reads every image into memory.
type pdfFile struct {
	cut     bool // an object has more than maxPDFNested arrays and dictionaries
	body    []byte
	objects map[int]pdfPlace
	order   []int   // object numbers, in the order of the file
	trailer pdfDict // the members of all trailers; the last value of each counts
	crypt   *pdfCrypt
	work    int   // the number of bytes that may still be parsed
	left    int64 // the number of bytes that may still be unpacked
	// unpacked is the number of bytes unpacked so far. If they or the objects are many, the
	// document is large.
	unpacked int
	large    *largeDocument
	fault    error // the error that ended the walk or the reading; earlier results are kept
}

// pdfPlace is the position of an object's value, in the file or in an unpacked stream.
type pdfPlace struct {
	in         []byte
	at         int
	generation int32
	packed     bool // in a stream, which is encrypted as a whole
}

type (
	pdfName   string
	pdfString []byte
	pdfRef    int // the number of an object
	pdfDict   map[pdfName]any
	pdfArray  []any
)

const (
	maxPDFNesting = 64
	maxPDFObjects = 1_000_000
	// largePDFArray is the number of members of an array from which on a document is large.
	largePDFArray = 50_000
	// largePDFObjects is the number of objects from which on a document is large. Each needs
	// about 130 bytes.
	largePDFObjects = 30_000
	maxPDFToken     = 1 << 20
	// maxPDFNested is the number of arrays and dictionaries in one object whose members are
	// kept. A dictionary needs some 300 bytes.
	maxPDFNested  = 100_000
	maxPDFMembers = 1 << 20 // in an array or a dictionary; further ones are left out
)

var errPDFWork = errors.New("it takes too much work to read")

// openPDF walks through the file. It does so twice if the file is encrypted, because the
// key is at its end and object streams cannot be unpacked without it.
func openPDF(body []byte, large *largeDocument) *pdfFile {
	f := &pdfFile{body: body, trailer: pdfDict{}, large: large}
	f.walk()
	if f.trailer["Root"] == nil {
		f.findEncrypt()
	}
	if f.trailer["Encrypt"] != nil {
		if f.unlock(); f.crypt != nil {
			f.walk()
		}
	}
	f.work = f.parseLimit()
	return f
}

// parseLimit is the number of bytes that may be parsed during the walk, and again after
// it.
func (f *pdfFile) parseLimit() int { return 32*len(f.body) + 1<<20 }

// findEncrypt finds the encryption dictionary of a file that has lost its trailer.
func (f *pdfFile) findEncrypt() {
	for _, number := range f.order {
		d := f.dict(pdfRef(number))
		if _, locked := d["O"].(pdfString); locked && d["Filter"] == pdfName("Standard") {
			f.trailer["Encrypt"] = pdfRef(number)
			return
		}
	}
}

// unlock finds the key of an encrypted file.
func (f *pdfFile) unlock() {
	whole := pdfDict{}
	for name, value := range f.dict(f.trailer["Encrypt"]) {
		whole[name] = f.resolve(value)
	}
	var id pdfString
	if parts := f.array(f.trailer["ID"]); len(parts) > 0 {
		id, _ = f.resolve(parts[0]).(pdfString)
	}
	f.crypt, f.fault = openPDFCrypt(whole, id)
}

// walk finds all objects, one after the other.
func (f *pdfFile) walk() {
	body := f.body
	f.objects, f.order, f.fault, f.unpacked = map[int]pdfPlace{}, nil, nil, 0
	f.work, f.left = f.parseLimit(), min(maxInflatedText, freeInflated+maxInflation*int64(len(body)))
	noStreamEnds := false
	for at := 0; at < len(body) && f.work >= 0; {
		n := bytes.IndexByte(body[at:], 'o')
		until := len(body)
		if n >= 0 {
			until = at + n
		}
		t := bytes.Index(body[at:until], []byte("trailer")) // the word contains no o
		if t >= 0 {
			at += t + len("trailer")
			p := pdfParser{file: f, in: body, pos: at}
			if dict, ok := p.value(0).(pdfDict); ok {
				f.addTrailer(dict)
				at = max(at, p.pos)
			}
			continue
		}
		if n < 0 {
			break
		}
		at += n
		number, generation, ok := f.header(at)
		if !ok {
			at++
			continue
		}
		at += len("obj")
		p := pdfParser{file: f, in: body, pos: at}
		value := p.value(0)
		if p.failed {
			continue
		}
		f.addObject(number, pdfPlace{in: body, at: at, generation: int32(generation)})
		at = p.pos
		dict, ok := value.(pdfDict)
		if !ok || !p.keyword("stream") {
			continue
		}
		content := span{p.pos, p.pos}
		if content.start < len(body) && body[content.start] == '\r' {
			content.start++
		}
		if content.start < len(body) && body[content.start] == '\n' {
			content.start++
		}
		content.end = f.streamEnd(content.start, dict, &noStreamEnds)
		at = content.end
		switch dict["Type"] {
		case pdfName("XRef"):
			f.addTrailer(dict)
		case pdfName("ObjStm"):
			f.unpackObjects(number, generation, dict, body[content.start:content.end])
		}
	}
}

// header reports whether an object header such as "12 0 obj" has its "obj" at an offset,
// and returns its numbers.
func (f *pdfFile) header(at int) (number, generation int, ok bool) {
	if !bytes.HasPrefix(f.body[at:], []byte("obj")) || at < 4 {
		return 0, 0, false
	}
	i := at
	skipSpace := func() {
		for i > 0 && isPDFSpace(f.body[i-1]) {
			i--
		}
	}
	digits := func() []byte {
		end := i
		for i > 0 && end-i < 10 && isDecimal(f.body[i-1]) {
			i--
		}
		return f.body[i:end]
	}
	skipSpace()
	generation, err := strconv.Atoi(string(digits()))
	if err != nil || generation > 65535 {
		return 0, 0, false
	}
	skipSpace()
	number, err = strconv.Atoi(string(digits()))
	return number, generation, err == nil
}

func (f *pdfFile) addObject(number int, place pdfPlace) {
	if _, known := f.objects[number]; !known {
		if len(f.order) == maxPDFObjects {
			f.fault = errors.New("it has too many objects")
			return
		}
		if len(f.order) == largePDFObjects {
			f.large.begin()
		}
		f.order = append(f.order, number)
	}
	f.objects[number] = place
}

func (f *pdfFile) addTrailer(dict pdfDict) {
	for _, name := range [...]pdfName{"Root", "Info", "Encrypt", "ID"} {
		if value, ok := dict[name]; ok {
			f.trailer[name] = value
		}
	}
}

// streamEnd returns the end of a stream: as given by its length, if "endstream" follows
// there, and otherwise at the next "endstream".
func (f *pdfFile) streamEnd(start int, dict pdfDict, none *bool) int {
	if length, ok := dict["Length"].(int); ok && length >= 0 && length <= len(f.body)-start {
		if rest := f.body[start+length:]; bytes.HasPrefix(bytes.TrimLeft(rest[:min(len(rest), 16)], "\r\n "), []byte("endstream")) {
			return start + length
		}
	}
	if *none {
		return len(f.body)
	}
	n := bytes.Index(f.body[start:], []byte("endstream"))
	if n < 0 {
		*none = true
		return len(f.body)
	}
	return start + n
}

// unpackObjects reads an object stream (7.5.7): pairs of numbers and offsets, then the
// objects.
func (f *pdfFile) unpackObjects(number, generation int, dict pdfDict, content []byte) {
	if f.crypt != nil {
		content = f.crypt.decrypt(f.crypt.streams, number, generation, content)
	}
	switch filter := dict["Filter"].(type) {
	case nil:
	case pdfName:
		if filter != "FlateDecode" {
			return
		}
		content = f.inflate(content)
	case pdfArray:
		if len(filter) != 1 || filter[0] != pdfName("FlateDecode") {
			return
		}
		content = f.inflate(content)
	default:
		return
	}
	first, ok := dict["First"].(int)
	count, counted := dict["N"].(int)
	if !ok || !counted || first < 0 || first > len(content) {
		return
	}
	p := pdfParser{file: f, in: content[:first]}
	for ; count > 0; count-- {
		number, ok := p.value(0).(int)
		offset, also := p.value(0).(int)
		if !ok || !also || p.failed {
			return
		}
		if offset >= 0 && offset < len(content)-first {
			f.addObject(number, pdfPlace{in: content, at: first + offset, packed: true})
		}
	}
}

func (f *pdfFile) inflate(packed []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil || f.left <= 0 {
		return nil
	}
	content, err := inflate(z, int64(len(packed)), 0, f.left, f.large)
	f.left -= int64(len(content))
	if f.unpacked += len(content); f.unpacked > largeInflated {
		f.large.begin()
	}
	if errors.Is(err, errUnpackedSize) || errors.Is(err, errCompressionRatio) {
		f.fault, f.left = err, 0
	}
	return content // for a damaged stream, the part before the damage
}

// resolve follows a reference to its value.
func (f *pdfFile) resolve(value any) any {
	for range 8 {
		ref, ok := value.(pdfRef)
		if !ok {
			return value
		}
		place, ok := f.objects[int(ref)]
		if !ok {
			return nil
		}
		p := pdfParser{file: f, in: place.in, pos: place.at}
		if f.crypt != nil && !place.packed {
			p.decrypt = func(s []byte) []byte { return f.crypt.decrypt(f.crypt.strings, int(ref), int(place.generation), s) }
		}
		value = p.value(0)
	}
	return nil
}

func (f *pdfFile) dict(value any) pdfDict {
	dict, _ := f.resolve(value).(pdfDict)
	return dict
}

func (f *pdfFile) array(value any) pdfArray {
	array, _ := f.resolve(value).(pdfArray)
	return array
}
