package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

func newExtractCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "extract [INPUT...] [flags]",
		Short: "print the links found in documents; nothing is checked",
		Long:  "An INPUT is a document, a directory, a quoted glob, a URL, or - for standard input, which is also read if there is no INPUT. The document at each URL is fetched and read, but not crawled; nothing else is sent over the network. A link is printed as a browser resolves it; a relative link in a document without a base is printed as written.",
		Example: `orbweaver extract page.html -b https://example.com/
orbweaver extract https://example.com/ --unique
curl -s https://example.com/ | orbweaver extract -b https://example.com/
orbweaver extract public/ -f csv`,
	}
	s := addFlags(cmd, option.Extract)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := &compiler{settings: s}
		c.checkWords(option.Extract)
		x := &extraction{
			unique: s.On("unique"),
			repeat: s.On("duplicates"),
			base:   read(c, "base", parseDocumentBase),
			pick:   read(c, "select", parseSelector),
			ignore: read(c, "ignore-select", parseSelector),
			note:   newConsole(cmd.ErrOrStderr(), "never").notef,
			seen:   map[string]bool{},
			byKey:  map[string][]keptLink{},

			noIgnore:   s.On("no-ignore"),
			types:      readTypes(c),
			preprocess: readPreprocessors(c),
			reading:    readReading(c),
		}
		stdinType := read(c, "stdin-type", parseFormat)
		x.net.note = x.note
		x.net.config, x.net.limit = compileNetwork(c), read(c, "max-body", quantity.ParseSize)
		x.net.config.MaxBody, x.limit = x.net.limit, extract.MaxBody
		if s.Given("max-body") {
			x.limit = x.net.limit
		}
		if err := errors.Join(c.faults...); err != nil {
			return usageError("%w", err)
		}
		if len(args) == 0 && len(s.List("from")) == 0 {
			if terminalIn(cmd.InOrStdin()) {
				return usageError("extract: name a document, or pipe one to standard input")
			}
			args = []string{"-"}
		}
		var err error
		if x.workingDir, err = os.Getwd(); err != nil {
			return unsound(fmt.Errorf("find the working directory: %w", err))
		}
		reader := &targetReader{stdin: cmd.InOrStdin(), note: x.note, types: x.types, preprocess: x.preprocess, noIgnore: x.noIgnore, commands: commandNames(cmd)}
		targets, err := reader.read(args, s.List("from"))
		if err != nil {
			return err
		}
		x.net.config.Logins, x.net.config.Origins = logins(targets), origins(targets, urinorm.URL{})
		x.out = newLinkWriter(s.Text("format"), cmd.OutOrStdout())
		defer x.net.close()
		for _, t := range targets {
			if err := x.target(cmd.Context(), t, cmd.InOrStdin(), stdinType); err != nil {
				return err
			}
		}
		if err := x.writeRepeats(); err != nil {
			return err
		}
		if err := x.out.end(); err != nil {
			return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
		}
		if x.failed > 0 {
			return &exitError{code: report.ExitUnsound}
		}
		return nil
	}
	return cmd
}

type extraction struct {
	base         urinorm.URL // zero for none
	pick, ignore extract.Selector
	unique       bool
	repeat       bool                  // print only the links that occur several times
	byKey        map[string][]keptLink // with repeat: all links
	keys         []string              // of byKey, in the order of the first links
	net          download
	limit        int64 // maximum size of a file or standard input, in bytes
	note         func(string, ...any)
	out          linkWriter
	seen         map[string]bool
	workingDir   string
	noIgnore     bool
	types        fetch.Types // that --type sets
	preprocess   disk.Preprocessors
	reading      extract.Options
	failed       int // number of inputs that could not be read
}

