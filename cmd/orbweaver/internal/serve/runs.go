package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/findings"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

func listRuns(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.Run], error) {
		return c.server.service.Runs.List(ctx, c.project.ID, "", after, limit)
	})
}

func startRun(c *call) error {
	kind := api.Full
	if len(c.body) > 0 {
		fields, err := c.members()
		if err != nil {
			return err
		}
		for _, f := range fields {
			switch {
			case f.Name != "only":
				return api.Invalid(api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
			case strictjson.Decode(f.Value, &kind) != nil || kind != api.Failing:
				return api.Invalid(api.Fault{Field: "only", Message: "use failing, or leave it out"})
			}
		}
	}
	r, err := c.server.service.Runs.Start(c.Context(), c.project, kind)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", c.prefix+v1+"/runs/"+r.ID)
	return c.answer(http.StatusAccepted)(r, nil)
}

func showRun(c *call) error { return c.answer(http.StatusOK)(&c.run.Run, nil) }

func stopRun(c *call) error {
	return c.answer(http.StatusAccepted)(c.server.service.Runs.Stop(c.Context(), c.run.ID, c.who.Name))
}

func resumeRun(c *call) error {
	return c.answer(http.StatusAccepted)(c.server.service.Runs.Resume(c.Context(), c.run.ID))
}

func listPages(c *call) error {
	q, err := c.query().pages()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(c.server.service.Findings.Pages(c.Context(), c.run, q))
}

func showFigures(c *call) error {
	return c.answer(http.StatusOK)(c.server.service.Findings.Figures(c.Context(), c.run))
}

func showReport(c *call) error {
	q := c.query()
	format, show := "json", "broken,unverified,warning"
	if q.values.Has("format") {
		format = q.text("format")
	}
	if q.values.Has("show") {
		show = q.text("show")
	}
	f, err := c.server.service.Runs.ReportFormat(format, show)
	if err != nil {
		return err
	}
	if err := c.server.service.Runs.HasState(c.run); err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", mediaType(f))
	h.Set("Content-Security-Policy", "sandbox; "+policy)
	extension := ".txt"
	if len(f.Extensions) > 0 {
		extension = f.Extensions[0]
	}
	h.Set("Content-Disposition", `attachment; filename="orbweaver-`+c.run.ID+extension+`"`)
	if c.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return nil
	}
	return c.server.service.Runs.WriteReport(c.Context(), c.run, f.Name, show, c.w)
}

func showEvidence(c *call) error {
	f, err := c.server.service.Runs.Evidence(c.run)
	if err != nil {
		return err
	}
	defer f.Close()
	h := c.w.Header()
	h.Set("Content-Type", "application/wacz")
	h.Set("Content-Disposition", `attachment; filename="orbweaver-`+c.run.ID+`.wacz"`)
	http.ServeContent(c.w, c.Request, "", time.Time{}, f)
	return nil
}

func showCompare(c *call) error {
	q := c.query()
	with, only := q.text("with"), q.word("list", findings.ListNew, findings.ListFixed, findings.ListStill)
	limit := q.limit()
	if err := q.problem(); err != nil {
		return err
	}
	if only != "" {
		lists, err := c.server.service.Findings.Lists(c.Context(), c.run, with, &findings.CompareQuery{Lists: []string{only}, Limit: limit, After: q.text("after")})
		if err != nil {
			return err
		}
		return c.answer(http.StatusOK)(lists[only], nil)
	}
	if !q.values.Has("limit") {
		limit = maxCompared
	}
	return c.answer(http.StatusOK)(c.server.service.Findings.Compare(c.Context(), c.run, with, limit))
}

// maxCompared is the number of findings of each list of a comparison, unless the client says another.
const maxCompared = 1000

// maxRechecks is the number of targets that one request checks again.
const maxRechecks = 100

func recheck(c *call, fields []strictjson.Member) error {
	var url string
	var urls []string
	var faults []api.Fault
	for _, f := range fields {
		switch {
		case f.Name == "url":
			if strictjson.Decode(f.Value, &url) != nil || url == "" {
				faults = append(faults, api.Fault{Field: "url", Message: "use the URL of a target, as it is printed"})
			}
		case f.Name == "urls":
			if strictjson.Decode(f.Value, &urls) != nil || len(urls) == 0 || len(urls) > maxRechecks {
				faults = append(faults, api.Fault{Field: "urls", Message: "use a list of 1 to 100 URLs of targets, as they are printed"})
			}
		default:
			faults = append(faults, api.Fault{Field: f.Name, Message: "unknown member \"" + f.Name + "\""})
		}
	}
	if (url == "") == (urls == nil) && len(faults) == 0 {
		faults = append(faults, api.Fault{Field: "url", Message: "give either url or urls"})
	}
	if len(faults) > 0 {
		return api.Invalid(faults...)
	}
	if urls == nil {
		return c.answer(http.StatusOK)(c.server.service.Findings.Recheck(c.Context(), c.run, url))
	}
	all, err := c.server.service.Findings.Rechecks(c.Context(), c.run, urls)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(object{"items": all}, nil)
}
