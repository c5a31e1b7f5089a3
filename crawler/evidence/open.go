package evidence

import (
	"archive/zip"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Limits on the memory for what is known of files, which may be a stranger's.
const (
	maxKept    = 1 << 19  // exchanges
	maxKeptURL = 64 << 20 // bytes of their URLs
	maxPackage = 16 << 20 // bytes of the package of a WACZ file
)

// Archive has the exchanges of some files. It is a fetch.Replayer, and safe for concurrent use.
type Archive struct {
	paths   []string
	files   []io.ReaderAt
	closers []io.Closer
	kept    map[string][]keptExchange // what was kept for an asker of one URL, in the order asked, by keyOf
	byURL   map[string][]string       // keys of kept, for a URL with none of its own
	bodies  map[[16]byte]source       // responses, by the digests of their payloads
	events  map[string][]source
	pages   []string
	about   []aboutRun
	urls    int // bytes
	count   int
	damaged int
	beyond  int

	mu      sync.Mutex
	cursors map[string]int
	missing map[string]bool // probes without an answer
}

// source is the place of a record.
type source struct {
	section
	file int
}

// sortExchanges puts exchanges in the order asked: an answer may have ended later than the next one. The
// dates of other programs are whole seconds, so that the order in the file counts.
func sortExchanges(all []keptExchange) {
	slices.SortStableFunc(all, func(a, b keptExchange) int { return cmp.Compare(a.at, b.at) })
}

// fetchesOf returns the exchanges of one asker by the fetches of which they were.
func fetchesOf(all []keptExchange) (fetches [][]keptExchange) {
	begin := 0
	for i := 1; i <= len(all); i++ {
		if i < len(all) && (all[i].again || all[i].foreign && !all[i].head && all[i-1].head) {
			continue
		}
		fetches = append(fetches, all[begin:i:i])
		begin = i
	}
	return fetches
}

// keptExchange is one exchange of a fetch.
type keptExchange struct {
	source
	at       int64 // when it was asked, in microseconds of Unix time
	head     bool  // the method was HEAD
	again    bool  // it belongs to the exchange before
	foreign  bool  // another program kept it
	resent   bool
	local    bool // a limit of this machine kept it from an answer
	requests int
}

// Open reads which exchanges some files have: WACZ and WARC files, directories, and what a run
// that was killed has left. Records that are damaged count as not kept. Nothing is written. The
// caller closes the Archive.
func Open(paths ...string) (*Archive, error) {
	a := &Archive{paths: paths, kept: map[string][]keptExchange{}, byURL: map[string][]string{}, bodies: map[[16]byte]source{}, events: map[string][]source{},
		cursors: map[string]int{}, missing: map[string]bool{}}
	for _, path := range paths {
		if err := a.open(path); err != nil {
			a.Close()
			return nil, fmt.Errorf("read %s: %w", path, withoutPath(err))
		}
	}
	for _, all := range a.kept {
		sortExchanges(all)
	}
	return a, nil
}

// Close closes the files.
func (a *Archive) Close() {
	for _, c := range a.closers {
		c.Close()
	}
	a.closers = nil
}

// open opens one file or directory.
func (a *Archive) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	if info.IsDir() {
		f.Close()
		return a.openDir(path)
	}
	a.closers = append(a.closers, f)
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return errors.New("it is no evidence: it is empty")
	}
	switch {
	case string(magic[:]) == "PK\x03\x04":
		return a.openZip(f, info.Size())
	case magic[0] == 0x1f && magic[1] == 0x8b:
		return a.readFile(f, info.Size())
	}
	return errors.New("it is no evidence: neither a WACZ nor a compressed WARC file")
}

