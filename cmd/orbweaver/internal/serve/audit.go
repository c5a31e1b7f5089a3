package serve

import (
	"net/http"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/service"
)

// listAudit lists who did what. As CSV, all that matches is sent while it is read.
func listAudit(c *call) error {
	list := c.query()
	format, limit := list.word("format", "json", "csv"), list.limit()
	if err := list.problem(); err != nil {
		return err
	}
	if format == "csv" {
		limit = 0
	}
	q, err := service.AuditQuery(list.values, limit)
	if err != nil {
		return err
	}
	log := c.server.service.Audit
	if format != "csv" {
		return c.answer(http.StatusOK)(service.AuditList(c.Context(), log, q))
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="orbweaver-audit.csv"`)
	c.w.WriteHeader(http.StatusOK)
	if c.Method == http.MethodHead {
		return nil
	}
	return log.WriteCSV(c.Context(), c.w, q)
}
