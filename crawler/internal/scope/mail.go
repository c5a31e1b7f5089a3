package scope

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Mail looks up the domains of a mailto link, and asks the mail servers, if that is enabled, whether
// they know the addresses. The first refused address decides.
func (j *Judging) Mail(ctx context.Context, u urinorm.URL) judging.Outcome {
	parsed, err := urinorm.ParseMailto(u.String())
	if err != nil {
		return judging.Invalid(err)
	}
	addresses := parsed.Addresses()
	o := judging.CheckMailto(ctx, j.Resolver, addresses)
	if j.MailProbe == nil || o.Code != check.CodeOK {
		return o
	}
	for _, address := range addresses[:min(len(addresses), judging.MaxMailDomains)] {
		if err := j.MailProbe.ProbeMail(ctx, address); err != nil {
			return judging.ObserveFault(err).With(judging.Facts{Warnings: o.Warnings})
		}
	}
	return o
}
