package serve

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

func listProjects(c *call) error {
	q, err := c.query().projects()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK)(c.server.service.Projects.List(c.Context(), service.ScopeOf(c.who), q))
}

func createProject(c *call) error {
	p, err := c.server.service.Projects.Create(c.Context(), c.body, "")
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", c.prefix+v1+"/projects/"+p.ID)
	setVersion(c.w, p.Version)
	return c.answer(http.StatusCreated)(p, nil)
}

func showProject(c *call) error {
	p, err := c.server.service.Projects.Get(c.Context(), c.project)
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.answer(http.StatusOK)(p, nil)
}

func changeProject(c *call) error {
	p, err := c.server.service.Projects.Change(c.Context(), c.project, c.body, ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.answer(http.StatusOK)(p, nil)
}

func showURLs(c *call) error {
	text, err := c.server.service.Projects.URLs(c.Context(), c.project.ID)
	if err != nil {
		return err
	}
	setVersion(c.w, c.project.Version)
	return c.raw(http.StatusOK, textType, []byte(text))
}

func putURLs(c *call) error {
	p, err := c.server.service.Projects.PutURLs(c.Context(), c.project, string(c.body), ifMatch(c.Header))
	if err != nil {
		return err
	}
	setVersion(c.w, p.Version)
	return c.answer(http.StatusOK)(object{"urls": p.URLs}, nil)
}

func deleteURLs(c *call) error {
	_, err := c.server.service.Projects.PutURLs(c.Context(), c.project, "", ifMatch(c.Header))
	return done(c.w, err)
}

func deleteProject(c *call) error {
	return done(c.w, c.server.service.Projects.Delete(c.Context(), c.project, ifMatch(c.Header)))
}
