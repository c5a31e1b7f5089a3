package lsp

import (
	"context"
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

// run judges until ctx ends.
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

// forget clears the findings of folders that were removed.
func (j *judging) forget() {
	for _, o := range j.server.folders.takeRemoved() {
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
}

// showProgress shows that a folder is judged, the first time at once, until stop is called.
func (j *judging) showProgress(o *folder, first bool) (stop func()) {
	c := j.server.client
	if !c.capabilities().Window.WorkDoneProgress {
		return func() {}
	}
	j.shown++
	token := "orbweaver-" + strconv.Itoa(j.shown)
	p := &progress{title: printable("checking links in " + filepath.Base(o.dir)),
		ask: func(agreed func(bool)) {
			c.ask("window/workDoneProgress/create", map[string]any{"token": token}, func(m *message) { agreed(!m.failed) })
		},
		tell: func(value map[string]any) { c.notify("$/progress", map[string]any{"token": token, "value": value}) }}
	if first {
		return p.start(0)
	}
	return p.start(unshown)
}

// judge judges a folder.
func (j *judging) judge(ctx context.Context, o *folder, t task) {
	s := j.server
	old := o.state
	defer j.showProgress(o, old.index == nil && old.fault == nil)()
	state := judged{versions: t.versions}
	if o.judge == nil || t.reopen {
		if o.judge != nil {
			o.judge.Close()
		}
		o.judge, state.fault = s.engine.Open(o.dir, o.file, t.settings)
		t.change.Files = true
	}
	var touched []string
	if state.fault == nil {
		var err error
		state.judge = o.judge
		t.change.Files = o.judge.Speak(t.language) || t.change.Files
		state.index, touched, err = workspace.Folder{Judge: o.judge, Observed: t.observed}.Update(ctx, old.index, t.texts, t.change)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // such as a directory that is gone
			s.client.log(o.dir + ": " + err.Error())
			state.index = &workspace.Index{Texts: t.texts}
		}
	}
	if state.index == nil || len(touched) == 0 && old.index != nil {
		if old.index != nil {
			touched = old.index.Paths()
		}
	}
	if state.fault != nil {
		o.judge = nil
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
