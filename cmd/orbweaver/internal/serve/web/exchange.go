package web

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

// importProjects reads the document of a form, and tells on the next page what it did.
func importProjects(c *Call, v url.Values) error {
	document, err := service.ReadExchange([]byte(v.Get("document")))
	var done *api.Imported
	if err == nil {
		done, err = c.Site.Service.Exchange.Import(c.Context(), c.Who.Name, document, v.Get("try") == "true", c.Site.CheckView)
	}
	if p := asProblem(err); p != nil {
		message := p.Detail
		for i, f := range p.Errors {
			if i == 0 {
				message = ""
			}
			message += fmt.Sprintf("%s: %s. ", f.Field, f.Message)
		}
		return api.Invalid(api.Fault{Field: "document", Message: strings.TrimSpace(message)})
	}
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s added, %s changed, %s as they were.", api.Plural(len(done.Added), "project"), api.Count(len(done.Changed)), api.Count(len(done.Same)))
	if v.Get("try") == "true" {
		text = "Nothing is changed. It would be: " + text
	}
	c.Site.flash(c.Who, "import", text)
	return nil
}
