package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/urinorm"
)

// plan is the start of a run: its seeds, and the directories that are checked as sites.
type plan struct {
	workingDir string
	elsewhere  bool // directories are named by absolute paths: it is not that of the process, or they are an editor's
	targets    []target
	seeds      []crawler.Seed
	sites      []*disk.Site
	stdin      *fetch.Document // nil if standard input is not a target
	hints      []string        // notes for the user
	more       bool            // there are more documents than are read

	credentials bool // targets have some

	base       urinorm.URL
	site       disk.SiteConfig // of all directories, except Dir, Base and Synthetic
	noIgnore   bool
	keepsFiles bool                  // to find those that nothing refers to
	wikiLinks  bool                  // a link of a document may lead to any file of its vault or work tree
	root       string                // the absolute path of --root, "" without it
	allowed    []string              // for a run of a server: the directories with what it may read
	dirs       map[string]*disk.Site // mounted directories by absolute path
	isTarget   map[*disk.Site]bool   // the sites that are targets
}

func planRun(ctx context.Context, o *options, args []string, reader *targetReader) (*plan, error) {
	targets, err := reader.read(args, o.from)
	if err != nil {
		return nil, err
	}
	if o.since != "" {
		changed, err := changesSince(ctx, o.since, targets)
		if errors.Is(err, context.Canceled) {
			return nil, unsound(err)
		}
		if err != nil {
			return nil, usageError("%w", err)
		}
		o.crawl.Scope.Changed = &changed.Changes
		reader.note("since %s: %v", o.since, changed)
	}
	p, err := prepare(o, targets, reader.stdin)
	if err != nil {
		return nil, err
	}
	for _, hint := range p.hints {
		reader.note("%s", hint)
	}
	return p, nil
}

// prepare mounts directories and turns targets into seeds. Its errors are usage errors. A
// file that cannot be read becomes a seed too, so that the run reports it as broken.
func prepare(o *options, targets []target, stdin io.Reader) (*plan, error) {
	here, err := os.Getwd()
	if err != nil && o.directory == "" {
		return nil, unsound(fmt.Errorf("find the working directory: %w", err))
	}
	wd := cmp.Or(o.directory, here)
	p := &plan{workingDir: wd, elsewhere: wd != here || o.texts != nil, targets: targets, base: o.base, site: disk.SiteConfig{Style: o.hostStyle, Indexes: o.indexes, Extensions: o.fallbacks, Types: o.crawl.Reading.Types, Preprocessors: o.preprocess, Texts: o.texts}, noIgnore: o.noIgnore, wikiLinks: o.crawl.Reading.Options.WikiLinks, keepsFiles: o.checks.Groups.Has(inspect.Unused), allowed: o.roots, dirs: map[string]*disk.Site{}, isTarget: map[*disk.Site]bool{}}
	add := map[targetKind]func(target) error{
		directory:     func(t target) error { return p.addDirectory(o, t) },
		website:       p.addWebsite,
		document:      p.addDocument,
		stdinDocument: func(target) error { return p.addStdin(o, stdin) },
	}
	base := o.base
	if o.baseFound { // a stranger's file does not decide who receives secrets
		base = urinorm.URL{}
	}
	o.net.Logins, o.net.Origins = logins(targets), origins(targets, base)
	p.credentials = len(o.net.Logins) > 0
	if kept := keepNamed(o, targets); len(kept) > 0 {
		p.hints = append(p.hints, keptNote(kept))
	}
	if p.root, err = checkRoot(o.root, targets); err != nil {
		return nil, err
	}
	if err := p.mountRoots(o.roots); err != nil {
		p.close()
		return nil, err
	}
	// Directories come first, because documents in them belong to them.
	sorted := slices.Clone(targets)
	slices.SortStableFunc(sorted, func(a, b target) int { return cmp.Compare(a.kind, b.kind) })
	for _, t := range sorted {
		if err := add[t.kind](t); err != nil {
			p.close()
			return nil, err
		}
	}
	if err := p.addListing(o); err != nil {
		p.close()
		return nil, err
	}
	disk.FindUsable(p.sites)
	if !o.base.IsZero() && len(p.sites) == 0 && p.stdin == nil && len(p.seeds) > 0 {
		p.hints = append(p.hints, "--base-url has no effect: no target is a directory or document")
	}
	return p, nil
}

func (p *plan) mountRoots(dirs []string) error {
	for _, dir := range dirs {
		if !slices.ContainsFunc(p.targets, func(t target) bool { return t.kind == document && inside(dir, t.path) }) {
			continue
		}
		if _, err := p.mount(dir, dir); err != nil {
			return err
		}
	}
	return nil
}

