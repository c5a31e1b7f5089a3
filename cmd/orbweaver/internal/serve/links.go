package serve

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

func listLinks(c *call) error {
	return part(c, func(after string, limit int) (*api.List[*api.Link], error) {
		return c.server.service.Links.List(c.Context(), c.project.ID, after, limit)
	})
}

func createLink(c *call) error {
	fields, err := c.members()
	if err != nil {
		return err
	}
	l, err := c.server.service.Links.Create(c.Context(), c.project.ID, fields)
	if err != nil {
		return err
	}
	l.URL = c.server.origin(c.Request) + c.prefix + l.URL
	return c.json(http.StatusCreated, l)
}

func deleteLink(c *call) error {
	if err := c.server.service.Links.Delete(c.Context(), c.project.ID, c.PathValue("id")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
