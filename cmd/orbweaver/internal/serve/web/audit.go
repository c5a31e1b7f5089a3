package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// auditPage lists who did what.
type auditPage struct {
	accountsPage
	Values  url.Values
	List    *api.List[*audit.Entry]
	Faults  []api.Fault
	Actions []string
}

const auditShown = 100

func showAudit(c *Call) error {
	page := &auditPage{Values: c.URL.Query(), Actions: audit.Actions}
	var err error
	if page.Projects, _, err = c.Site.Store.Projects(c.Context(), store.Scope{}, "", maxListed); err != nil {
		return err
	}
	q, err := service.AuditQuery(page.Values, auditShown)
	if err == nil {
		page.List, err = service.AuditList(c.Context(), c.Site.Service.Audit, q)
	}
	status := http.StatusOK
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusUnprocessableEntity {
		status, page.Faults, err = p.Status, p.Errors, nil
	}
	if err != nil {
		return err
	}
	return c.page(status, "audit", "Audit log", page)
}

func (p *auditPage) Query(name, value string) template.URL {
	v := maps.Clone(p.Values)
	v.Del("after")
	v.Set(name, value)
	return template.URL(v.Encode())
}

func (p *auditPage) When(e *audit.Entry) *time.Time { return &e.Time }

func (p *auditPage) Changes(e *audit.Entry) (lines []string, err error) {
	var changes map[string][2]json.RawMessage
	if err := json.Unmarshal(e.Changes, &changes); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		lines = append(lines, fmt.Sprintf("%s: %s → %s", name, plainJSON(changes[name][0]), plainJSON(changes[name][1])))
	}
	return lines, nil
}

// plainJSON returns a value as people read it: nothing for null, and without escapes for HTML.
func plainJSON(value json.RawMessage) string {
	var v any
	if strictjson.Decode(value, &v) != nil || v == nil {
		return "–"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it came from JSON
	return strings.TrimSpace(b.String())
}
