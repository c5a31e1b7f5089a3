package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// editorEngine judges what an editor has open, by runs of the engine in the folders.
type editorEngine struct {
	base *settings // the command line and the environment
	note func(string, ...any)

	external editorExternal

	maxDocuments int // of a folder
}

// Open implements lsp.Engine. The command line takes precedence over the client, and that over the file of
// the folder.
func (e *editorEngine) Open(dir, file string, client map[string]any) (workspace.Judge, error) {
	f := &editorFolder{engine: e, dir: dir, target: file}
	if !filepath.IsAbs(dir) {
		f.dir = ""
	} else if real, err := filepath.EvalSymlinks(dir); err == nil {
		f.dir = real
	}
	s := e.flags()
	if err := applyClient(s, f.dir, client); err != nil {
		return nil, err
	}
	var err error
	if f.dir != "" {
		err = loadConfig(s, f.dir)
	}
	if err == nil {
		f.options, err = compile(s, option.Check) // as check would
	}
	if err != nil {
		return nil, asInside(f.dir, err)
	}
	f.options.crawl.Scope.External = crawler.SkipExternal
	if f.external, f.asking, err = e.external.options(s, s.found["external"] > 0); err != nil {
		return nil, err
	}
	f.options.progress, f.options.directory, f.options.between = "never", f.dir, betweenRuns{baseline: f.options.between.baseline}
	if f.dir == "" {
		f.options.base = nowhere
		f.options.crawl.Scope.Exclude = append(f.options.crawl.Scope.Exclude, relative())
	}
	return f, nil
}

// A document without a location is at an address that nothing else has: what is below it, or a file, was
// a relative reference or one that depends on the machine.
var (
	nowhere, _, _ = urinorm.ParseWeb("https://unlocated.invalid/" + workspace.Unlocated)
	relative      = lazy.Regexp(`^https://unlocated\.invalid/([^-]|-[^#]|$)|^file:`)
)