// target reads one input, which is a document or a directory of documents.
func (x *extraction) target(ctx context.Context, t target, stdin io.Reader, stdinType string) error {
	switch t.kind {
	case website:
		return x.website(ctx, t)
	case stdinDocument:
		body, err := fetch.ReadDocument(stdin, x.limit)
		if err != nil {
			return x.unreadable("-", err)
		}
		body = x.truncate("-", body)
		return x.read(extract.Input{Body: body, ContentType: typeOfStdin(stdinType, body)}, "-", x.base, named)
	case document:
		return x.file(ctx, t.path, x.base, named)
	}
	var ignored *disk.Ignore
	if !x.noIgnore {
		ignored, _ = disk.OpenIgnore(t.path) // an error is that of the walk, too
	}
	documents := 0
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return x.unreadable(path, err)
		}
		rel, err := filepath.Rel(t.path, path)
		switch {
		case err != nil:
			return x.unreadable(path, err)
		case rel != "." && ignored.Ignored(filepath.ToSlash(rel), entry.IsDir()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !isDocument(x.types, x.preprocess, t.path, filepath.ToSlash(rel)):
			return nil
		}
		documents++
		base, err := urlBelow(x.base, filepath.ToSlash(rel))
		if err != nil {
			return x.unreadable(path, err)
		}
		return x.file(ctx, path, base, walked)
	}
	if err := filepath.WalkDir(t.path, walk); err != nil {
		return err
	}
	if documents == 0 {
		x.note("%s", noDocument(t.raw, ignored))
		x.failed++
	}
	return nil
}

// origin is how a document became an input.
type origin bool

const (
	named  origin = true  // the user named it
	walked origin = false // it was found in a directory
)

// urlBelow returns the URL of a file in a directory that is published at base.
func urlBelow(base urinorm.URL, rel string) (urinorm.URL, error) {
	if base.IsZero() {
		return base, nil
	}
	dir, err := asDirectory(base)
	if err != nil {
		return dir, err
	}
	u, _, err := urinorm.ParseWeb(dir.WithoutFragment().String() + escapedPath(rel))
	return u, err
}

func (x *extraction) unreadable(path string, err error) error {
	x.note("read %s: %v", path, withoutPath(err))
	x.failed++
	return nil
}

func (x *extraction) file(ctx context.Context, path string, base urinorm.URL, by origin) error {
	f, err := os.Open(path)
	if err != nil {
		return x.unreadable(path, err)
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
	case info.IsDir():
		return x.unreadable(path, errors.New("it is a directory"))
	case info.Mode()&fs.ModeDevice != 0 && path != "/dev/stdin":
		return x.unreadable(path, errors.New("it is a device")) // a document may be a link to one without an end
	}
	if p := x.preprocess.For(path); p != nil {
		out, err := p.Run(ctx, path)
		if err != nil {
			return x.unreadable(path, err)
		}
		media, ok := x.types.Set(path)
		if !ok {
			media = fetch.SniffText(out)
		}
		return x.read(extract.Input{Body: x.truncate(x.pageName(path), out), ContentType: media}, x.pageName(path), base, by)
	}
	contentType := x.types.Of(path)
	body, err := fetch.ReadDocument(f, extract.SniffLength)
	format, _ := extract.Readable(contentType, filepath.Base(path), body)
	if err == nil && !extract.ReadInPlace(format) {
		body, err = fetch.ReadDocument(io.MultiReader(bytes.NewReader(body), f), x.limit)
		body = x.truncate(x.pageName(path), body)
	}
	if err != nil {
		return x.unreadable(path, err)
	}
	return x.read(extract.Input{Body: body, Path: path, Name: filepath.Base(path), ContentType: contentType}, x.pageName(path), base, by)
}

// truncate truncates a document at the limit, with a note.
func (x *extraction) truncate(page string, body []byte) []byte {
	if int64(len(body)) <= x.limit {
		return body
	}
	x.note("%s: longer than %d bytes; the rest is not read", page, x.limit)
	return body[:x.limit]
}

