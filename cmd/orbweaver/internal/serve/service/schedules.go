package service

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/schedule"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// scheduled are the projects with schedules, for a schedule.Keeper. A time at which a run of
// the project is active is left out.
type scheduled struct {
	*parts
	runs *Runs
}

func (j scheduled) Jobs(ctx context.Context) ([]schedule.Job, error) {
	rows, err := j.store.Scheduled(ctx)
	if err != nil {
		return nil, err
	}
	var jobs []schedule.Job
	for _, p := range rows {
		parsed, err := schedule.Parse(p.Schedule)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, schedule.Job{Project: p.ID, Schedule: parsed, Handled: p.Handled})
	}
	return jobs, nil
}

func (j scheduled) Start(ctx context.Context, project string, handled time.Time) error {
	row, err := j.store.Project(ctx, project)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := j.runs.Start(ctx, row, api.Full); err != nil && !errors.Is(err, store.ErrActive) {
		return err
	}
	return j.SetHandled(ctx, project, handled)
}

func (j scheduled) SetHandled(ctx context.Context, project string, handled time.Time) error {
	return j.store.SetHandled(ctx, project, handled)
}

// nextRun returns when the schedule of a project comes next, nil if it never comes.
func nextRun(row *store.Project) (*time.Time, error) {
	parsed, err := schedule.Parse(row.Schedule)
	if err != nil {
		return nil, err
	}
	next := parsed.Next(time.Now().Round(0).In(time.Local))
	if next.IsZero() {
		return nil, nil
	}
	next = next.UTC()
	return &next, nil
}