func (e *editorEngine) Watch(ctx context.Context, dir string, begun func(), changed func(files []string)) error {
	w, err := newWatcher([]target{{raw: dir, kind: directory, path: dir}}, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	begun()
	for {
		files, err := w.wait(ctx)
		if err != nil || len(files) == 0 {
			return err
		}
		changed(files)
	}
}

func (e *editorEngine) CheckSettings(client map[string]any) error {
	s := e.flags()
	if err := applyClient(s, "", client); err != nil {
		return err
	}
	_, err := compile(s, option.Check)
	return err
}

// flags returns the settings of the command line as those of check.
func (e *editorEngine) flags() *settings {
	s := addFlags(&cobra.Command{}, option.Check)
	for _, f := range option.Of(option.Editor) {
		if e.base.Given(f.Name) {
			s.Set(f.Name, e.base.Origin(f.Name), e.base.List(f.Name)...)
		}
	}
	return s
}

// applyClient adds what a client set for a folder, by the rules for a configuration that was found: editors
// read their settings from the workspace.
func applyClient(s *settings, dir string, client map[string]any) error {
	file := &configFile{name: "the settings of the editor", found: true, dir: dir, env: os.LookupEnv}
	rows := configRows()
	for _, key := range slices.Sorted(maps.Keys(client)) {
		row := rows[key]
		if row == nil {
			if near := nearest(key, slices.Sorted(maps.Keys(rows))); near != "" {
				return fmt.Errorf("%s: unknown key %s: did you mean %s?", file.name, printable(key), near)
			}
			return fmt.Errorf("%s: unknown key %s: use the long name of a flag", file.name, printable(key))
		}
		value := client[key]
		if n, ok := value.(float64); ok && n == float64(int64(n)) {
			value = int64(n) // JSON has one type for numbers
		}
		if err := applyKey(s, row, file, value); err != nil {
			return err
		}
	}
	return nil
}

// editorFolder is a folder, or the directory of one document that is in no folder. It is a
// workspace.Judge.
type editorFolder struct {
	engine  *editorEngine
	dir     string
	target  string // the name of the document; "" for the folder
	options *options

	external *options // how external targets are judged
	asking   workspace.Asking

	editorListings
	texts *disk.Texts // of the plan

	made map[string]encodedText // by their paths: large ones are looked at once

	progress func(checked, known int) // may be nil

	languages atomic.Pointer[map[string]string] // media types of documents whose names say none, by their paths
}

// editorFormats are the formats by the languages of editors.
var editorFormats = []string{"html", "markdown", "mdx", "restructuredtext", "asciidoc", "org"}

func (f *editorFolder) Speak(languages map[string]string) (changed bool) {
	types, now := f.options.crawl.Reading.Types, map[string]string{}
	for name, language := range languages {
		if slices.Contains(editorFormats, language) && types.Of(name) == "" && !readableByName(types, name) {
			now[name], _ = parseFormat(language) // it is known
		}
	}
	before := f.languages.Swap(&now)
	return before == nil && len(now) > 0 || before != nil && !maps.Equal(*before, now)
}

// spoken returns the media type that the language of a document decides, "" if its name does.
func (f *editorFolder) spoken(name string) string {
	if languages := f.languages.Load(); languages != nil {
		return (*languages)[name]
	}
	return ""
}

func (f *editorFolder) Progress(report func(checked, known int)) { f.progress = report }

// JudgesSome implements workspace.Judge: content checks compare the pages of a site, and what a baseline has
// at every place is known.
func (f *editorFolder) JudgesSome() bool {
	return f.options.checks.Groups == 0 && f.options.between.baseline == "" && !f.options.crawl.Judging.TextFragments && f.options.crawl.Limits.MaxPages == 0 && f.target == ""
}

// maxDocuments is how many documents of a folder are read.
const maxDocuments = 100_000

func (f *editorFolder) Documents(ctx context.Context, texts map[string][]byte) (listed, large []string, err error) {
	before := f.plan
	f.plan = nil
	f.Close()
	f.before, f.options.crawl.Reading.Publisher = before, newPublisher()
	run := *f.options
	reader := &targetReader{note: func(string, ...any) {}, types: run.crawl.Reading.Types, preprocess: run.preprocess, noIgnore: run.noIgnore}
	target := filepath.Join(f.dir, f.target)
	if f.dir == "" {
		run.stdinType, target = f.spoken(workspace.Unlocated), "-"
		if run.stdinType == "" {
			return nil, nil, nil // its format is not known
		}
		reader.stdin = bytes.NewReader(f.encoded(texts)[workspace.Unlocated])
	}
	run.texts, run.maxDocuments = disk.NewTexts(f.encoded(texts), *f.languages.Load()), f.engine.maxDocuments
	f.texts = run.texts
	if f.plan, err = planRun(ctx, &run, []string{target}, reader); err != nil {
		return nil, nil, refusedIn(f.dir, err)
	}
	for _, s := range f.plan.seeds {
		name := f.pathOf(s.URL)
		listed = append(listed, name)
		if f.length(name, texts) > workspace.Large {
			large = append(large, name)
		}
	}
	slices.Sort(listed)
	return listed, large, ctx.Err()
}

// length returns the number of bytes of a document.
func (f *editorFolder) length(name string, texts map[string][]byte) int64 {
	if text, open := texts[name]; open {
		return int64(len(text))
	}
	info, err := os.Stat(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		return 0
	}
	return info.Size()
}

func (f *editorFolder) More() string {
	if f.plan == nil || !f.plan.more {
		return ""
	}
	return fmt.Sprintf("only the first %d documents of %s are read", f.engine.maxDocuments, filepath.Base(f.dir))
}

func (f *editorFolder) Judge(ctx context.Context, texts map[string][]byte, some, beside []string, add func(workspace.Found)) (result.Search, error) {
	if f.plan == nil {
		return result.Search{}, nil // no document can be read
	}
	defer keepHeadroom()
	f.forget()
	run := *f.options
	run.show = report.ShowAll
	f.texts.Set(f.encoded(texts))
	seeds := f.plan.seeds
	if some != nil {
		seeds = f.seedsOf(some, beside)
	}
	if some != nil || f.plan.more {
		seedsOnly(&run.crawl)
	}
	var asking result.Paths // documents whose references ask for files
	found := &editorSink{folder: f, add: add, files: map[string]string{}}
	r := &toolRun{options: &run, plan: f.plan, seeds: seeds, note: func(string, ...any) {}, deliver: found.result}
	if f.progress != nil {
		r.progress = func(p result.Progress) { f.progress(p.Checked, p.Checked+p.Queued+p.InFlight) }
	}
	if err := r.crawl(ctx, func(cfg *crawler.Config) error {
		cfg.Reading.ReadAgain, cfg.Deliver.Asks = false, &asking
		return nil
	}); err != nil {
		return result.Search{}, refusedIn(f.dir, err)
	}
	for _, file := range asking.All() {
		add(workspace.Found{Asks: pathIn(f.dir, file)})
	}
	return r.summary.Search, ctx.Err()
}

// refusedIn returns the error of a run in a folder. A usage error is that of the configuration, since all else is
// given.
func refusedIn(dir string, err error) error {
	if exit := (*exitError)(nil); errors.As(err, &exit) && exit.code == exitUsage {
		return &workspace.Refused{Cause: asInside(dir, err)}
	}
	return err
}

// asInside returns an error with the names of files as check has them in a directory.
func asInside(dir string, err error) error {
	if dir == "" {
		return err
	}
	text := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	return errors.New(strings.ReplaceAll(text, dir, "."))
}

// seedsOf returns the seeds of some documents, and of targets beside them.
func (f *editorFolder) seedsOf(some, beside []string) (seeds []crawler.Seed) {
	for _, s := range f.plan.seeds {
		if slices.Contains(some, f.pathOf(s.URL)) {
			seeds = append(seeds, s)
		}
	}
	for _, address := range beside {
		if u, _, err := urinorm.ParseWeb(address); err == nil {
			seeds = append(seeds, crawler.Seed{URL: u})
		}
	}
	return seeds
}

// pathOf returns the path of a seed in the folder, with slashes.
func (f *editorFolder) pathOf(u urinorm.URL) string {
	for _, site := range f.plan.sites {
		if site.Holds(u) {
			return pathIn(f.dir, site.PathOf(u))
		}
	}
	return ""
}

// pathIn returns the path of a file relative to a directory, with slashes; "" if there is none.
func pathIn(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// encoded returns texts as they are read from files: a text is in UTF-8 whatever it says about its
// encoding, which a byte order mark tells the reader.
func (f *editorFolder) encoded(texts map[string][]byte) map[string][]byte {
	all, made := make(map[string][]byte, len(texts)), make(map[string]encodedText, len(texts))
	for path, text := range texts {
		e, known := f.made[path]
		if same := len(e.text) == len(text) && (len(text) == 0 || &e.text[0] == &text[0]); !known || !same {
			e = encodedText{text, text}
			if !isASCII(text) {
				if _, charset, ok := extract.Decode(f.input(path, text)); ok && charset != "utf-8" {
					e.read = append([]byte("\ufeff"), text...)
				}
			}
		}
		made[path], all[path] = e, e.read
	}
	f.made = made
	return all
}

// encodedText is a text, which never changes, and as it is read from a file.
type encodedText struct{ text, read []byte }

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(b byte) bool { return b >= 0x80 })
}

