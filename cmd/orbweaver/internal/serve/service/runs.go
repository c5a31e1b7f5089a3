package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
	"github.com/orbweaver/orbweaver/report"
)

// Start puts a run of a project into the queue. A run of the kind api.Failing asks only what had failed
// in the last reliable full run; if nothing had, it is a conflict.
func (s *Runs) Start(ctx context.Context, project *store.Project, kind string) (*api.Run, error) {
	c, err := s.projects.contentOf(project)
	if err != nil {
		return nil, err
	}
	shown := c.hidden()
	r := &store.Run{}
	r.ID, r.Project, r.Created, r.Kind = store.NewID(), project.ID, time.Now().UTC().Truncate(time.Millisecond), kind
	if kind == api.Failing {
		if _, err := s.failing(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.Job, err = json.Marshal(runs.Job{Targets: shown.Targets, Options: shown.Options}); err != nil {
		return nil, err
	}
	clear, err := json.Marshal(runs.Job{Targets: c.Targets, Options: c.Options})
	if err != nil {
		return nil, err
	}
	r.Secrets = s.box.Seal("run "+r.ID, string(clear))
	if err := s.manager.Add(ctx, r); err != nil {
		return nil, err
	}
	s.audit.Note(ctx, "run.start", r.Project, r.ID, nil)
	return &r.Run, nil
}

// failing returns what had failed in the last reliable full run before a run.
func (s *Runs) failing(ctx context.Context, r *store.Run) (*runs.Listing, error) {
	before, err := s.store.SoundBefore(ctx, r.Project, r.Number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, api.NewProblem(http.StatusConflict, "there is no run with a reliable result yet: start a full one")
	}
	if err != nil {
		return nil, err
	}
	x, release, err := s.manager.Findings(before.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	all, err := x.Failing(ctx)
	if err == nil && len(all) == 0 {
		err = api.NewProblem(http.StatusConflict, "no link had failed in the last run with a reliable result")
	}
	listing := &runs.Listing{Only: true}
	for _, t := range all {
		if t.Result != nil {
			listing.Kept = append(listing.Kept, t.Result)
		} else {
			listing.URLs = append(listing.URLs, runs.ListedURL{URL: t.URL, Internal: t.Internal})
		}
	}
	return listing, err
}

// Stop ends a run early, because a person wants it.
func (s *Runs) Stop(ctx context.Context, id, who string) (*api.Run, error) {
	r, err := s.manager.Stop(ctx, id, who)
	return s.acted(ctx, r, err, "run.stop", "only a run that is queued or running can be stopped")
}

// acted notes an action on a run, or returns a problem if the state of the run does not allow it.
func (s *Runs) acted(ctx context.Context, r *store.Run, err error, action, allowed string) (*api.Run, error) {
	if errors.Is(err, store.ErrState) {
		return nil, api.NewProblem(http.StatusConflict, "%s", allowed)
	}
	if err != nil {
		return nil, err
	}
	s.audit.Note(ctx, action, r.Project, r.ID, nil)
	return &r.Run, nil
}

// Resume puts an interrupted run into the queue again.
func (s *Runs) Resume(ctx context.Context, id string) (*api.Run, error) {
	r, err := s.manager.Resume(ctx, id)
	return s.acted(ctx, r, err, "run.resume", "only an interrupted run can be resumed")
}

// List returns one part of the runs of a project, newest first. kind "" is any.
func (s *Runs) List(ctx context.Context, project, kind, after string, limit int) (*api.List[*api.Run], error) {
	var before int64
	if after != "" {
		last, err := s.store.Run(ctx, after)
		if errors.Is(err, store.ErrNotFound) || err == nil && last.Project != project {
			return nil, invalidCursor()
		}
		if err != nil {
			return nil, err
		}
		before = last.Number
	}
	rows, total, err := s.store.RunsOf(ctx, project, kind, before, limit+1)
	if err != nil {
		return nil, err
	}
	all := make([]*api.Run, len(rows))
	for i, row := range rows {
		all[i] = &row.Run
	}
	return cut(all, limit, total, func(r *api.Run) string { return r.ID }), nil
}

// ReportFormat checks the format and the list of results of a report.
func (s *Runs) ReportFormat(format, show string) (*report.Format, error) {
	var faults []api.Fault
	f, err := report.ByName(format)
	if err != nil {
		faults = append(faults, api.Fault{Field: "format", Message: err.Error()})
	}
	if _, err := report.ParseShow(show); err != nil {
		faults = append(faults, api.Fault{Field: "show", Message: err.Error()})
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return f, nil
}

// HasState returns a problem if nothing is known of a run yet.
func (s *Runs) HasState(r *store.Run) error {
	if r.State == api.Queued {
		return api.NewProblem(http.StatusConflict, "the run is queued: nothing is known of it yet")
	}
	if _, err := os.Stat(filepath.Join(s.manager.StateDir(r.ID), runs.StateFile)); err != nil {
		return api.NewProblem(http.StatusConflict, "nothing is known of the run yet")
	}
	return nil
}

// Evidence opens what a run kept. The caller closes it.
func (s *Runs) Evidence(r *store.Run) (*os.File, error) {
	if r.State.Active() {
		job, err := s.job(r)
		if err != nil {
			return nil, err
		}
		if _, keeps := job.Options["evidence-of"]; keeps {
			return nil, api.NewProblem(http.StatusConflict, "the run is not finished: its evidence is written at the end")
		}
	}
	f, err := os.Open(filepath.Join(s.manager.StateDir(r.ID), runs.EvidenceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, api.NewProblem(http.StatusNotFound, "the run has no evidence: its project had no option evidence-of")
	}
	return f, err
}

// WriteReport writes the report of a run.
func (s *Runs) WriteReport(ctx context.Context, r *store.Run, format, show string, w io.Writer) error {
	return s.engine.Report(ctx, s.manager.StateDir(r.ID), format, show, w)
}

// Judge writes all results of a run to w, in any order.
func (s *Runs) Judge(ctx context.Context, r *store.Run, w report.PageWriter) error {
	_, err := s.engine.Judge(ctx, s.manager.StateDir(r.ID), w)
	return err
}

// job returns what a run checks, with its secrets but without what it lists.
func (s *Runs) job(r *store.Run) (*runs.Job, error) {
	job := &runs.Job{}
	clear, err := s.box.Open("run "+r.ID, r.Secrets)
	if err == nil {
		err = strictjson.Decode([]byte(clear), job)
	}
	if err != nil {
		return nil, fmt.Errorf("read the job of run %s: %w", r.ID, err)
	}
	return job, nil
}

// toRun returns what a run that begins checks, with its secrets.
func (s *Runs) toRun(ctx context.Context, r *store.Run) (*runs.Job, error) {
	job, err := s.job(r)
	if err != nil {
		return nil, err
	}
	if r.Kind == api.Failing {
		listing, err := s.failing(ctx, r)
		if err != nil {
			return nil, err
		}
		job.Listing = *listing
		return job, nil
	}
	urls, err := store.URLs(ctx, s.store, r.Project)
	for _, url := range urls {
		job.Listing.URLs = append(job.Listing.URLs, runs.ListedURL{URL: url})
	}
	return job, err
}
