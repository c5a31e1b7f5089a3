package extract

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// pdfFile finds the objects of a PDF (ISO 32000-1 section 7). It does not trust the
// cross-reference table: it walks through the file from object to object, as a
// viewer does when it mends a damaged one. So what a cut-off file still has
// is found, and there is one way for tables, streams and mixtures of them. Of objects
// of one number the last counts, as incremental updates want it.
//
// The library for this would be github.com/pdfcpu/pdfcpu. Measured at version 0.15.0: on
// whole files it is fast and sound, and this reader finds the same links and pages
// in its 47 test documents. But of a file that was cut short before its last 3 % (and
// every PDF longer than what is read of a body is) it gives nothing. Where the
// cross-reference table is wrong its repair takes quadratic time: 10,000, 20,000 and
// 40,000 empty objects, 0.8 MB, take 1.3, 3.1 and 12.7 seconds and 17 GB of allocations,
// 300,000 more than half a minute, past the deadline of the context it was given.
// And it reads every picture into memory.
type pdfFile struct {
	body    []byte
	objects map[int]pdfPlace
	order   []int   // object numbers, in the order of the file
	trailer pdfDict // members of all trailers, the last of each counting
	crypt   *pdfCrypt
	work    int   // bytes that may still be parsed
	left    int64 // bytes that may still be unpacked
	fault   error // what ended the walk, or the reading; what was found until then counts
}

// pdfPlace is where an object's value begins, in the file or in an unpacked stream.
type pdfPlace struct {
	in         []byte
	at         int
	generation int32
	packed     bool // in a stream, which was encrypted as a whole
}

type (
	pdfName   string
	pdfString []byte
	pdfRef    int // an object's number
	pdfDict   map[pdfName]any
	pdfArray  []any
)

const (
	maxPDFNesting = 64
	maxPDFObjects = 8_000_000
	maxPDFToken   = 1 << 20
	maxPDFMembers = 1 << 20 // of an array or a dictionary; further ones are left out
)

var errPDFWork = errors.New("it is built to be slow to read")

// openPDF walks through the file: twice when it is encrypted, since the key is told
// at its end, and object streams cannot be unpacked without it.
func openPDF(body []byte) *pdfFile {
	f := &pdfFile{body: body, trailer: pdfDict{}}
	f.walk()
	if f.trailer["Root"] == nil {
		f.findEncrypt()
	}
	if f.trailer["Encrypt"] != nil {
		if f.unlock(); f.crypt != nil {
			f.walk()
		}
	}
	f.work = f.allowance()
	return f
}

// allowance is how many bytes may be parsed in the walk, and how many after it.
func (f *pdfFile) allowance() int { return 32*len(f.body) + 1<<20 }

// findEncrypt looks for the encryption dictionary of a file that has lost its trailer.
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

// walk goes from object to object.
func (f *pdfFile) walk() {
	body := f.body
	f.objects, f.order, f.fault = map[int]pdfPlace{}, nil, nil
	f.work, f.left = f.allowance(), min(MaxInflated, freeInflated+MaxInflation*int64(len(body)))
	noStreamEnds := false
	for at := 0; at < len(body) && f.work >= 0; {
		n := bytes.IndexByte(body[at:], 'o')
		until := len(body)
		if n >= 0 {
			until = at + n
		}
		t := bytes.Index(body[at:until], []byte("trailer")) // there is no o in it
		if t >= 0 {
			at += t + len("trailer")
			p := pdfParser{file: f, in: body, pos: at}
			if dict, ok := p.value(0).(pdfDict); ok {
				f.takeTrailer(dict)
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
		f.take(number, pdfPlace{in: body, at: at, generation: int32(generation)})
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
			f.takeTrailer(dict)
		case pdfName("ObjStm"):
			f.unpackObjects(number, generation, dict, body[content.start:content.end])
		}
	}
}

// header reports whether "obj" at an offset ends "12 0 obj", and the numbers.
func (f *pdfFile) header(at int) (number, generation int, ok bool) {
	if !bytes.HasPrefix(f.body[at:], []byte("obj")) || at < 4 {
		return 0, 0, false
	}
	i := at
	blanks := func() {
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
	blanks()
	generation, err := strconv.Atoi(string(digits()))
	if err != nil || generation > 65535 {
		return 0, 0, false
	}
	blanks()
	number, err = strconv.Atoi(string(digits()))
	return number, generation, err == nil
}

func (f *pdfFile) take(number int, place pdfPlace) {
	if _, known := f.objects[number]; !known {
		if len(f.order) == maxPDFObjects {
			f.fault = errors.New("it has too many objects")
			return
		}
		f.order = append(f.order, number)
	}
	f.objects[number] = place
}

func (f *pdfFile) takeTrailer(dict pdfDict) {
	for _, name := range [...]pdfName{"Root", "Info", "Encrypt", "ID"} {
		if value, ok := dict[name]; ok {
			f.trailer[name] = value
		}
	}
}

// streamEnd finds the end of a stream: where its length says, if there is its
// end, else at the next one.
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

// unpackObjects reads an object stream (7.5.7): pairs of numbers and offsets, then the objects.
func (f *pdfFile) unpackObjects(number, generation int, dict pdfDict, content []byte) {
	if f.crypt != nil {
		content = f.crypt.open(f.crypt.streams, number, generation, content)
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
			f.take(number, pdfPlace{in: content, at: first + offset, packed: true})
		}
	}
}

func (f *pdfFile) inflate(packed []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil || f.left <= 0 {
		return nil
	}
	content, err := inflate(z, int64(len(packed)), 0, f.left)
	f.left -= int64(len(content))
	if errors.Is(err, errUnpackedSize) || errors.Is(err, errCompressionRatio) {
		f.fault, f.left = err, 0
	}
	return content // of a damaged stream what came before the damage
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
			p.open = func(s []byte) []byte { return f.crypt.open(f.crypt.strings, int(ref), int(place.generation), s) }
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