// pageName returns the name of a file in reports: its path relative to the working
// directory if it is in there.
func (x *extraction) pageName(path string) string {
	if filepath.IsAbs(path) && inside(x.workingDir, path) {
		if rel, err := filepath.Rel(x.workingDir, path); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// read prints the links of one document and the given links from its HTTP headers. It
// only returns errors of the output.
func (x *extraction) read(in extract.Input, page string, base urinorm.URL, by origin, beside ...extract.Link) error {
	if _, ok := extract.Readable(in.ContentType, in.Name, in.Body[:min(len(in.Body), extract.SniffLength)]); !ok && by == named && in.ContentType == "" && extract.IsText(in.Body) {
		in.ContentType = "text/plain"
	} else if !ok {
		return x.unreadable(page, errors.New("its format cannot be read for links"))
	}
	in.Select, in.IgnoreSelect, in.Options = x.pick, x.ignore, x.reading
	doc := extract.Extract(in)
	for _, fault := range doc.Faults {
		x.note("%s: %s", page, fault)
	}
	if by == named && doc.Unreadable() {
		x.failed++
	}
	resolve := resolver(doc, base)
	if x.pick.IsZero() { // headers are not in any element
		for i := range beside {
			beside[i].SameDocument = true // the base element does not apply to them
			doc.Links = append(doc.Links, beside[i])
		}
	}
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Ignored || l.Flaw != nil {
			continue
		}
		link, key := resolve(l)
		if x.repeat {
			x.keep(keptLink{link, page, *l}, key)
			continue
		}
		if x.unique {
			if x.seen[key] {
				continue
			}
			x.seen[key] = true
		}
		if err := x.out.link(link, page, l); err != nil {
			return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
		}
	}
	return nil
}

// keptLink is a link that is printed at the end.
type keptLink struct {
	url, page string
	link      extract.Link
}

// keep keeps a link for writeRepeats. The fragment is a part of its key, as applications keep there
// what they show.
func (x *extraction) keep(l keptLink, key string) {
	_, fragment, _ := strings.Cut(l.url, "#")
	key += "#" + fragment
	if x.byKey[key] == nil {
		x.keys = append(x.keys, key)
	}
	x.byKey[key] = append(x.byKey[key], l)
}

// writeRepeats prints the links that occur several times.
func (x *extraction) writeRepeats() error {
	for _, key := range x.keys {
		same := x.byKey[key]
		if len(same) == 1 {
			continue
		}
		if x.unique {
			same = same[:1]
		}
		for i := range same {
			if err := x.out.link(same[i].url, same[i].page, &same[i].link); err != nil {
				return unsound(fmt.Errorf("write standard output: %w", withoutPath(err)))
			}
		}
	}
	return nil
}

// resolver returns a function that resolves the references of a document to the printed
// URL and its key. A relative reference without a base is returned as written. The base
// is the first base element, itself resolved (HTML standard section 4.2.3), unless a link
// has a base of its own, such as xml:base.
func resolver(doc *extract.Document, own urinorm.URL) func(l *extract.Link) (link, key string) {
	resolve := urinorm.ParseWeb
	if !own.IsZero() {
		if b, err := urinorm.NewBase(own, doc.Charset); err == nil {
			resolve = b.Resolve
		}
	}
	itself := resolve // for links to the document itself
	if doc.Base != "" {
		if u, _, err := resolve(doc.Base); err == nil && u.Scheme() != "data" && u.Scheme() != "javascript" {
			if b, err := urinorm.NewBase(u.WithoutFragment(), doc.Charset); err == nil {
				resolve = b.Resolve
			}
		}
	}
	return func(l *extract.Link) (string, string) {
		by := resolve
		switch {
		case l.SameDocument:
			by = itself
		case l.Base != "":
			if u, _, err := resolve(l.Base); err == nil {
				if b, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
					by = b.Resolve
				}
			}
		}
		u, _, err := by(l.Ref)
		if err != nil {
			written := trimmedReference(l.Ref)
			return written, "as written: " + written
		}
		return u.Printed(), string(urinorm.KeyOf(u))
	}
}

var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// trimmedReference returns a reference without what every URL parser drops: surrounding white
// space, and tabs and line breaks.
func trimmedReference(ref string) string {
	return urinorm.Redact(lineBreaks.Replace(strings.Trim(ref, " \t\n\f\r")))
}

func terminalIn(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && isTerminal(f)
}