// place says where the targets of a run are.
func (p *plan) place(cfg *crawler.Config) {
	cfg.Sites, cfg.Scope.WorkingDir = p.sites, p.workingDir
	cfg.Scope.Credentials = cfg.Scope.Credentials || p.credentials
}

// large reports whether the run will read many documents, as far as is known before it.
func (p *plan) large() bool {
	const many = 2000
	return len(p.seeds) >= many
}

// names returns the targets as the user wrote them.
func (p *plan) names(args, from []string) []string {
	if len(from) == 0 {
		return args
	}
	names := make([]string, len(p.targets))
	for i, t := range p.targets {
		names[i] = t.raw
	}
	return names
}

// siteDirs returns the directories that the user named, without those that are mounted
// only for a single document.
func (p *plan) siteDirs() []string {
	var dirs []string
	for _, s := range p.sites {
		if p.isTarget[s] {
			dirs = append(dirs, s.Dir())
		}
	}
	return dirs
}

func (p *plan) close() {
	for _, s := range p.sites {
		s.Close()
	}
}

func (p *plan) addWebsite(t target) error {
	page := isWeb(t.url) || isTreeURL(t.raw) // other addresses are judged like a link to them
	p.seeds = append(p.seeds, crawler.Seed{URL: t.url, Follow: page, Crawl: page, Named: true, Raw: t.raw})
	return nil
}

// addDirectory mounts a directory as a site and adds every document in it as a seed.
// Style sheets are not added, because they are read if a page uses them; nor are plain
// text files and tables, which are read only if the user names them.
func (p *plan) addDirectory(o *options, t target) error {
	site, err := p.mount(t.path, t.path)
	if err != nil {
		if _, ok := errors.AsType[*fetch.Fault](err); ok {
			return p.addUnreadable(t)
		}
		return err
	}
	p.isTarget[site] = true
	before := len(p.seeds)
	ignored, err := disk.OpenIgnore(t.path)
	if err != nil && !p.noIgnore {
		p.hints = append(p.hints, fmt.Sprintf("what git or .ignore files ignore is not left out: %v", withoutPath(err)))
	}
	if err := p.goOnAround(site, t, ignored.Root()); err != nil {
		return err
	}
	if p.noIgnore {
		ignored = nil
	}
	err = site.Walk(ignored, func(rel string, _ fs.DirEntry) error {
		if p.keepsFiles {
			site.Files = append(site.Files, rel)
		}
		if o.maxDocuments > 0 && len(p.seeds) >= o.maxDocuments {
			p.more = true
			return fs.SkipAll
		}
		if path.Ext(rel) == ".css" || p.site.Texts.Type(rel) == "" && !isDocument(p.site.Types, p.site.Preprocessors, site.Dir(), rel) {
			return nil
		}
		u, err := site.URLOf(rel)
		if err != nil {
			return nil // nothing can link to a name that cannot be in a URL
		}
		if n := len(p.seeds); n == cap(p.seeds) {
			p.seeds = slices.Grow(p.seeds, max(256, n)) // avoid repeated growth for large directories
		}
		p.seeds = append(p.seeds, crawler.Seed{URL: u, Follow: true, Crawl: true, Raw: t.raw})
		return nil
	})
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			p.hints = append(p.hints, line+"; its contents are not checked")
		}
	}
	if len(p.seeds) == before {
		p.hints = append(p.hints, noDocument(t.raw, ignored)+linksOut(site))
	}
	return nil
}

// noDocument returns the note about a directory without a document.
func noDocument(dir string, ignored *disk.Ignore) string {
	note := dir + " contains no document that can be read for links"
	if ignored.LeavesOut() {
		note += ", except what git or a .ignore file ignores (--no-ignore reads it)"
	}
	return note
}

// linksOut is the part of that note about symbolic links to other directories.
func linksOut(site *disk.Site) string {
	links := site.LinksOut
	if len(links) == 0 {
		return ""
	}
	note := ": " + links[0]
	if len(links) > 1 {
		note += fmt.Sprintf(" and %d more", len(links)-1)
	}
	note += " lead out of it, and symbolic links are followed only within a directory"
	if file, err := filepath.EvalSymlinks(filepath.Join(site.Dir(), filepath.FromSlash(links[0]))); err == nil {
		note += "; check " + filepath.Dir(file)
	}
	return note
}

