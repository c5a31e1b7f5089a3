package evidence

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// form is how evidence is kept.
type form uint8

const (
	formWACZ form = iota
	formWARC
	formDirectory
)

const (
	partSuffix   = ".part"
	newSuffix    = ".new"
	softwareName = "orbweaver/"
)

// Names within a WACZ file or a directory.
const (
	archiveDir  = "archive"
	indexFile   = "indexes/index.cdx"
	pagesFile   = "pages/pages.jsonl"
	packageFile = "datapackage.json"
	digestFile  = "datapackage-digest.json"
)

func dataFile(n int) string { return fmt.Sprintf(archiveDir+"/data-%05d.warc.gz", n) }

// formOf returns the form of a name.
func formOf(path string) (form, error) {
	info, err := os.Stat(path)
	switch {
	case strings.HasSuffix(path, "/") || os.IsPathSeparator(path[max(0, len(path)-1)]) || err == nil && info.IsDir():
		return formDirectory, nil
	case strings.HasSuffix(path, ".wacz"):
		return formWACZ, nil
	case strings.HasSuffix(path, ".warc.gz"):
		return formWARC, nil
	}
	return 0, errors.New("use FILE.wacz, FILE.warc.gz, or a directory, whose name ends with /")
}

// CheckName returns an error if evidence cannot have a name, which says what to use.
func CheckName(path string) error {
	if path == "" {
		return errors.New("use FILE.wacz, FILE.warc.gz, or a directory, whose name ends with /")
	}
	_, err := formOf(path)
	return err
}

// place is where the evidence of a run goes.
type place struct {
	options Options
	form    form
	path    string
	part    string // the name of the file while the run works
}

// errForeign is the error for what another program wrote.
var errForeign = errors.New("it was not written by this program, and stays as it is")

// openPlace checks that a path may be written. It changes nothing.
func openPlace(o Options) (*place, error) {
	f, err := formOf(o.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	p := &place{options: o, form: f, path: filepath.Clean(o.Path)}
	p.part = p.path + partSuffix
	if f == formDirectory {
		p.part = filepath.Join(p.path, archiveDir, "data-00000.warc.gz"+partSuffix)
		err = mayReplaceDir(p.path, p.part)
	} else {
		software := softwareOfWARC
		if f == formWACZ {
			software = softwareOfZip
		}
		err = mayReplace(p.path, software)
	}
	if err == nil {
		err = mayReplace(p.part, softwareOfWARC)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", o.Path, err)
	}
	return p, nil
}

// mayReplace returns an error unless a file is missing, empty or ours.
func mayReplace(name string, software func(name string) string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return withoutPath(err)
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return nil
	}
	if !strings.HasPrefix(software(name), softwareName) {
		return errForeign
	}
	return nil
}

// mayReplaceDir returns an error unless a directory is missing, empty or ours.
func mayReplaceDir(dir, part string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return withoutPath(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, packageFile))
	if err == nil && strings.HasPrefix(softwareOfPackage(text), softwareName) || len(entries) == 0 || strings.HasPrefix(softwareOfWARC(part), softwareName) {
		return nil
	}
	if len(entries) == 1 && entries[0].Name() == archiveDir { // of a run that was killed before it wrote anything
		files, err := os.ReadDir(filepath.Join(dir, archiveDir))
		if err == nil && (len(files) == 0 || len(files) == 1 && files[0].Name() == filepath.Base(part)) {
			return nil
		}
	}
	return errForeign
}

// createUnfinished creates the file that a file is written to before it replaces the one with its name. What a
// killed run has left there is replaced; if another program wrote it, another name is used.
func createUnfinished(path string) (*os.File, error) {
	name := path + newSuffix
	if mayReplace(name, softwareOfUnfinished) != nil {
		return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+newSuffix)
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// softwareOfUnfinished returns the software that the first record of a WARC file names, which may be the first file
// in a WACZ file without an end.
func softwareOfUnfinished(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	at := int64(0)
	var header [30]byte // APPNOTE.TXT 4.3.7
	if _, err := io.ReadFull(f, header[:]); err == nil && string(header[:4]) == "PK\x03\x04" {
		at = int64(len(header)) + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	}
	return softwareOfRecords(io.NewSectionReader(f, at, 1<<62))
}

// softwareOfWARC returns the software that the first record of a file names.
func softwareOfWARC(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	return softwareOfRecords(f)
}

func softwareOfRecords(r io.Reader) string {
	m, err := readMembers(r, 0, partSize).next()
	if err != nil || m.field("WARC-Type") != typeInfo {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(m.block, maxHead))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if software, ok := strings.CutPrefix(line, "software:"); ok {
			return strings.TrimSpace(software)
		}
	}
	return ""
}

