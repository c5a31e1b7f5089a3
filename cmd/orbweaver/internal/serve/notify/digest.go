package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Digest is a summary of all projects of a person for some time.
type Digest struct {
	From, To time.Time // in the zone of the person
	Projects []DigestProject
	Base     string // the absolute URL of the server, with its final slash
}

// DigestProject is what happened to a project.
type DigestProject struct {
	Path    string // of its page, relative to the server's root
	Name    string
	Result  string     // of the last run, in a few words
	Checked *time.Time // when that ended, nil if there is none
	Missed  bool       // no run in the time had a reliable result
	New     []string   // issues that came in the time, each in one line
	Fixed   []string   // issues that went
}

// maxDigestIssues is the number of new issues of a project that a digest lists, and of the fixed ones.
const maxDigestIssues = 10

const digestTime = "2 January 2006, 15:04 MST"

func (d *Digest) title() string {
	issues := 0
	for _, p := range d.Projects {
		issues += len(p.New)
	}
	return fmt.Sprintf("[Orbweaver] %s, %s", api.Plural(len(d.Projects), "project"), api.Plural(issues, "new issue"))
}

// Text returns the digest as plain text.
func (d *Digest) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "From %s to %s\n", d.From.Format(digestTime), d.To.Format(digestTime))
	for _, p := range d.Projects {
		fmt.Fprintf(&b, "\n%s: %s\n", oneLine(p.Name), oneLine(p.Result))
		if p.Checked != nil {
			fmt.Fprintf(&b, "  last checked: %s\n", p.Checked.In(d.To.Location()).Format(digestTime))
		}
		if p.Missed {
			b.WriteString("  no run had a reliable result in this time\n")
		}
		for _, list := range []struct {
			name  string
			lines []string
		}{{"new issues", p.New}, {"fixed issues", p.Fixed}} {
			if len(list.lines) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  %s: %s\n", list.name, api.Count(len(list.lines)))
			for _, line := range list.lines[:min(len(list.lines), maxDigestIssues)] {
				b.WriteString("  - " + oneLine(line) + "\n")
			}
			if more := len(list.lines) - maxDigestIssues; more > 0 {
				fmt.Fprintf(&b, "  and %s more\n", api.Count(more))
			}
		}
		b.WriteString("  " + d.Base + p.Path + "\n")
	}
	fmt.Fprintf(&b, "\nYou get this because your profile asks for it: %sprofile\n", d.Base)
	return b.String()
}

// SendDigest sends a digest to a mail address. It tries three times if another try may help.
func (s *Sender) SendDigest(ctx context.Context, to string, d *Digest) Result {
	if s.mail == nil {
		return noMail
	}
	l := &letter{title: d.title(), text: d.Text(), unsubscribe: d.Base + "profile"}
	return retry(ctx, testPauses, func() (Result, bool) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTime)
		defer cancel()
		return s.mail.send(ctx, to, l)
	})
}
