package serve

import (
	"context"
	"errors"
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

func listFindings(c *call) error {
	q, err := c.query().findings()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(c.server.service.Findings.List(c.Context(), c.run, q))
}

func showFinding(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Findings.Get(c.Context(), c.run, c.PathValue("id")))
}

func listMarks(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.Mark], error) {
		return c.server.service.Marks.List(ctx, c.project.ID, after, limit)
	})
}

func putMark(c *call, fields []strictjson.Member) error {
	m, err := c.server.service.Marks.Put(c.Context(), c.project.ID, c.PathValue("fingerprint"), c.who.Name, fields, ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, m.Version)
	return c.answer(http.StatusOK)(m, nil)
}

func deleteMark(c *call) error {
	return done(c.w, c.server.service.Marks.Delete(c.Context(), c.project.ID, c.PathValue("fingerprint"), ifMatch(c.Header)))
}

func listIssues(c *call) error {
	q, owner, err := c.query().issues(c.who.Key())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(c.server.service.Issues.List(c.Context(), c.run, q, owner))
}

func showIssue(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Issues.Get(c.Context(), c.run, c.PathValue("id")))
}

func changeIssue(c *call, v map[string]string) error {
	issues, id := c.server.service.Issues, c.PathValue("id")
	if err := issues.Assign(c.Context(), c.project, v["owner"], id); err != nil {
		return err
	}
	return c.answer(http.StatusOK)(issues.Last(c.Context(), c.project.ID, id))
}

func listComments(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.Comment], error) {
		all, err := c.server.service.Issues.Comments(ctx, c.project.ID, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return service.Part(all, after, limit, func(m *api.Comment) string { return m.ID })
	})
}

func addComment(c *call, v map[string]string) error {
	return c.answer(http.StatusCreated)(c.server.service.Issues.Comment(c.Context(), c.project.ID, c.PathValue("id"), c.who.Key(), v["text"]))
}

func deleteComment(c *call) error {
	return done(c.w, c.server.service.Issues.DeleteComment(c.Context(), c.project.ID, c.PathValue("id"), c.PathValue("comment"), c.who))
}

func listViews(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.View], error) {
		all, err := c.server.service.Issues.Views(ctx, c.project.ID)
		if err != nil {
			return nil, err
		}
		return service.Part(all, after, limit, func(v *api.View) string { return v.ID })
	})
}

func addView(c *call, v map[string]string) error {
	return c.answer(http.StatusCreated)(c.server.service.Issues.AddView(c.Context(), c.project.ID, v["name"], v["query"], checkView))
}

func deleteView(c *call) error {
	return done(c.w, c.server.service.Issues.DeleteView(c.Context(), c.project.ID, c.PathValue("id")))
}

// putMarks marks many findings, or removes their marks.
func putMarks(c *call, fields []strictjson.Member) error {
	b := &service.Bulk{}
	var faults []api.Fault
	var filter bool
	for _, f := range fields {
		switch f.Name {
		case "run":
			var id string
			if strictjson.Decode(f.Value, &id) != nil {
				faults = append(faults, api.Fault{Field: "run", Message: "use the id of a run of the project"})
				continue
			}
			var err error
			b.Run, err = c.server.store.Run(c.Context(), id)
			if errors.Is(err, store.ErrNotFound) || err == nil && b.Run.Project != c.project.ID {
				faults = append(faults, api.Fault{Field: "run", Message: "the project has no such run"})
			} else if err != nil {
				return err
			}
		case "filter":
			filter = true
			faults = append(faults, readFilter(b, f.Value)...)
		case "fingerprints":
			if strictjson.Decode(f.Value, &b.Fingerprints) != nil || len(b.Fingerprints) == 0 || len(b.Fingerprints) > service.MaxBulk {
				faults = append(faults, api.Fault{Field: f.Name, Message: "use a list of 1 to 10000 fingerprints"})
			}
		case "remove":
			if strictjson.Decode(f.Value, &b.Remove) != nil || !b.Remove {
				faults = append(faults, api.Fault{Field: f.Name, Message: "use true, or leave it out"})
			}
		default:
			b.Mark = append(b.Mark, f)
		}
	}
	switch {
	case filter == (b.Fingerprints != nil) && len(faults) == 0:
		faults = append(faults, api.Fault{Field: "filter", Message: "give either filter or fingerprints"})
	case filter && b.Run == nil && len(faults) == 0:
		faults = append(faults, api.Fault{Field: "run", Message: "it is missing"})
	case b.Remove && len(b.Mark) > 0:
		faults = append(faults, api.Fault{Field: b.Mark[0].Name, Message: "remove takes marks away, so it goes without this"})
	}
	if len(faults) > 0 {
		return api.Invalid(b.WithMark(fields, faults)...)
	}
	n, err := c.server.service.Marks.PutAll(c.Context(), c.project.ID, c.who.Name, b)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(object{"changed": n}, nil)
}
