package serve

import (
	"context"
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

func listLinks(c *call) error {
	return part(c, func(ctx context.Context, after string, limit int) (*api.List[*api.Link], error) {
		return c.server.service.Links.List(ctx, c.project.ID, after, limit)
	})
}

func createLink(c *call, fields []strictjson.Member) error {
	l, err := c.server.service.Links.Create(c.Context(), c.project.ID, fields)
	if err != nil {
		return err
	}
	l.URL = c.server.origin(c.Request) + c.prefix + l.URL
	return c.answer(http.StatusCreated)(l, nil)
}

func deleteLink(c *call) error {
	return done(c.w, c.server.service.Links.Delete(c.Context(), c.project.ID, c.PathValue("id")))
}

func listStatusPages(c *call) error {
	return part(c, c.server.service.Pages.List)
}

func createStatusPage(c *call, fields []strictjson.Member) error {
	p, err := c.server.service.Pages.Create(c.Context(), fields)
	if err != nil {
		return err
	}
	p.URL = c.server.origin(c.Request) + c.prefix + p.URL
	return c.answer(http.StatusCreated)(p, nil)
}

func deleteStatusPage(c *call) error {
	return done(c.w, c.server.service.Pages.Delete(c.Context(), c.PathValue("id")))
}
