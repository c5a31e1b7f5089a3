package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// workspaceFolder is a folder as the editor names it.
type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// folder is a folder of the workspace, or the directory of a document that is in none.
type folder struct {
	dir  string // absolute; relative for a document without a location
	file string // the name of the document; "" for a folder

	judge workspace.Judge // nil until it is opened; only the goroutine that judges uses it
	state judged

	external *external

	more string // what the user was told about documents that are not read

	apart *apart // the documents that are judged apart; nil if none are

	change  workspace.Change // since the last run began
	reopen  bool             // the configuration may be another one
	pending uint64           // the number of the first change since the last run began; 0 for none
	running uint64           // the number of the first change that is being judged; 0 for none
	held    bool             // it is judged later
	removed bool
}

// judged is what is known of a folder at a time. It does not change.
type judged struct {
	index    *workspace.Index // nil if nothing was judged
	judge    workspace.Judge
	versions map[string]int32 // of the open documents, by their paths in the folder
	fault    error            // the configuration is wrong
	shown    bool             // the fault was shown as a message, because no file of the folder has it
}

// isFaulty reports whether a document has the fault of the configuration as its finding.
func (j *judged) isFaulty(path string) bool { return path == configName && !j.shown }

// folders are the folders of the workspace and the documents that are open.
type folders struct {
	engine Engine

	mu       sync.Mutex // guards all below, and texts
	texts    *openTexts
	settings map[string]any
	all      []*folder
	seen     uint64        // the number of the last change
	moved    chan struct{} // closed after a run
}

// seenKey is the key of the number of the last change before a request.
type seenKey struct{}

// withSeen notes how many changes came before a request.
func (f *folders) withSeen(ctx context.Context) context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	return context.WithValue(ctx, seenKey{}, f.seen)
}

// touch notes a change. Callers hold mu.
func (f *folders) touch(in *folder) {
	f.seen++
	if in.pending == 0 {
		in.pending = f.seen
	}
}

func (f *folders) add(more ...workspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range more {
		dir, ok := pathOfURI(w.URI)
		if !ok || slices.ContainsFunc(f.all, func(o *folder) bool { return o.dir == dir && o.file == "" }) {
			continue
		}
		added := &folder{dir: dir, external: newExternal()}
		f.all = append(f.all, added)
		added.change.All = true
		f.touch(added)
	}
	f.place()
}

// hold says whether a folder of the workspace is judged later.
func hold(f *folders, dir string, later bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.all {
		if o.dir == dir && o.file == "" {
			o.held = later
		}
	}
}

func (f *folders) remove(gone ...workspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range gone {
		dir, _ := pathOfURI(w.URI)
		for _, o := range f.all {
			o.removed = o.removed || o.dir == dir && o.file == ""
		}
	}
	f.place()
}

// place gives each open document that is in no folder one of its own, and removes those that are no
// longer used. Callers hold mu.
func (f *folders) place() {
	for _, o := range f.all {
		o.removed = o.removed || o.file != "" && (f.outer(o.dir) || !f.isOpenLocked(filepath.Join(o.dir, o.file)))
	}
	for _, o := range f.texts.byURI {
		if f.ownerOf(o.path) != nil {
			continue
		}
		alone := &folder{dir: filepath.Dir(o.path), file: filepath.Base(o.path), external: newExternal()}
		alone.change.All = true
		f.all = append(f.all, alone)
		f.touch(alone)
	}
}

// outer reports whether a directory is in a folder of the workspace.
func (f *folders) outer(dir string) bool {
	return slices.ContainsFunc(f.all, func(o *folder) bool { return !o.removed && o.file == "" && o.has(filepath.Join(dir, "x")) })
}

// has reports whether a path is below the directory.
func (o *folder) has(path string) bool {
	rest, below := strings.CutPrefix(path, o.dir)
	return below && rest != "" && (filepath.ToSlash(rest)[0] == '/' || strings.HasSuffix(filepath.ToSlash(o.dir), "/"))
}

// probe returns the path of a document that would belong to the folder.
func (o *folder) probe() string { return filepath.Join(o.dir, cmp.Or(o.file, "x")) }

// rel returns a path in the folder, with slashes.
func (o *folder) rel(path string) string {
	rel, err := filepath.Rel(o.dir, path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// ownerOf returns the innermost folder with a document, nil if there is none. Callers hold mu.
func (f *folders) ownerOf(path string) *folder {
	var best *folder
	for _, o := range f.all {
		switch {
		case o.removed, !o.has(path), o.file != "" && path != filepath.Join(o.dir, o.file):
		case best == nil, len(o.dir) > len(best.dir):
			best = o
		}
	}
	return best
}

// touched notes the change of a document in every folder that has it. moved is set if it came or went. Callers hold
// mu.
func (f *folders) touched(path string, moved bool) {
	for _, o := range f.all {
		if o.removed || !o.has(path) {
			continue
		}
		rel := o.rel(path)
		if !slices.Contains(o.change.Paths, rel) {
			o.change.Paths = append(o.change.Paths, rel)
		}
		if moved {
			o.change.Moved = append(o.change.Moved, rel)
		}
		f.touch(o)
	}
}

// open adds a document, or replaces its text.
func (f *folders) open(o *openText) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts.byURI[o.uri] = o
	f.place()
	f.touched(o.path, !exists(o.path))
}

// change applies changes to a document, and reports whether it is open.
func (f *folders) change(d textDocument, changes []contentChange) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.texts.byURI[d.URI]
	if o == nil {
		return false
	}
	next := &openText{uri: o.uri, path: o.path, language: o.language, version: d.Version, text: o.text}
	for i := range changes {
		next.text = changes[i].apply(next.text, f.texts.encoding)
	}
	f.texts.byURI[d.URI] = next
	f.touched(o.path, false)
	return true
}

