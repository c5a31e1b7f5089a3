package lsp

import (
	"context"
	"maps"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

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
		t, ok := s.folders.apartTask(ctx, o)
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
func (f *folders) apartTask(ctx context.Context, o *folder) (t task, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil || o.apart != nil || o.pending != 0 || o.removed || o.state.index == nil || len(o.state.index.Due) == 0 {
		return task{}, false
	}
	f.seen++
	t = f.task(o)
	t.change.Number = f.seen
	f.fill(o, &t)
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
		state.index, touched = workspace.Folder{Observed: observed}.Join(old.index, run.found)
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
