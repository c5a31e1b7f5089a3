package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// judge sets whether the result of the run can be relied on, and why it cannot. because is what is
// stored of a run that is done.
func (r *Run) judge(because string) {
	switch r.State {
	case api.Failed:
		because, r.Reason = "failed", r.Error
	case api.Interrupted:
		because, r.Reason = "interrupted", r.interruption()
	case api.Done:
		if because != "" {
			r.Reason = r.limitation(because)
		}
	default:
		return
	}
	sound := because == ""
	if r.Sound = &sound; !sound {
		r.UnsoundBecause = &because
	}
}

// interruption says in words why the run is interrupted.
func (r *Run) interruption() string {
	switch {
	case r.InterruptedBy != nil && *r.InterruptedBy == "shutdown":
		return "the server was stopped; the run goes on when it starts again"
	case r.StoppedBy != "":
		return "stopped by " + r.StoppedBy
	}
	return "stopped by a person" // in a version that did not keep the name
}

// limitation says in words why the result of a run that is done cannot be relied on. A limit that
// ended the run is named with its value.
func (r *Run) limitation(because string) string {
	var s struct{ Unsound string }
	_ = json.Unmarshal(r.Summary, &s) // if it is damaged, the run is unsound as well
	var job struct{ Options map[string]any }
	_ = json.Unmarshal(r.Job, &job)
	reason := s.Unsound
	for _, name := range []string{result.ByMaxTime, result.ByMaxPages} {
		if value, err := json.Marshal(job.Options[name]); err == nil && because == name && job.Options[name] != nil {
			reason = strings.Replace(reason, "--"+name, "--"+name+" "+strings.Trim(string(value), `"`), 1)
		}
	}
	if reason == "" {
		reason = "nothing could be verified, or a start page could not be read"
	}
	return reason
}

// soundness are the columns for how far the result of a run can be relied on.
const soundness = `
ALTER TABLE run ADD COLUMN unsound_because TEXT NOT NULL DEFAULT ''; -- of a run that is done, '' if it is sound
ALTER TABLE run ADD COLUMN stopped_by TEXT NOT NULL DEFAULT ''; -- the name of a person
`

// judgeRuns fills the columns for runs of earlier versions, which took a run that reached its time
// limit for an interrupted one.
func judgeRuns(tx *sql.Tx) error {
	if _, err := tx.Exec(`UPDATE run SET state = 'done', indexed = 1 WHERE state = 'interrupted' AND interrupted_by IS NULL AND summary IS NOT NULL`); err != nil {
		return err
	}
	unsound := map[string]string{}
	err := rows.Each(context.Background(), tx, func(row rows.Row) error {
		var id, text string
		var exit int
		if err := row.Scan(&id, &exit, &text); err != nil {
			return err
		}
		s := struct {
			Complete  bool
			StoppedBy string `json:"stopped_by"`
			Unsound   string
		}{Complete: true}
		_ = json.Unmarshal([]byte(text), &s) // a damaged one says nothing
		sound := result.Read(s.Complete, s.StoppedBy, s.Unsound)
		if because := sound.Because(); because != "" {
			unsound[id] = because
		} else if exit == 3 {
			unsound[id] = "nothing-verified"
		}
		return nil
	}, "SELECT id, coalesce(exit_status, 3), coalesce(summary, '') FROM run WHERE state = 'done'")
	if err != nil {
		return err
	}
	for id, because := range unsound {
		if _, err := tx.Exec("UPDATE run SET unsound_because = ? WHERE id = ?", because, id); err != nil {
			return err
		}
	}
	return nil
}
