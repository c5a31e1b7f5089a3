package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// Config configures a Manager.
type Config struct {
	Dir      string // the data directory
	Store    *store.Store
	Engine   Engine
	MaxRuns  int // that are executed at a time
	Retain   Retention
	ReadOnly bool // nothing is executed
	// Job returns what a run checks, with its secrets.
	Job func(context.Context, *store.Run) (*Job, error)
	// Ended is called when a run is done or has failed.
	Ended func(context.Context, *store.Run)
	// Log writes a line about what no answer tells.
	Log func(format string, args ...any)
}

// Manager executes runs. It is safe for concurrent use.
type Manager struct {
	// All tells what happens in all runs.
	All *Bulletin
	// Disk is the disk of the data directory.
	Disk *Disk

	config Config
	paths  paths
	files  *openFiles

	mu       sync.Mutex
	active   map[string]*execution // runs that are executed
	events   map[string]*Events    // of runs that are not over
	closing  bool
	wake     chan struct{}
	finished sync.WaitGroup
	cancel   context.CancelFunc
}

// paths is a data directory, with the names of its files.
type paths string

// state returns the directory with the crawl of a run.
func (dir paths) state(run string) string { return filepath.Join(string(dir), "runs", run) }

// findings returns the file of the findings of a run that is over, live that of one that is not.
func (dir paths) findings(run string) string {
	return filepath.Join(string(dir), "findings", run+".sqlite")
}

func (dir paths) live(run string) string {
	return filepath.Join(string(dir), "findings", run+".live.sqlite")
}

func (dir paths) events(run string) string {
	return filepath.Join(string(dir), "events", run+".events")
}

// New returns a manager that executes nothing yet.
func New(c Config) *Manager {
	m := &Manager{
		All: newBulletin(c.Store, time.Now()), Disk: &Disk{dir: c.Dir}, config: c, paths: paths(c.Dir), files: newOpenFiles(), active: map[string]*execution{}, events: map[string]*Events{}, wake: make(chan struct{}, 1)}
	c.Store.Recount = m.recount
	return m
}

