package serve

import (
	"net/http"
	"net/url"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/secret"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

func exportProjects(c *call) error {
	q := c.query()
	format := q.word("format", service.ExchangeFormats...)
	if err := q.problem(); err != nil {
		return err
	}
	if format == "" {
		format = service.ExchangeFormats[0]
	}
	text, err := c.server.service.Exchange.Export(c.Context(), q.text("project"), format)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Disposition", `attachment; filename="orbweaver-projects.`+format+`"`)
	return c.raw(http.StatusOK, "application/"+format, text)
}

func importProjects(c *call) error {
	q := c.query()
	try := q.word("try", "true", "false") == "true"
	if err := q.problem(); err != nil {
		return err
	}
	document := c.body
	if c.media == tomlType {
		var err error
		if document, err = service.ReadExchange(document); err != nil {
			return err
		}
	}
	return c.answer(http.StatusOK)(c.server.service.Exchange.Import(c.Context(), c.who.Name, document, try, checkView))
}

// WithExchange calls fn with what exports and imports the projects of a data directory, on which a
// server may work.
func WithExchange(dir, version string, engine runs.Engine, note func(string, ...any), fn func(*service.Exchange, func(url.Values) error) error) error {
	db, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	noteCopy(db, note)
	box, err := secret.Open(dir)
	if err != nil {
		return err
	}
	all := service.New(service.Config{Data: dir, Store: db, Accounts: auth.New(db.DB()), Box: box, Engine: engine, Version: version, Policy: &fetch.AddressPolicy{DenyPrivate: true}, ReadOnly: true, CanMail: true, Log: note})
	return fn(all.Exchange, checkView)
}
