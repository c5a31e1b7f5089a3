package lsp

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strconv"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// judging judges the folders again after changes, one at a time.
type judging struct {
	server    *Server
	wake      chan struct{}
	published map[string]published // by path; only the goroutine that judges uses it
	shown     int                  // how often progress was, or might have been, shown
}

// rouse tells that something changed.
func (j *judging) rouse() {
	select {
	case j.wake <- struct{}{}:
	default: // it has been told
	}
}

func (j *judging) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.wake:
		}
		for ctx.Err() == nil {
			j.forget()
			j.join()
			o, t := j.server.folders.next()
			if o == nil {
				break
			}
			j.judge(ctx, o, t)
		}
		j.startApart(ctx)
	}
}

// forget clears the findings of folders that were removed. The other folders that have their documents
// tell theirs again.
func (j *judging) forget() {
	gone := j.server.folders.takeRemoved()
	for _, o := range gone {
		o.stopApart()
		if o.judge != nil {
			o.judge.Close()
		}
		for path := range j.published {
			if o.has(path) && (o.file == "" || path == filepath.Join(o.dir, o.file)) {
				j.publish(path, nil, nil)
			}
		}
	}
	if len(gone) == 0 {
		return
	}
	for _, o := range j.server.folders.list() {
		if o.state.index != nil {
			j.tell(o, o.state, o.state, o.state.index.Paths())
		}
	}
}

// showProgress shows that a folder is judged, the first time at once, until the progress is stopped.
func (j *judging) showProgress(o *folder, first bool) *progress {
	c := j.server.client
	if !c.capabilities().Window.WorkDoneProgress {
		return nil
	}
	j.shown++
	token := "orbweaver-" + strconv.Itoa(j.shown)
	p := &progress{title: printable("checking links in " + filepath.Base(o.dir)),
		ask: func(agreed func(bool)) {
			c.ask("window/workDoneProgress/create", map[string]any{"token": token}, func(m *message) { agreed(!m.failed) })
		},
		tell: func(value map[string]any) { c.notify("$/progress", map[string]any{"token": token, "value": value}) }}
	after := unshown
	if first {
		after = 0
	}
	p.start(after)
	return p
}

func (j *judging) judge(ctx context.Context, o *folder, t task) {
	s := j.server
	old := o.state
	shown := j.showProgress(o, old.index == nil && old.fault == nil)
	defer shown.stop()
	state := judged{versions: t.versions}
	if o.judge == nil || t.reopen {
		if o.judge != nil {
			o.judge.Close()
		}
		o.judge, state.fault = s.engine.Open(o.dir, o.file, t.settings)
		t.change.All = true
	}
	var touched []string
	if state.fault == nil {
		var err error
		state.judge = o.judge
		o.judge.Progress(shown.report)
		t.change.All = o.judge.Speak(t.language) || t.change.All
		state.index, touched, err = workspace.Folder{Judge: o.judge, Observed: t.observed}.Update(ctx, old.index, t.texts, t.change)
		if ctx.Err() != nil {
			return
		}
		if refused := (*workspace.Refused)(nil); errors.As(err, &refused) {
			o.judge.Close()
			state.fault = err
		} else if err != nil { // such as a directory that is gone
			s.client.log(o.dir + ": " + err.Error())
			state.index = &workspace.Index{Texts: t.texts}
		}
	}
	if old.index != nil && (state.index == nil || len(touched) == 0) {
		touched = old.index.Paths()
	}
	if state.fault != nil {
		o.judge = nil
		if state.shown = o.file != "" || !exists(filepath.Join(o.dir, configName)); state.shown && (old.fault == nil || old.fault.Error() != state.fault.Error()) {
			s.client.show(typeError, o.dir+": "+state.fault.Error())
		}
	} else {
		state.keepVersions(&old)
	}
	if state.index == nil || old.index == nil || !state.index.Follows(old.index) {
		o.stopApart() // its documents were judged again
	}
	if state.fault != nil || old.fault != nil {
		touched = append(touched, configName)
	}
	if o.judge != nil && o.more != o.judge.More() {
		if o.more = o.judge.More(); o.more != "" {
			s.client.show(typeWarning, o.more)
		}
	}
	s.folders.settle(o, state)
	j.tell(o, old, state, touched)
	s.observing.rouse()
}

