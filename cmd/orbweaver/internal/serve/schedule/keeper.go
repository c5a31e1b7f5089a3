package schedule

import (
	"context"
	"time"
)

// Job is a project with a schedule.
type Job struct {
	Project  string
	Schedule Schedule
	// Handled is the time up to which the schedule has been followed: when the last run was
	// started by it, or when it was set.
	Handled time.Time
}

// Jobs is what a Keeper needs of the server.
type Jobs interface {
	// Jobs returns the projects that have schedules.
	Jobs(ctx context.Context) ([]Job, error)
	// Start queues a run of a project, unless one is queued or running, and stores that the
	// schedule has been followed up to a time.
	Start(ctx context.Context, project string, handled time.Time) error
	// SetHandled stores that the schedule of a project has been followed up to a time.
	SetHandled(ctx context.Context, project string, handled time.Time) error
}

// Keeper starts the runs of schedules. Times that were missed while the server was down are
// made up for by one run.
type Keeper struct {
	Jobs Jobs
	Zone *time.Location // of the schedules
	Log  func(error)

	changed chan struct{}
	// started are the projects that were started within the last minPause, with times that no
	// change of the clock affects.
	started map[string]time.Time
}

// NewKeeper returns a Keeper. log gets the errors of Jobs, after which the Keeper tries
// again.
func NewKeeper(jobs Jobs, zone *time.Location, log func(error)) *Keeper {
	return &Keeper{Jobs: jobs, Zone: zone, Log: log, changed: make(chan struct{}, 1), started: map[string]time.Time{}}
}

// maxWait is how long a Keeper waits before it reads the clock again, which somebody may
// set meanwhile.
const maxWait = time.Minute

// minPause is the time between two runs of a project that its schedule starts. It matters if
// somebody sets the clock back, so that the same times come again.
const minPause = time.Minute

// Changed makes the Keeper look at the schedules again. Call it when one was set.
func (k *Keeper) Changed() {
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// Run starts runs until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for {
		timer := time.NewTimer(k.startDue(ctx))
		select {
		case <-timer.C:
		case <-k.changed:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// startDue starts what is due and returns how long to wait.
func (k *Keeper) startDue(ctx context.Context) time.Duration {
	jobs, err := k.Jobs.Jobs(ctx)
	if err != nil {
		if ctx.Err() == nil {
			k.Log(err)
		}
		return maxWait
	}
	wait := maxWait
	read := time.Now()
	now := read.Round(0).In(k.Zone) // without the monotonic clock: a schedule follows the calendar
	for project, at := range k.started {
		if read.Sub(at) >= minPause {
			delete(k.started, project)
		}
	}
	for _, job := range jobs {
		next, err := k.follow(ctx, &job, read, now)
		if err != nil {
			if ctx.Err() == nil {
				k.Log(err)
			}
			continue
		}
		if !next.IsZero() {
			wait = min(wait, max(next.Sub(now), time.Millisecond))
		}
	}
	return wait
}

// follow starts a run of a project if it is due, and returns when to look at the project again;
// never is the zero time. read is now with the monotonic clock.
func (k *Keeper) follow(ctx context.Context, job *Job, read, now time.Time) (time.Time, error) {
	if job.Handled.After(now) { // the clock was ahead when it was stored
		if err := k.Jobs.SetHandled(ctx, job.Project, now); err != nil {
			return time.Time{}, err
		}
		job.Handled = now
	}
	next := job.Schedule.Next(job.Handled.In(k.Zone))
	if next.IsZero() || next.After(now) {
		return next, nil
	}
	if at, ok := k.started[job.Project]; ok {
		return now.Add(minPause - read.Sub(at)), nil
	}
	if err := k.Jobs.Start(ctx, job.Project, now); err != nil {
		return time.Time{}, err
	}
	k.started[job.Project] = read
	return job.Schedule.Next(now), nil
}
