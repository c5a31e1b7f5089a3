package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Contents are what is in the directory of a site besides the files that answer.
type Contents struct {
	// LinksOut has the symbolic links that Walk met and that lead out of the directory. They are
	// not followed.
	LinksOut []string
	// Files are the files that a caller of Walk has kept, with their paths as in Walk, to find those that
	// nothing refers to. [FindUsable] leaves those that need a reference.
	Files []string
}

// SiteConfig says which directory answers for which URLs.
type SiteConfig struct {
	// Base is the URL at which the directory is, or will be, published. A missing final
	// '/' is added.
	Base urinorm.URL
	// Dir is the directory as written by the user.
	Dir string
	// Name is the directory in the texts of faults. "" means Dir.
	Name string
	// Style is the kind of host to imitate.
	Style HostStyle
	// Indexes are the files that answer for a directory, in order of preference, in place of
	// those of the style. The name "." stands for the directory itself, with its file list.
	// Nil means those of the style; an empty list means that no file answers for a directory.
	Indexes []string
	// Extensions are appended in turn to a path that names no file, in place of the extension
	// of the style. They begin with a dot. Nil means that of the style.
	Extensions []string
	// Types are media types of files by their extensions.
	Types fetch.Types
	// Preprocessors convert files before they are read.
	Preprocessors Preprocessors
	// Synthetic is true if Base is made up and not shown to users.
	Synthetic bool
	// Texts count in place of the files at their paths, which have names separated by '/' and need
	// not exist: those of documents that are open in an editor.
	Texts *Texts
}

// Site answers requests for the URLs below a base from a directory. It answers like the host
// on which the directory will be published, and never leaves the directory.
//
// Each segment of a URL's path is percent-decoded exactly once to get a file name; the
// query is ignored. Names are compared byte by byte on every operating system. A file
// whose name differs only in Unicode normalization is served with the note
// "uri-repaired", because hosts that compare bytes would not find it.
//
// Answers have Status 0, except redirects, which have the Status and Location that a
// static host would send. Faults have the kinds file-missing, file-case (Hint is the
// correct path, relative to the directory), file-outside-root and file-unreadable. If a
// _redirects rule answers with an error status such as 404, the Response has that
// Status.
//
// A Site is safe for concurrent use. It lists each directory once and may not see later
// changes.
type Site struct {
	place
	Contents
	// Around is where links go on that lead above the directory, nil if they end at it. It must not be
	// set while requests are answered.
	Around *Around

	types         fetch.Types
	preprocessors Preprocessors

	dir, name string
	answersBy string // how the configuration says to answer
	opened    time.Time
	tree      rootTree
	locator   locator
	redirects redirectRules
	projects  sync.Map // *Project by directory
	leftOut   leftOut
	linksIn   bool // Walk met symbolic links to files or directories in the directory
	texts     *Texts
}

