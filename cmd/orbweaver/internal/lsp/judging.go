package lsp

import (
	"context"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// judging judges the folders again after changes, one at a time.
type judging struct {
	server    *Server
	wake      chan struct{}
	published map[string]published // by path; only the goroutine that judges uses it
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
			o, t := j.server.folders.next()
			if o == nil {
				break
			}
			j.judge(ctx, o, t)
		}
	}
}

// forget clears the findings of folders that were removed.
func (j *judging) forget() {
	for _, o := range j.server.folders.takeRemoved() {
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

// judge judges a folder.
func (j *judging) judge(ctx context.Context, o *folder, t task) {
	s := j.server
	old := o.state
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
	}
	if state.fault != nil || old.fault != nil {
		touched = append(touched, configName)
	}
	s.folders.settle(o, state)
	j.tell(o, old, state, touched)
	s.observing.rouse()
}