// softwareOfZip returns the software that the package in a WACZ file names.
func softwareOfZip(name string) string {
	z, err := zip.OpenReader(name)
	if err != nil {
		return ""
	}
	defer z.Close()
	f, err := z.Open(packageFile)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxHead)) // what is cut is no JSON
	return softwareOfPackage(text)
}

func softwareOfPackage(text []byte) string {
	var p struct {
		Software string `json:"software"`
	}
	_ = json.Unmarshal(text, &p) // what is no JSON names nothing
	return p.Software
}

// createPart creates the file for the time of the run, and returns its size. It goes on with what
// earlier sessions of the crawl kept, which scan reads up to the end of the whole records, or replaces
// what a killed run has left.
func (p *place) createPart(scan func(*os.File) int64) (*os.File, int64, error) {
	fail := func(err error) (*os.File, int64, error) {
		return nil, 0, fmt.Errorf("write %s: %w", p.options.Path, withoutPath(err))
	}
	if p.form == formDirectory {
		if err := os.MkdirAll(filepath.Join(p.path, archiveDir), 0o700); err != nil {
			return fail(err)
		}
	}
	f, err := os.OpenFile(p.part, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fail(err)
	}
	if lock := p.options.Lock; lock != nil {
		held, err := lock(f)
		if err == nil && !held {
			err = errors.New("another run is writing it")
		}
		if err != nil {
			f.Close()
			return fail(err)
		}
	}
	size := int64(0)
	if p.options.Resumes {
		size, err = p.goOn(f, scan)
	} else {
		err = p.begin(f)
	}
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Chmod(0o600))
	}
	if err != nil {
		f.Close()
		return fail(err)
	}
	return f, size, nil
}

// begin notes that the file of a run that was killed is replaced.
func (p *place) begin(f *os.File) error {
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		fmt.Fprintf(p.options.Note, "%s: it is left from a run that was killed, and is replaced\n", p.part)
	}
	return p.forget()
}

// forget removes what earlier sessions have kept.
func (p *place) forget() error {
	if p.options.Earlier == "" {
		return nil
	}
	if err := os.Remove(p.options.Earlier); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// goOn returns the size of the whole records that earlier sessions have kept: in the file itself, if
// the last one was killed, or else next to the state of the crawl.
func (p *place) goOn(f *os.File, scan func(*os.File) int64) (int64, error) {
	if size := scan(f); size > 0 {
		return size, nil
	}
	if err := f.Truncate(0); err != nil {
		return 0, err
	}
	earlier, err := os.Open(p.options.Earlier)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(p.options.Note, "%s: what earlier sessions of the crawl kept is gone; the answers to what they asked are missing\n", p.path)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer earlier.Close()
	if _, err := io.Copy(f, earlier); err != nil {
		return 0, err
	}
	return scan(f), nil
}

// keepForLater keeps a file for the next session of the crawl.
func (p *place) keepForLater(f *os.File) error {
	if p.options.Earlier == "" {
		return nil
	}
	later, err := createFile(p.options.Earlier)
	if err != nil {
		return err
	}
	if _, err := io.Copy(later.f, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return errors.Join(err, later.abandon())
	}
	return later.commit()
}

// close removes the directories that are empty.
func (p *place) close() {
	if p.form == formDirectory {
		_ = os.Remove(filepath.Join(p.path, archiveDir)) // they stay if there is anything in them
		_ = os.Remove(p.path)
	}
}

// withoutPath removes the operation and the file name from an error whose context names them.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