// OpenSite opens a directory as a site, which the caller closes. It returns an error if
// Dir is not a readable directory or Base is not http or https.
func OpenSite(config SiteConfig) (*Site, error) {
	if int(config.Style) >= len(hostStyles) {
		return nil, fmt.Errorf("open site %s: unknown host style %d", config.Dir, config.Style)
	}
	at, err := newPlace(&config)
	if err != nil {
		return nil, err
	}
	opened := time.Now()
	root, err := os.OpenRoot(config.Dir)
	if err != nil {
		f := fileFault("open", config.Dir, err)
		if f.Err == errNoFile {
			f.Err = errors.New("there is no such directory")
		}
		return nil, f
	}
	tree := rootTree{root, newOpenDirs(root)}
	s := &Site{
		place:         at,
		types:         config.Types,
		preprocessors: config.Preprocessors,
		dir:           config.Dir,
		name:          cmp.Or(config.Name, config.Dir),
		opened:        opened,
		answersBy:     fmt.Sprintf("%d %q %t %q %t %v", config.Style, config.Indexes, config.Indexes == nil, config.Extensions, config.Extensions == nil, config.Types),
		tree:          tree,
		texts:         config.Texts,
	}
	index := newDirectoryIndex(tree)
	index.texts = config.Texts.names()
	top := index.list("")
	if top.err != nil {
		s.Close()
		return nil, fileFault("read", config.Dir, top.err)
	}
	s.locator = newLocator(index, top, &config)
	if hostStyles[s.locator.style].redirects && index.exact(top, "", redirectsFile) == entryFile {
		if err := s.readRedirects(); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close releases the directory. Open bodies stay readable.
func (s *Site) Close() error {
	s.tree.openDirs.close()
	return s.tree.root.Close()
}

// Dir returns the directory as given.
func (s *Site) Dir() string { return s.dir }

// IsSource reports whether the directory is treated as a source tree, as with HostAuto
// if the root has no index file.
func (s *Site) IsSource() bool { return s.locator.sourceTree }

// Answers reports whether the directory has an answer for a URL.
func (s *Site) Answers(u urinorm.URL) bool {
	rel, ok := s.fileAt(u)
	if !ok || !s.Holds(u) {
		return false
	}
	at := s.locator.locate(rel)
	return at.kind == entryFile || at.kind == entryDir || at.redirect != "" || at.source != nil
}

// FileOf returns the path of the file that answers for a URL, below Dir and as that is written; "" if none does.
func FileOf(s *Site, u urinorm.URL) string {
	resp, err := s.Fetch(context.Background(), &fetch.Request{URL: u, Need: fetch.Existence})
	if err != nil || resp.Status != 0 || resp.ContentType == "" && resp.Size < 0 {
		return ""
	}
	return resp.Path
}

// IdentityOf returns what may change the answers of a site besides its files, as the method of a
// [fetch.CacheableFetcher] does. ok is false if programs make what is read of the files.
func IdentityOf(s *Site) (id traffic.Identity, ok bool) {
	dir, err := filepath.Abs(s.dir)
	return traffic.Identity{Open: "directory " + dir}, err == nil && len(s.preprocessors) == 0
}

// Finds reports whether a directory answers a request for a URL with anything but a fault.
func Finds(ctx context.Context, s *Site, u urinorm.URL) bool {
	_, err := s.Fetch(ctx, &fetch.Request{URL: u})
	return err == nil
}

// Fetch answers a request from the directory.
func (s *Site) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	u := req.URL
	if !s.Holds(u) {
		return nil, &fetch.Fault{Kind: "file-outside-root", Op: "open", Target: u.Printed(), Err: errOutside}
	}
	if !s.isHost(u) {
		// Whether the real redirect is permanent is unknown here.
		return redirectTo(307, s.scheme+"://"+s.authority+u.RequestTarget()), nil
	}
	path, query := u.Path(), queryOf(u)
	if len(path) < len(s.path) {
		return redirectTo(301, s.path+query), nil
	}
	encoded := path[len(s.path):]
	if strings.Contains(path, "//") {
		// If both spellings had answers, relative links could grow without end.
		return redirectTo(307, collapseSlashes(path)+query), nil
	}
	rel, ok := decodePath(encoded)
	if !ok {
		return nil, s.missing(encoded, errEncodedPath)
	}
	at := s.locator.locate(rel)
	if answer, err := s.applyRedirects(req, rel, query, &at); answer != nil || err != nil {
		return answer, err
	}
	if at.source != nil {
		return redirectTo(307, s.path+at.source.of(encoded)+query), nil
	}
	if at.redirect != "" {
		// The Location is the requested path with a final '/' added or removed.
		if at.redirect == "/" {
			return redirectTo(301, path+"/"+query), nil
		}
		return redirectTo(301, strings.TrimSuffix(path, "/")+query), nil
	}
	resp, err := s.serve(req, rel, at)
	if len(s.preprocessors) > 0 && err == nil {
		media, _ := s.types.Set(at.rel)
		return s.preprocessors.apply(ctx, resp, media)
	}
	return resp, err
}

// serve opens the file that was found, or returns the fault if there is none.
func (s *Site) serve(req *fetch.Request, rel string, at location) (*fetch.Response, error) {
	if at.kind == entryDir {
		return &fetch.Response{Size: -1, Requests: 1, Path: s.pathTo(at.rel)}, nil
	}
	if at.kind != entryFile {
		return nil, s.faultOf(rel, at)
	}
	resp := &fetch.Response{ContentType: cmp.Or(s.texts.Type(at.rel), s.types.Of(at.rel)), Requests: 1, Path: s.pathTo(at.rel)}
	name := resp.Path
	if s.name != s.dir {
		name = pathIn(s.name, at.rel)
	}
	var body io.ReadCloser
	if text, open := s.texts.at(at.rel); open {
		body, resp.Size = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	} else if quick, version, ok := s.tree.openDirs.openFile(at.rel); ok {
		body, resp.Size, resp.Modified, resp.Version = quick, version.Size, version.Modified, version
	} else {
		f, info, err := openFile(s.tree, at.rel, name)
		if err != nil {
			return nil, err
		}
		body, resp.Size, resp.Modified = f, info.Size(), info.ModTime()
	}
	if at.renormalized {
		resp.Notes = []fetch.Note{normalizationNote(at.rel)}
	}
	if req.Need == fetch.Existence {
		body.Close()
		return resp, nil
	}
	resp.Body = newFileBody(body, name, resp.Size)
	return resp, nil
}

// normalizationNote returns the note for a name whose Unicode normalization differs
// from that of the link: NFC and NFD.
func normalizationNote(rel string) fetch.Note {
	return fetch.Note{Code: "uri-repaired", Message: "the file name spells the same letters with other code points (" + rel + "); hosts that compare bytes will not find it"}
}

// redirectTo returns a redirect, as a host would send it.
func redirectTo(status int, location string) *fetch.Response {
	return &fetch.Response{Status: status, Location: location, Size: -1, Requests: 1}
}

// faultOf returns the fault for a location without a file.
func (s *Site) faultOf(rel string, at location) error {
	path := pathIn(s.name, rel)
	f := &fetch.Fault{Kind: "file-unreadable", Op: "open", Target: path, Requests: 1}
	switch {
	case at.err != nil:
		return fileFault("open", path, at.err)
	case at.kind == entryOutside:
		f.Kind, f.Err = "file-outside-root", errOutside
	case at.kind == entryLoop:
		f.Err = errLinkLoop
	case at.kind == entrySpecial:
		f.Err = errSpecial
	case at.kind == entryDenied:
		f.Err = errPermission
	case at.kind == entryDangling:
		f.Kind, f.Err = "file-missing", errDangling
	default:
		reason := at.reason
		if reason == nil {
			reason = errNoFile
		}
		if right := s.locator.correctCase(rel); right != "" {
			f.Kind, f.Err, f.Hint = "file-case", errLetterCase, right
			return f
		}
		return s.missing(rel, reason)
	}
	return f
}

func (s *Site) missing(rel string, reason error) *fetch.Fault {
	return &fetch.Fault{Kind: "file-missing", Op: "open", Target: pathIn(s.name, rel), Err: reason, Requests: 1}
}

// pathTo returns the path of a file of the site in the form of the operating system.
func (s *Site) pathTo(rel string) string { return pathIn(s.dir, rel) }

// pathIn returns the path of a file in a directory, in the form of the operating system.
func pathIn(dir, rel string) string {
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if strings.HasSuffix(rel, "/") {
		path += string(filepath.Separator)
	}
	return path
}

// PathOf returns the local path that a URL of the site stands for, whether or not the
// file exists: the decoded path below Dir, including a final '/'. A path that cannot be
// decoded to a file name stays encoded.
func (s *Site) PathOf(u urinorm.URL) string {
	path := u.Path()
	if len(path) <= len(s.path) {
		return s.pathTo("")
	}
	rel, ok := decodePath(path[len(s.path):])
	if !ok {
		rel = path[len(s.path):]
	}
	return s.pathTo(rel)
}

// IsExactPath reports whether a URL leads exactly to a file below Dir, without an index
// file, a redirect or an escape.
func (s *Site) IsExactPath(u urinorm.URL, file string) bool {
	path := u.Path()
	if _, query := u.Query(); query || len(path) <= len(s.path) {
		return false
	}
	rel := path[len(s.path):]
	dir, found := strings.CutSuffix(filepath.ToSlash(file), rel)
	return found && strings.IndexByte(rel, '%') < 0 && len(dir) > 1 && dir[len(dir)-1] == '/' && dir[:len(dir)-1] == filepath.ToSlash(filepath.Clean(s.dir))
}

func queryOf(u urinorm.URL) string {
	if query, ok := u.Query(); ok {
		return "?" + query
	}
	return ""
}

// collapseSlashes removes empty segments, as most hosts do.
func collapseSlashes(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// decodePath percent-decodes each segment of a path once and keeps any other '%'. ok is
// false if a decoded segment contains a slash or NUL, or is "." or "..", which are not
// file names.
func decodePath(path string) (string, bool) {
	decoded := path
	if strings.IndexByte(path, '%') >= 0 {
		var b strings.Builder
		b.Grow(len(path))
		for i := 0; i < len(path); i++ {
			c := path[i]
			if c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) {
				c = unhex(path[i+1])<<4 | unhex(path[i+2])
				i += 2
				if c == '/' || c == 0 || c == filepath.Separator {
					return "", false
				}
			}
			b.WriteByte(c)
		}
		decoded = b.String()
	}
	for rest := decoded; ; {
		segment, tail, more := strings.Cut(rest, "/")
		if segment == "." || segment == ".." {
			return "", false
		}
		if !more {
			return decoded, true
		}
		rest = tail
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