// openZip opens a WACZ file. Nothing of it is unpacked.
func (a *Archive) openZip(f *os.File, size int64) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("it is no WACZ file, or was cut: %w", err)
	}
	found := false
	for _, entry := range z.File {
		switch {
		case entry.Name == packageFile:
			r, err := entry.Open()
			if err != nil {
				return err
			}
			a.readPackage(r)
			r.Close()
		case strings.HasPrefix(entry.Name, archiveDir+"/") && strings.HasSuffix(entry.Name, ".warc.gz"):
			if entry.Method != zip.Store {
				return fmt.Errorf("%q is compressed within it, so that its records cannot be found", entry.Name)
			}
			at, err := entry.DataOffset()
			if err != nil {
				return err
			}
			length := int64(min(entry.CompressedSize64, uint64(size)))
			if err := a.readFile(io.NewSectionReader(f, at, length), length); err != nil {
				return err
			}
			found = true
		}
	}
	if !found {
		return errors.New("it is no evidence: it contains no WARC file")
	}
	return nil
}

// openDir opens a directory with what a WACZ file has, or with what a run left that was killed.
func (a *Archive) openDir(dir string) error {
	if f, err := os.Open(filepath.Join(dir, packageFile)); err == nil {
		a.readPackage(f)
		f.Close()
	}
	entries, err := os.ReadDir(filepath.Join(dir, archiveDir))
	if err != nil {
		return errors.New("it is no evidence: it has no directory " + archiveDir)
	}
	found := false
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), partSuffix)
		if !entry.Type().IsRegular() || !strings.HasSuffix(name, ".warc.gz") {
			continue
		}
		if name != entry.Name() && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
			continue // a run is replacing what is there
		}
		f, err := os.Open(filepath.Join(dir, archiveDir, entry.Name()))
		if err != nil {
			return err
		}
		a.closers = append(a.closers, f)
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if err := a.readFile(f, info.Size()); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return errors.New("it is no evidence: it contains no WARC file")
	}
	return nil
}

func (a *Archive) readPackage(r io.Reader) {
	var p packageJSON
	if json.NewDecoder(io.LimitReader(r, maxPackage)).Decode(&p) == nil && strings.HasPrefix(p.Software, softwareName) {
		a.about = append(a.about, p.Orbweaver)
	}
}

// readFile reads the records of a WARC file. What is behind a damaged member is not found.
func (a *Archive) readFile(f io.ReaderAt, size int64) error {
	a.files = append(a.files, f)
	in := readMembers(io.NewSectionReader(f, 0, size), 0, partSize)
	for n := 0; ; n++ {
		m, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if n == 0 {
				return errors.New("it is no evidence: it does not begin with a record")
			}
			a.damaged++
			return nil
		}
		sum := newDigester(m.field("WARC-Block-Digest"))
		m.block.R = io.TeeReader(m.block.R, sum)
		e, payload := &entry{}, newDigester(m.field("WARC-Payload-Digest"))
		readErr := e.read(m, payload)
		if e.kind == typeInfo {
			a.readInfo(m.block)
		}
		if err := in.end(); err != nil {
			a.damaged++
			return nil
		}
		e.length = in.offset() - e.offset
		switch {
		case !sum.fits() || e.kind == typeResponse && !e.chunked && !payload.fits() || readErr != nil:
			a.damaged++
		case e.isExchange() && (a.count == maxKept || a.urls > maxKeptURL):
			a.beyond++
		default:
			a.add(e, source{e.section, len(a.files) - 1})
		}
	}
}

// readInfo reads what the first record of our files says of the run.
func (a *Archive) readInfo(r io.Reader) {
	text, err := io.ReadAll(io.LimitReader(r, maxPackage))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		var run aboutRun
		if known, ok := strings.CutPrefix(line, aboutField); ok && json.Unmarshal([]byte(known), &run) == nil {
			a.about = append(a.about, run)
		}
	}
}