// input is what the reader of documents gets.
func (f *editorFolder) input(name string, text []byte) extract.Input {
	return extract.Input{Body: text, ContentType: cmp.Or(f.spoken(name), f.options.crawl.Reading.Types.Of(name)), Name: path.Base(name), Options: f.options.crawl.Reading.Options}
}

func (f *editorFolder) Read(name string, text []byte) *extract.Document {
	in := f.input(name, text)
	in.Places = true
	return extract.Extract(in)
}

func (f *editorFolder) Offers(name string, text []byte) bool {
	return extract.IsWritten(f.input(name, text))
}

func (f *editorFolder) Printed(name string) string {
	if f.options.base.IsZero() {
		return cmp.Or(disk.EscapePath(name), "./")
	}
	base, _ := asDirectory(f.options.base) // no run would begin with a wrong one
	return base.Printed() + disk.EscapePath(name)
}

func (f *editorFolder) Edits(name string, text []byte, results []*result.Result, likely bool) []workspace.Edit {
	level := f.options.fixLevel
	if likely {
		level = fix.Likely
	}
	body, added := f.encoded(map[string][]byte{name: text})[name], 0
	if len(body) > len(text) {
		added = len(body) - len(text)
	}
	in := extract.Input{Body: body, ContentType: cmp.Or(f.spoken(name), fetch.TypeByName(name)), Name: path.Base(name)}
	var edits []workspace.Edit
	for _, e := range fix.ForText(name, in, results, level) {
		start, end, written := e.Replacement()
		edits = append(edits, workspace.Edit{Line: e.Line, Column: e.Column, Start: start - added, End: end - added, New: string(written)})
	}
	return edits
}

