package runs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// Retention limits the runs that are kept of each project. Zero fields set no limit. The last sound run
// is always kept, and so are runs that are active or will be resumed.
type Retention struct {
	Age   time.Duration // since the end of the run
	Count int
}

// ParseRetention reads "90d,200": an age, a number, or both in this order.
func ParseRetention(text string, parseAge func(string) (time.Duration, error)) (Retention, error) {
	var r Retention
	wrong := errors.New("use an age, a number of runs, or both, such as 90d,200")
	parts := strings.Split(text, ",")
	if len(parts) > 2 {
		return r, wrong
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if n, err := strconv.Atoi(part); err == nil {
			if i != len(parts)-1 || n < 1 {
				return r, wrong
			}
			r.Count = n
			continue
		}
		age, err := parseAge(part)
		if err != nil || age <= 0 || i != 0 {
			return r, wrong
		}
		r.Age = age
	}
	return r, nil
}

// Retain removes the runs that need not be kept.
func (m *Manager) Retain(ctx context.Context) {
	if m.config.ReadOnly || m.config.Retain == (Retention{}) {
		return
	}
	if err := m.retainAll(ctx); err != nil {
		m.config.Log("remove old runs: %v", err)
	}
}

func (m *Manager) retainAll(ctx context.Context) error {
	after := ""
	for {
		const part = 100
		projects, _, err := m.config.Store.Projects(ctx, store.Scope{}, after, part)
		if err != nil {
			return err
		}
		for _, p := range projects {
			if err := m.retain(ctx, p.ID); err != nil {
				return fmt.Errorf("project %s: %w", p.ID, err)
			}
			after = p.ID
		}
		if len(projects) < part {
			return nil
		}
	}
}

func (m *Manager) retain(ctx context.Context, project string) error {
	sound, err := m.config.Store.SoundBefore(ctx, project, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	var before int64
	kept := 0
	for {
		const part = 100
		all, _, err := m.config.Store.RunsOf(ctx, project, "", before, part)
		if err != nil {
			return err
		}
		for _, r := range all {
			before = r.Number
			kept++
			old := m.config.Retain.Age > 0 && r.Finished != nil && time.Since(*r.Finished) > m.config.Retain.Age
			many := m.config.Retain.Count > 0 && kept > m.config.Retain.Count
			suspended := r.State == api.Interrupted && r.InterruptedBy != nil && *r.InterruptedBy == "shutdown"
			if !old && !many || r.State.Active() || suspended || sound != nil && r.ID == sound.ID {
				continue
			}
			if err := m.Remove(ctx, r.ID); err != nil {
				return err
			}
		}
		if len(all) < part {
			return nil
		}
	}
}
