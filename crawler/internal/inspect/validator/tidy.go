package validator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/helper"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

const (
	tidyTimeout = 20 * time.Second // for a page
	maxOutput   = 1 << 20          // bytes of what tidy says about a page
)

// Tidy is the program tidy (HTML Tidy 5). Its methods may be called by several goroutines.
type Tidy struct {
	program string
	service *helper.Service
	timeout time.Duration
}

// FindTidy returns the program tidy, which must be on the path.
func FindTidy() (*Tidy, error) {
	program, err := exec.LookPath("tidy")
	if err != nil {
		return nil, fmt.Errorf("%w; install the package tidy", err)
	}
	return &Tidy{program: program, service: helper.NewService(runtime.GOMAXPROCS(0)), timeout: tidyTimeout}, nil
}

// tidyOptions make tidy write all its messages, in English, with names and with columns that
// count characters, and nothing else.
var tidyOptions = []string{"-quiet", "-errors", "-utf8", "--show-warnings", "yes", "--show-info", "no",
	"--show-errors", strconv.Itoa(maxMessages), "--mute-id", "yes", "--tab-size", "1", "--gnu-emacs", "no"}

// Check returns what tidy finds on a page, which is a document of HTML. The rules begin with
// "tidy-". The only error is that of the context: a page on which tidy fails has a finding
// that says so.
func (t *Tidy) Check(ctx context.Context, p *page.Page) ([]judging.Finding, error) {
	defer t.service.Enter(ctx)()
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, t.program, tidyOptions...)
	cmd.WaitDelay = time.Second
	cmd.Env = tidyEnvironment()
	cmd.Stdin = bytes.NewReader(p.Text)
	var output beginning
	cmd.Stderr = &output
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return []judging.Finding{tidyFailed(fmt.Sprintf("it took more than %s", t.timeout))}, nil
	case err == nil, errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2): // warnings, errors
		return tidyFindings(p, output), nil
	}
	return []judging.Finding{tidyFailed(err.Error())}, nil
}

// tidyEnvironment is the environment of tidy: without the language of the user, and without
// what tells where the user's settings are.
func tidyEnvironment() []string {
	env := slices.DeleteFunc(ourEnvironment(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "HOME" || name == "HTML_TIDY" || name == "LANG" || name == "LANGUAGE" || strings.HasPrefix(name, "LC_")
	})
	return append(env, "LC_ALL=C")
}

// beginning is a writer that keeps the first bytes.
type beginning []byte

func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), maxOutput-len(*b))]...)
	return len(p), nil
}

func tidyFailed(why string) judging.Finding {
	return judging.Finding{
		Code:    judging.CodeHTMLSyntax,
		Verdict: check.VerdictInfo,
		Rule:    "tidy-" + ruleNotChecked,
		Message: cut("tidy could not check this: "+why, maxMessage),
	}
}

var (
	tidyLine = lazy.Regexp(`^line (\d{1,9}) column (\d{1,9}) - (Warning|Error): (.*)$`)
	// tidyName is the name of a message, which is behind it from version 5.6 on.
	tidyName   = lazy.Regexp(`^(.*) \(([A-Z][A-Z0-9_]*)\)$`)
	tidyQuoted = lazy.Regexp(`<[^>]*>|"[^"]*"|'[^']*'`)
)

// tidyFindings returns the messages of tidy as findings, in the order of their places.
func tidyFindings(p *page.Page, output []byte) []judging.Finding {
	var list []judging.Finding
	for line := range strings.Lines(strings.ToValidUTF8(string(output), "\uFFFD")) {
		m := tidyLine().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || len(list) == maxMessages {
			continue
		}
		text, rule := m[4], ""
		if named := tidyName().FindStringSubmatch(text); named != nil {
			text, rule = named[1], words(named[2])
		} else {
			rule = words(tidyQuoted().ReplaceAllString(text, " "))
		}
		f := judging.Finding{Code: judging.CodeHTMLSyntax, Rule: "tidy-" + rule, Message: "tidy: " + sentence(text)}
		f.Line, _ = strconv.Atoi(m[1])
		f.Column, _ = strconv.Atoi(m[2])
		list = append(list, f)
	}
	slices.SortStableFunc(list, judging.CompareFindings)
	at := newCursor(p.Text, false)
	for i := range list {
		list[i].Line, list[i].Column = p.Places.At(at.offset(list[i].Line, list[i].Column))
	}
	return list
}