// addUnreadable adds a directory that cannot be opened as a seed in its parent directory,
// so that the run reports it.
func (p *plan) addUnreadable(t target) error {
	return p.addFile(t, filepath.Clean(t.path), "/")
}

// addDocument adds one file as a seed: it is read, and its links are checked.
func (p *plan) addDocument(t target) error {
	if t.gone {
		note := "no file " + t.raw
		if t.hint != "" {
			note += ": " + t.hint
		}
		p.hints = append(p.hints, note)
	}
	return p.addFile(t, t.path, "")
}

// addFile adds a file as a seed of the directory that contains it: a mounted one, or the
// working directory, or the root of the volume. slash is appended to the name in the URL.
func (p *plan) addFile(t target, file, slash string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return unsound(err)
	}
	// A symbolic link that the user names is followed, wherever it leads.
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs && !inside(p.workingDir, real) {
		abs = real
	}
	dir := filepath.VolumeName(abs) + string(filepath.Separator)
	label := dir
	if inside(p.workingDir, abs) {
		dir, label = p.workingDir, "."
	}
	if p.root != "" {
		dir, label = p.root, p.label(p.root)
	} else if notes := p.notesAround(abs); notes != "" {
		dir, label = notes, p.label(notes)
	}
	if mounted := p.mountedAround(abs); len(mounted) > len(dir) {
		dir, label = mounted, p.dirs[mounted].Dir()
	}
	site, err := p.mount(dir, label)
	if err != nil {
		return unsound(err)
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return unsound(err)
	}
	u, err := site.URLOf(filepath.ToSlash(rel) + slash)
	if err != nil {
		return usageError("%s: the name cannot be written in a URL: %w", t.raw, err)
	}
	if slash == "" && !readableFile(p.site.Types, p.site.Preprocessors, abs, true) {
		p.hints = append(p.hints, fmt.Sprintf("the format of %s cannot be read for links: only its existence is checked", t.raw))
	}
	p.seeds = append(p.seeds, crawler.Seed{URL: u, Follow: true, Named: true, Raw: t.raw})
	return nil
}

// mountedAround returns the innermost mounted directory that contains a file, or "".
func (p *plan) mountedAround(abs string) string {
	best := ""
	for dir := range p.dirs {
		if len(dir) > len(best) && inside(dir, abs) {
			best = dir
		}
	}
	return best
}

// mount opens a directory as a site, unless it is open already. label is its name in
// reports.
func (p *plan) mount(dir, label string) (*disk.Site, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if site := p.dirs[abs]; site != nil {
		return site, nil
	}
	config := p.site
	config.Dir = label
	if p.elsewhere {
		config.Dir, config.Name = abs, p.label(abs)
	}
	if len(p.sites) > 0 {
		config.Texts = nil // their paths are in the first one
	}
	if p.base.IsZero() {
		config.Synthetic = true
		config.Base, _, err = urinorm.ParseWeb(fmt.Sprintf("https://%d.site.invalid/", len(p.sites)+1))
	} else {
		if len(p.sites) > 0 {
			return nil, usageError("--base-url: it can be the URL of only one directory, but there are %s and %s", p.sites[0].Dir(), label)
		}
		config.Base, err = asDirectory(p.base)
	}
	if err != nil {
		return nil, err
	}
	site, err := disk.OpenSite(config)
	if err != nil {
		return nil, err
	}
	p.dirs[abs] = site
	p.sites = append(p.sites, site)
	return site, nil
}

// addStdin reads the document on standard input. Its URL is --base-url, or that of a file
// in the working directory, against which its relative links are resolved.
func (p *plan) addStdin(o *options, stdin io.Reader) error {
	limit := int64(extract.MaxBody)
	if o.crawl.Limits.MaxBodyGiven {
		limit = o.crawl.Limits.MaxBody
	}
	body, err := fetch.ReadDocument(stdin, limit)
	if err != nil {
		return unsound(fmt.Errorf("read standard input: %w", err))
	}
	if len(body) == 0 { // the program that should have written it has failed
		p.hints = append(p.hints, "standard input is empty")
		return nil
	}
	at := o.base
	if at.IsZero() {
		if at, err = fileURL(filepath.Join(p.workingDir, "-")); err != nil {
			return unsound(err)
		}
	}
	p.stdin = &fetch.Document{URL: at, ContentType: typeOfStdin(o.stdinType, body), Body: body, Path: "-"}
	p.seeds = append(p.seeds, crawler.Seed{URL: at, Follow: true, Raw: "-"})
	return nil
}