// add adds a record to the index.
func (a *Archive) add(e *entry, at source) {
	switch {
	case e.kind == typeRequest:
		a.addRequest(e)
		return
	case !e.isExchange():
		return
	}
	x := keptExchange{source: at, at: e.date.UnixMicro(), head: e.facts.Method == "HEAD", again: e.facts.Again, foreign: e.facts.For == "", resent: e.facts.Resent, requests: 1}
	if e.facts.Requests != nil {
		x.requests = *e.facts.Requests
	}
	if e.event != nil {
		x.head, x.local = e.event.Method == "HEAD", e.facts.Fault != nil && e.facts.Fault.Local
	}
	if e.kind == typeResponse && e.cut == "" && e.payload != "" {
		a.bodies[shortHash(e.payload)] = at
	}
	asker := e.facts.For
	if asker == "" {
		asker = e.uri
	}
	key := keyOf(asker, e.uri, e.facts.Beside)
	all := a.kept[key]
	if all == nil {
		if a.urls += len(key); key != e.uri {
			a.byURL[e.uri] = append(a.byURL[e.uri], key)
			a.urls += len(e.uri)
		}
	}
	a.kept[key] = append(all, x)
	a.count++
	if e.facts.Page && e.status/100 == 2 {
		a.pages = append(a.pages, e.uri)
	}
}

// addRequest learns the method of an exchange that another program has kept.
func (a *Archive) addRequest(e *entry) {
	if !e.isHead {
		return
	}
	all := a.kept[keyOf(e.uri, e.uri, false)]
	if len(all) == 0 {
		return
	}
	if x := &all[len(all)-1]; x.file == len(a.files)-1 && x.offset+x.length == e.offset {
		x.head = true
	}
}

// keyOf returns the key of what was kept of a URL for an asker.
func keyOf(asker, uri string, beside bool) string {
	switch {
	case beside:
		return "*" + asker + " " + uri
	case asker == uri:
		return uri
	}
	return asker + " " + uri
}

func shortHash(text string) (short [16]byte) {
	sum := sha256.Sum256([]byte(text))
	copy(short[:], sum[:])
	return short
}

// Targets are those of the runs, as the user named them.
func (a *Archive) Targets() (targets []string) {
	for _, run := range a.about {
		for _, target := range run.Targets {
			if !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
	}
	return targets
}

// Pages returns the pages that were kept, if what leads to them may not have been: those of evidence
// of findings.
func (a *Archive) Pages() []string {
	if !slices.ContainsFunc(a.about, func(run aboutRun) bool { return run.Of == "findings" }) {
		return nil
	}
	pages := slices.Clone(a.pages)
	slices.Sort(pages)
	return slices.Compact(pages)
}

// Damaged returns how many records count as not kept, as they are damaged.
func (a *Archive) Damaged() int { return a.damaged }

// Beyond returns how many exchanges count as not kept, as there is no memory for more.
func (a *Archive) Beyond() int { return a.beyond }

// Missing returns how many requests beside those of targets had no answer.
func (a *Archive) Missing() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.missing)
}

// digester compares a digest.
type digester struct {
	hash.Hash // nil if nothing can be compared
	want      string
	inBase32  bool // want is in base 32 without padding, not in base 16
}

// newDigester returns a digester for the value of a field: SHA-256 in hexadecimal, and what other
// programs write.
func newDigester(field string) *digester {
	algorithm, value, _ := strings.Cut(field, ":")
	d := &digester{want: strings.ToLower(value)}
	switch strings.ToLower(strings.ReplaceAll(algorithm, "-", "")) {
	case "sha256":
		d.Hash = sha256.New()
	case "sha1":
		d.Hash = sha1.New()
	default:
		return d
	}
	if d.inBase32 = len(value) != 2*d.Size(); d.inBase32 {
		d.want = strings.TrimRight(d.want, "=")
	}
	return d
}

func (d *digester) Write(p []byte) (int, error) {
	if d.Hash == nil {
		return len(p), nil
	}
	return d.Hash.Write(p)
}

func (d *digester) fits() bool {
	switch {
	case d.Hash == nil:
		return true
	case d.inBase32:
		return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(d.Sum(nil))) == d.want
	}
	return hex.EncodeToString(d.Sum(nil)) == d.want
}