// apart is a run in the background that judges large documents of a folder, and those that refer to them.
// [folders.mu] guards it.
type apart struct {
	stop     context.CancelFunc
	versions map[string]int32
	found    *workspace.Apart // nil until it ends, and if it failed
	ended    bool
}

// stopApart ends the run of a folder. Only the goroutine that judges calls it.
func (o *folder) stopApart() {
	if o.apart != nil {
		o.apart.stop()
	}
}

// startApart starts runs for the folders that have documents which are due.
func (j *judging) startApart(ctx context.Context) {
	s := j.server
	for _, o := range s.folders.list() {
		t, ok := j.apartTask(ctx, o)
		if !ok {
			continue
		}
		ctx, stop := context.WithCancel(ctx)
		run := &apart{stop: stop, versions: t.versions}
		s.folders.mu.Lock()
		o.apart = run
		s.folders.mu.Unlock()
		index := o.state.index
		s.background(func() {
			defer stop()
			found, err := j.judgeApart(ctx, o, index, t)
			if err != nil && ctx.Err() == nil {
				s.client.log(o.dir + ": " + err.Error())
				found = index.Given(t.texts, t.change.Number)
			}
			s.folders.mu.Lock()
			run.found, run.ended = found, true
			s.folders.mu.Unlock()
			j.rouse()
		})
	}
}

// apartTask returns what there is to judge apart in a folder, when nothing else is.
func (j *judging) apartTask(ctx context.Context, o *folder) (t task, ok bool) {
	f := j.server.folders
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil || o.apart != nil || o.pending != 0 || o.removed || o.state.index == nil || len(o.state.index.Due) == 0 {
		return task{}, false
	}
	f.seen++
	t = newTask(f, o)
	t.change.Number = f.seen
	return t, true
}

// judgeApart judges the documents of a folder that are due, with a judge of its own.
func (j *judging) judgeApart(ctx context.Context, o *folder, index *workspace.Index, t task) (*workspace.Apart, error) {
	judge, err := j.server.engine.Open(o.dir, o.file, t.settings)
	if err != nil {
		return nil, err
	}
	defer judge.Close()
	judge.Speak(t.language)
	return workspace.Folder{Judge: judge}.Apart(ctx, index, t.texts, t.change.Number)
}

// join adds what was found apart to what is known of the folders.
func (j *judging) join() {
	f := j.server.folders
	for _, o := range f.list() {
		f.mu.Lock()
		run := o.apart
		if run == nil || !run.ended {
			f.mu.Unlock()
			continue
		}
		o.apart = nil
		observed := o.external.known()
		f.mu.Unlock()
		old := o.state
		if run.found == nil || old.index == nil || o.removed {
			continue
		}
		state, touched := old, []string(nil)
		state.index, touched = workspace.Folder{Judge: old.judge, Observed: observed}.Join(old.index, run.found)
		if touched == nil {
			continue
		}
		state.versions = maps.Clone(old.versions)
		for path := range old.index.Due {
			if version, open := run.versions[path]; !run.found.Has(path) {
				continue
			} else if open {
				state.versions[path] = version
			} else {
				delete(state.versions, path)
			}
		}
		f.settle(o, state)
		j.tell(o, old, state, touched)
		j.server.observing.rouse()
	}
}

// keepVersions gives documents that are due the versions of their findings.
func (j *judged) keepVersions(old *judged) {
	for path := range j.index.Due {
		if version, open := old.versions[path]; open {
			j.versions[path] = version
		} else {
			delete(j.versions, path)
		}
	}
}

// lacks reports whether a document, or any one, is due since a change.
func (j *judged) lacks(path string, all bool, seen uint64) bool {
	if j.index == nil {
		return false
	}
	for due, since := range j.index.Due {
		if since.First <= seen && (all || due == path) {
			return true
		}
	}
	return false
}