func (f *editorFolder) IgnoreRule(url, comment string) string {
	if f.dir == "" || f.engine.base.Given("config") || f.engine.base.Given("no-config") {
		return ""
	}
	return fmt.Sprintf("# %s\n[[rule]]\nmatch_re = %s\nverdict = \"ignore\"\n", comment, tomlString("^"+regexp.QuoteMeta(url)+"$"))
}

func (f *editorFolder) List(dir string) (names []string) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	d, err := root.Open(filepath.FromSlash(cmp.Or(dir, ".")))
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxListed)
	var ignored *disk.Ignore
	if !f.options.noIgnore {
		ignored, _ = disk.OpenIgnore(f.dir)
	}
	for _, entry := range entries {
		rel := path.Join(dir, entry.Name())
		info, err := root.Stat(filepath.FromSlash(rel))
		if err != nil || strings.HasPrefix(entry.Name(), ".") || ignored.Ignored(rel, info.IsDir()) {
			continue
		}
		switch {
		case info.IsDir():
			names = append(names, entry.Name()+"/")
		case info.Mode().IsRegular():
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

// maxListed is how many entries of a directory are looked at.
const maxListed = 10_000

func (f *editorFolder) Text(name string) string {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > extract.MaxBody {
		return ""
	}
	body, err := root.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	text, _, ok := extract.Decode(f.input(name, body))
	if !ok {
		return string(body)
	}
	return string(text)
}

func (f *editorFolder) Close() {
	f.made = nil // another language may decide how they are read
	f.forget()
	if f.plan != nil {
		f.plan.close()
		f.plan = nil
	}
}

// editorListings are the folder as it was listed last and, until something is judged, as it was before.
type editorListings struct{ plan, before *plan } // nil for none

func (l *editorListings) Address(name string) string {
	if l.plan == nil || len(l.plan.sites) == 0 {
		return ""
	}
	u, err := l.plan.sites[0].URLOf(name)
	if err != nil {
		return "" // nothing can link to it
	}
	return u.Printed()
}

func (l *editorListings) Moved(addresses []string) (moved map[string]bool, ok bool) {
	defer l.forget()
	var documents []urinorm.URL
	for _, p := range []*plan{l.before, l.plan} {
		if p == nil || p.more || p.wikiLinks || len(p.sites) != 1 {
			return nil, false
		}
		for _, s := range p.seeds {
			documents = append(documents, s.URL)
		}
	}
	compared, ok := disk.Relist(l.before.sites[0], l.plan.sites[0], documents)
	if !ok {
		return nil, false
	}
	moved = map[string]bool{}
	for _, address := range addresses {
		if u, _, err := urinorm.ParseWeb(address); err != nil || !compared.Same(u) {
			moved[address] = true
		}
	}
	return moved, true
}

// forget closes the folder as it was listed before.
func (l *editorListings) forget() {
	if l.before != nil {
		l.before.close()
		l.before = nil
	}
}

// editorSink turns the results of a run into those of a judge.
type editorSink struct {
	folder *editorFolder
	add    func(workspace.Found)
	files  map[string]string // what answers, by URLs without fragments
}

func (s *editorSink) result(r *result.Result) {
	show := s.folder.options.shows()
	found := workspace.Found{Result: r, Listed: show.Lists(r)}
	if found.Listed {
		for _, w := range r.Warnings {
			if show.ListsWarning(w) && !slices.Contains(r.Known, w.Code) {
				found.Warnings = append(found.Warnings, w)
			}
		}
	}
	if r.Kind == result.KindTarget && r.Internal && (r.Verdict != check.Skipped) {
		at, _, _ := strings.Cut(r.FinalURL, "#")
		file, known := s.files[at]
		if !known {
			file = s.folder.fileOf(at)
			s.files[strings.Clone(at)] = file
		}
		found.File = file
	}
	s.add(found)
}

// fileOf returns the path of the file that answers for a printed URL, "" if there is none.
func (f *editorFolder) fileOf(printed string) string {
	if f.dir == "" && printed == nowhere.Printed() {
		return workspace.Unlocated
	}
	if len(f.plan.sites) == 0 {
		return ""
	}
	site := f.plan.sites[0]
	at := printed
	if site.Synthetic() {
		at = site.Base().String() + printed
	}
	u, _, err := urinorm.ParseWeb(at)
	if err != nil {
		return ""
	}
	file := disk.FileOf(site, u)
	if file == "" {
		return ""
	}
	return pathIn(f.dir, file)
}