// recount counts the issues and the known findings of a run that is over.
func (m *Manager) recount(ctx context.Context, r *store.Run) (*store.Counts, error) {
	c := &store.Counts{}
	x, release, err := m.Findings(r.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	if c.Issues, err = x.CountIssues(ctx); err != nil {
		return nil, err
	}
	marks, err := store.Marks{Store: m.config.Store}.All(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	var inForce []string
	for now, i := time.Now(), 0; i < len(marks); i++ {
		mark := marks[i]
		if !mark.InForce(now) {
			continue
		}
		inForce = append(inForce, mark.Fingerprint)
		if mark.Until != nil && (c.Until == nil || mark.Until.Before(*c.Until)) {
			c.Until = mark.Until
		}
	}
	c.Known, err = x.KnownBroken(ctx, inForce)
	return c, err
}

// StateDir returns the directory with the crawl of a run.
func (m *Manager) StateDir(run string) string { return m.paths.state(run) }

// Start puts the runs that an earlier process did not finish into the queue again, and begins
// to execute runs.
func (m *Manager) Start(ctx context.Context) error {
	if err := m.restore(ctx); err != nil {
		return fmt.Errorf("recover the runs: %w", err)
	}
	if m.config.ReadOnly {
		return nil
	}
	ctx, m.cancel = context.WithCancel(ctx)
	m.finished.Go(func() { m.dispatch(ctx) })
	m.Retain(ctx)
	m.wakeUp()
	return nil
}

// restore brings the rows of an earlier process in order: runs that it executed are
// interrupted, by a person or by its end. The latter are queued again.
func (m *Manager) restore(ctx context.Context) error {
	left, err := m.config.Store.RunsIn(ctx, api.Running, api.Stopping)
	if err != nil {
		return err
	}
	for _, r := range left {
		by := "shutdown"
		if r.State == api.Stopping {
			by = "stop"
		}
		now := time.Now()
		if _, err := m.changed(ctx, r.ID, []api.State{r.State}, store.Change{To: api.Interrupted, InterruptedBy: by, Finished: &now}); err != nil {
			return err
		}
	}
	if m.config.ReadOnly {
		return nil
	}
	interrupted, err := m.config.Store.RunsIn(ctx, api.Interrupted)
	if err != nil {
		return err
	}
	for _, r := range interrupted {
		if r.InterruptedBy == nil || *r.InterruptedBy != "shutdown" {
			continue
		}
		_, err := m.changed(ctx, r.ID, []api.State{api.Interrupted}, store.Change{To: api.Queued})
		if err != nil {
			return err
		}
	}
	return nil
}

// changed changes the state of a run, tells the readers of its events, and returns it.
func (m *Manager) changed(ctx context.Context, run string, from []api.State, c store.Change) (*store.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.config.Store.ChangeRun(ctx, run, from, c)
	if err == nil {
		m.tell(r)
	}
	return r, err
}

// tell appends the state of a run to its events. If that fails, readers do not see the change before
// they ask again, but the run goes on. The caller holds mu.
func (m *Manager) tell(r *store.Run) {
	err := m.All.run(&r.Run)
	e, err1 := m.eventsOf(r.ID)
	if err = errors.Join(err, err1); e != nil {
		if r.State.Over() && r.Started != nil { // the last progress may be some time old
			err = errors.Join(err, e.AppendProgress(r.Progress))
		}
		err = errors.Join(err, e.Append("state", &r.Run))
		if r.State.Over() {
			delete(m.events, r.ID)
			err = errors.Join(err, e.close())
		}
	}
	if err != nil {
		m.config.Log("run %s: %v", r.ID, err)
	}
}

// hold keeps the end of a run that cannot be written in memory.
func (m *Manager) hold(r *store.Run, c store.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell(m.config.Store.Held.Keep(r, c))
}

// writeHeld writes the ends of runs that could not be written when they ended.
func (m *Manager) writeHeld(ctx context.Context) error {
	written, err := m.config.Store.Held.Write(ctx, m.config.Store)
	for _, r := range written {
		m.config.Ended(ctx, r)
	}
	return err
}

// eventsOf returns the open events of a run that is not over. The caller holds mu.
func (m *Manager) eventsOf(run string) (*Events, error) {
	if e := m.events[run]; e != nil {
		return e, nil
	}
	e, err := openEvents(m.paths.events(run))
	if err == nil {
		m.events[run] = e
	}
	return e, err
}

// Add puts a new run into the queue. The error is store.ErrActive if another run of the project is
// active.
func (m *Manager) Add(ctx context.Context, r *store.Run) error {
	if err := m.writeHeld(ctx); err != nil { // until then, the project has a run
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.config.Store.AddRun(ctx, r); err != nil {
		return err
	}
	m.tell(r)
	m.wakeUp()
	return nil
}

// Stop ends a run: at once if it is queued, else when its requests in flight are finished.
// who is the name of the person who wants it. The error is store.ErrState if it does neither.
func (m *Manager) Stop(ctx context.Context, run, who string) (*store.Run, error) {
	now := time.Now()
	r, err := m.changed(ctx, run, []api.State{api.Queued}, store.Change{To: api.Interrupted, InterruptedBy: "stop", StoppedBy: who, Finished: &now})
	if !errors.Is(err, store.ErrState) {
		return r, err
	}
	r, err = m.changed(ctx, run, []api.State{api.Running}, store.Change{To: api.Stopping, StoppedBy: who})
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.active[run]; x != nil {
		x.end("stop")
	}
	return r, nil
}

// Resume puts an interrupted run into the queue again. The errors are store.ErrState and
// store.ErrActive.
func (m *Manager) Resume(ctx context.Context, run string) (*store.Run, error) {
	r, err := m.changed(ctx, run, []api.State{api.Interrupted}, store.Change{To: api.Queued, Requeue: true})
	if err == nil {
		m.wakeUp()
	}
	return r, err
}

func (m *Manager) wakeUp() {
	select {
	case m.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// lookEvery is the time between two looks at the disk, and at what is to be done once there is space
// on it again.
const lookEvery = 3 * time.Second

// dispatch executes queued runs until ctx ends.
func (m *Manager) dispatch(ctx context.Context) {
	clock := time.NewTicker(lookEvery)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		case <-clock.C:
		}
		if m.writeHeld(ctx) != nil {
			continue // the disk is still full
		}
		for m.startNext(ctx) {
		}
	}
}

// startNext starts the first run of the queue, if another one may run.
func (m *Manager) startNext(ctx context.Context) bool {
	m.mu.Lock()
	full := m.closing || len(m.active) >= m.config.MaxRuns
	m.mu.Unlock()
	if full {
		return false
	}
	queued, err := m.config.Store.RunsIn(ctx, api.Queued)
	if err != nil {
		m.config.Log("read the queue: %v", err)
		return false
	}
	if len(queued) == 0 {
		return false
	}
	now := time.Now()
	started := queued[0].Started
	if started == nil {
		started = &now
	}
	r, err := m.changed(ctx, queued[0].ID, []api.State{api.Queued}, store.Change{To: api.Running, Started: started})
	if errors.Is(err, store.ErrState) || errors.Is(err, store.ErrNotFound) {
		return true // it was stopped or deleted meanwhile
	}
	if err != nil {
		m.config.Log("start run %s: %v", queued[0].ID, err)
		return false
	}
	x := &execution{manager: m, run: r, stop: make(chan struct{})}
	m.mu.Lock()
	m.active[r.ID] = x
	if m.closing {
		x.end("shutdown")
	}
	m.mu.Unlock()
	m.finished.Go(func() {
		x.execute(context.WithoutCancel(ctx))
		m.mu.Lock()
		delete(m.active, r.ID)
		m.mu.Unlock()
		m.wakeUp()
	})
	// A person may have stopped the run before it was in the list.
	if again, err := m.config.Store.Run(ctx, r.ID); err == nil && again.State == api.Stopping {
		x.end("stop")
	}
	return true
}

// Shutdown suspends the runs that are executed, and waits for them until ctx ends. They are
// resumed by the next Start.
func (m *Manager) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closing = true
	for _, x := range m.active {
		x.end("shutdown")
	}
	m.mu.Unlock()
	if m.cancel != nil {
		m.cancel()
	}
	done := make(chan struct{})
	go func() {
		m.finished.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return errors.New("a run did not end in time; it is resumed at the next start")
	}
	m.files.closeAll()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		_ = e.close()
	}
	return nil
}

// LastEvent returns the ID of the last event of a run.
func (m *Manager) LastEvent(run string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.events[run]; e != nil {
		size, _ := e.wait()
		return size, nil
	}
	info, err := os.Stat(m.paths.events(run))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Follow returns a reader of the events of a run after the one with an ID, or nil if the
// run is over and nothing follows.
func (m *Manager) Follow(ctx context.Context, run string, after int64) (*Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, err := m.config.Store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	reader := &Reader{at: after}
	if row.State.Active() {
		if reader.live, err = m.eventsOf(run); err != nil {
			return nil, err
		}
	} else if err := m.completeEvents(row); err != nil {
		m.config.Log("run %s: complete the events: %v", run, err) // what is known can be read
	}
	reader.file, err = os.Open(m.paths.events(run))
	if err != nil {
		return nil, fmt.Errorf("open the events: %w", err)
	}
	if reader.live != nil {
		return reader, nil
	}
	info, err := reader.file.Stat()
	if err != nil || after >= info.Size() {
		reader.Close()
		return nil, err
	}
	return reader, nil
}

// completeEvents appends the last event of a run that is over, if a kill has prevented it.
func (m *Manager) completeEvents(row *store.Run) error {
	e, err := openEvents(m.paths.events(row.ID))
	if err != nil {
		return err
	}
	defer e.close()
	last, err := e.lastState()
	if err == nil && last != row.State {
		err = e.Append("state", &row.Run)
	}
	return err
}

// Findings returns the findings of a run: those known so far, while it is executed. The error
// for a run without any is fs.ErrNotExist. The caller calls release.
func (m *Manager) Findings(run string) (x *findings.Index, release func(), err error) {
	x, release, err = m.files.open(m.paths.findings(run))
	if errors.Is(err, fs.ErrNotExist) {
		if x, err = findings.Open(m.paths.live(run)); err == nil {
			release = func() { x.Close() }
		}
	}
	return x, release, err
}

// Remove removes the row and the files of a run that is not active.
func (m *Manager) Remove(ctx context.Context, run string) error {
	if err := m.config.Store.DeleteRun(ctx, run); err != nil {
		return err
	}
	return m.RemoveFiles(run)
}

// RemoveFiles removes the files of a run whose row is gone.
func (m *Manager) RemoveFiles(run string) error {
	m.files.forget(m.paths.findings(run))
	return errors.Join(os.RemoveAll(m.StateDir(run)), findings.Remove(m.paths.findings(run)), findings.Remove(m.paths.live(run)), removeIfThere(m.paths.events(run)))
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