// shut removes a document that is no longer open.
func (f *folders) shut(uri string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.texts.byURI[uri]
	if o == nil {
		return
	}
	delete(f.texts.byURI, uri)
	f.place()
	f.touched(o.path, !exists(o.path))
}

// versionOf returns the version of a document, nil if it is not open.
func versionOf(f *folders, uri string) *int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.texts.byURI[uri]; o != nil {
		return &o.version
	}
	return nil
}

func (f *folders) isOpen(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isOpenLocked(path)
}

func (f *folders) isOpenLocked(path string) bool { return f.openAt(path) != nil }

// openAt returns the document that is open with a path, nil if there is none. Callers hold mu.
func (f *folders) openAt(path string) *openText {
	for _, o := range f.texts.byURI {
		if o.path == path {
			return o
		}
	}
	return nil
}

// filesChanged notes that files came, went or changed.
func (f *folders) filesChanged(files []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range files {
		isFile := isFile(path)
		for _, o := range f.all {
			if o.has(path) || strings.HasPrefix(o.dir, path) {
				switch {
				case !o.has(path):
					o.change.All = true
				case isFile:
					o.change.Written = append(o.change.Written, o.rel(path))
				default:
					o.change.Moved = append(o.change.Moved, o.rel(path))
				}
				o.reopen = o.reopen || isRules(path)
				if filepath.Base(path) == configName {
					o.external = newExternal() // it may be judged otherwise
				}
				f.touch(o)
			}
		}
	}
}

func (f *folders) configure(settings map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settings = settings
	for _, o := range f.all {
		o.reopen, o.external = true, newExternal()
		f.touch(o)
	}
}

// task is what there is to judge in a folder.
type task struct {
	change   workspace.Change
	reopen   bool // the configuration may be another one
	texts    map[string][]byte
	versions map[string]int32
	language map[string]string
	settings map[string]any
	observed map[string]*workspace.Target
}

// newTask returns a task with the texts that are open. Callers hold mu.
func newTask(f *folders, o *folder) task {
	t := task{change: o.change, reopen: o.reopen, texts: map[string][]byte{}, versions: map[string]int32{}, language: map[string]string{}, settings: f.settings, observed: o.external.known()}
	for _, open := range f.texts.byURI {
		if o.has(open.path) {
			rel := o.rel(open.path)
			t.texts[rel], t.versions[rel], t.language[rel] = open.body(), open.version, open.language
		}
	}
	return t
}

// unjudged returns the folder of an open document, with its texts, if the folder was never judged.
func (f *folders) unjudged(path string) (*folder, task, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.ownerOf(path)
	if o == nil || o.file != "" || o.state.index != nil || o.state.fault != nil || f.openAt(path) == nil {
		return nil, task{}, false
	}
	return o, newTask(f, o), true
}

// next returns a folder to judge; nil if nothing changed.
func (f *folders) next() (*folder, task) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.all {
		if o.pending == 0 || o.removed || o.held {
			continue
		}
		t := newTask(f, o)
		t.change.Number = o.pending
		o.running, o.pending, o.change, o.reopen = o.pending, 0, workspace.Change{}, false
		return o, t
	}
	return nil, task{}
}

// settle notes the end of a run.
func (f *folders) settle(o *folder, state judged) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o.state, o.running = state, 0
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *folders) takeRemoved() (gone []*folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(o *folder) bool {
		if o.removed {
			gone = append(gone, o)
		}
		return o.removed
	})
	return gone
}

// await returns what is known of the folder with a document, after all changes before the request that its
// answer depends on: those of the document, or if all is set, of all documents of the folder. It returns false
// if no folder has the document.
func (f *folders) await(ctx context.Context, path string, all bool) (*folder, judged, bool, error) {
	seen, _ := ctx.Value(seenKey{}).(uint64)
	for {
		f.mu.Lock()
		o, moved := f.ownerOf(path), f.moved
		if o == nil {
			f.mu.Unlock()
			return nil, judged{}, false, nil
		}
		state := o.state
		ready := (o.pending == 0 || o.pending > seen) && (o.running == 0 || o.running > seen) && (state.index != nil || state.fault != nil)
		f.mu.Unlock()
		if ready && !state.lacks(o.rel(path), all, seen) {
			return o, state, true, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, judged{}, false, ctx.Err()
		}
	}
}

func (f *folders) list() []*folder {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

// uriOf returns the URI of a document: that of the editor, if it is open.
func (f *folders) uriOf(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.openAt(path); o != nil {
		return o.uri
	}
	return uriOfPath(path)
}

// owns reports whether a document belongs to a folder and not to one in it.
func (f *folders) owns(o *folder, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ownerOf(path) == o
}

func (f *folders) close() {
	for _, o := range f.list() {
		if o.judge != nil {
			o.judge.Close()
		}
	}
}

type changedFolders struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

func didChangeWorkspaceFolders(ctx context.Context, s *Server, p *changedFolders) error {
	s.folders.remove(p.Event.Removed...)
	s.folders.add(p.Event.Added...)
	for _, w := range p.Event.Added {
		if dir, ok := pathOfURI(w.URI); ok {
			s.watch(ctx, dir)
		}
	}
	s.judging.rouse()
	return nil
}
