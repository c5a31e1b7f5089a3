package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/patternsize"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/report"
)

// serveEngine executes the runs of `orbweaver serve`. What check does with its flags, it does
// with the options of a project: they pass through the same table and the same compiler.
type serveEngine struct {
	allowPrivate []netip.Prefix
	allowSchemes []string
	files        []string // directories in which files may be targets
	evidenceMax  int64    // bytes of each run
	note         func(string, ...any)
}

func jobFlags(options map[string]any) []option.Given {
	var line []option.Given
	for _, f := range option.Of(option.Check) {
		value, given := options[f.Name]
		if !given {
			continue
		}
		texts, _ := optionTexts(f, value)
		for _, text := range texts {
			line = append(line, option.Given{Name: f.Name, Text: text})
		}
	}
	return line
}

// optionTexts returns the values of an option as a command line would have them.
func optionTexts(f *option.Flag, value any) ([]string, error) {
	switch v := value.(type) {
	case bool:
		if f.IsSwitch() {
			return []string{strconv.FormatBool(v)}, nil
		}
	case string:
		if !f.IsSwitch() {
			return []string{v}, nil
		}
		return nil, fmt.Errorf("%q is not allowed: use true or false", v)
	case json.Number:
		if f.TakesNumbers() {
			return []string{v.String()}, nil
		}
	case []any:
		if f.Many == option.Once {
			return nil, errors.New("a list is not allowed: it has one value")
		}
		texts := []string{}
		for _, item := range v {
			text, ok := item.(string)
			if n, number := item.(json.Number); number && f.TakesNumbers() {
				text, ok = n.String(), true
			}
			if !ok {
				return nil, errors.New("use a list of strings")
			}
			texts = append(texts, text)
		}
		return texts, nil
	}
	switch {
	case f.IsSwitch():
		return nil, errors.New("use true or false")
	case f.TakesNumbers():
		return nil, errors.New("use a string or a number")
	case f.Many != option.Once:
		return nil, errors.New("use a string or a list of strings")
	}
	return nil, errors.New("use a string")
}

// jobSettings returns the settings of a job. Nothing else counts: neither a configuration
// file nor the environment.
func jobSettings(line []option.Given) (*settings, error) {
	cmd := &cobra.Command{}
	s := addFlags(cmd, option.Check)
	for _, f := range line {
		if err := cmd.Flags().Set(f.Name, f.Text); err != nil {
			return nil, flagError(cmd, err)
		}
	}
	if s.Given("evidence-of") { // the server decides where
		s.Set("evidence", "", runs.EvidenceFile)
	}
	return s, nil
}

func (e *serveEngine) Check(ctx context.Context, job *runs.Job, order []string) []api.Fault {
	var faults []api.Fault
	known := []string{}
	rows := map[string]*option.Flag{}
	for _, f := range option.Of(option.Check) {
		if rows[f.Name] = f; f.Form != nil {
			known = append(known, f.Name)
		}
	}
	if fault := patternFault(rows, job, order); fault != nil {
		return []api.Fault{*fault}
	}
	for _, name := range order {
		if ctx.Err() != nil {
			return faults
		}
		field := "options." + name
		row, exists := rows[name]
		switch {
		case !exists:
			message := fmt.Sprintf("unknown option %q", name)
			if len(faults) >= api.MaxFaults {
				// nobody reads it
			} else if near := nearest(name, known); near != "" {
				message += fmt.Sprintf(": did you mean %q?", near)
			}
			faults = append(faults, api.Fault{Field: field, Message: message})
		case row.Form == nil:
			faults = append(faults, api.Fault{Field: field, Message: fmt.Sprintf("%q is not allowed here", name)})
		default:
			faults = append(faults, optionFaults(row, job.Options[name])...)
		}
	}
	if len(faults) == 0 { // what is wrong with options together
		if _, err := e.options(job); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				faults = append(faults, faultOf("options", line))
			}
		}
	}
	return faults
}

// patternFault returns a fault at the option with which the compiled patterns of a job become too
// large, nil if they do not. Nothing is compiled before.
func patternFault(rows map[string]*option.Flag, job *runs.Job, order []string) *api.Fault {
	budget := patternsize.Untrusted("the options")
	for _, name := range order {
		row := rows[name]
		if row == nil || row.Pattern == nil {
			continue
		}
		texts, _ := optionTexts(row, job.Options[name]) // optionFaults reports the error
		for _, text := range texts {
			if err := budget.Spend(text, row.Pattern); err != nil {
				return &api.Fault{Field: "options." + name, Message: err.Error()}
			}
		}
	}
	return nil
}

// optionFaults returns what is wrong with one option by itself.
func optionFaults(row *option.Flag, value any) []api.Fault {
	field := "options." + row.Name
	texts, err := optionTexts(row, value)
	if err != nil {
		return []api.Fault{{Field: field, Message: err.Error()}}
	}
	line := make([]option.Given, len(texts))
	for i, text := range texts {
		if row.Name == "check" && slices.Contains(option.SplitList(text), "virus") {
			return []api.Fault{{Field: field, Message: `"virus" is not allowed here`}}
		}
		line[i] = option.Given{Name: row.Name, Text: text}
	}
	s, err := jobSettings(line)
	if err == nil {
		_, err = compile(s, option.Check)
	}
	if err == nil {
		return nil
	}
	var faults []api.Fault
	for text := range strings.SplitSeq(err.Error(), "\n") {
		faults = append(faults, api.Fault{Field: field, Message: strings.TrimPrefix(text, "--"+row.Name+": ")})
	}
	return faults
}

func faultOf(field, message string) api.Fault {
	if name, rest, found := strings.Cut(message, ": "); found && strings.HasPrefix(name, "--") {
		return api.Fault{Field: field + "." + strings.TrimPrefix(name, "--"), Message: rest}
	}
	return api.Fault{Field: field, Message: message}
}

// CheckTarget returns the target to check for one that was posted, or an error that says what
// is wrong with it.
func (e *serveEngine) CheckTarget(raw string) (string, error) {
	lower := strings.ToLower(raw)
	switch {
	case strings.TrimSpace(raw) == "":
		return "", errors.New("a target is empty")
	case raw == "-":
		return "", errors.New("standard input is not allowed here: use an http or https URL")
	case strings.HasPrefix(lower, "www."):
		raw = "https://" + raw
	}
	if isWebURL(raw) {
		_, err := (&targetReader{}).website(raw, raw)
		return raw, err
	}
	path := raw
	if hasScheme(raw, "file") {
		var err error
		if path, err = localPath(raw); err != nil {
			return "", fmt.Errorf("%s: %w", raw, err)
		}
	} else if scheme, _, found := strings.Cut(raw, "://"); found {
		return "", fmt.Errorf("%q URLs are not allowed here: use http or https", scheme)
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if host, _, _ := strings.Cut(raw, "/"); err != nil && looksLikeHost(host) {
		return "", fmt.Errorf("%q has no scheme: did you mean https://%s?", raw, raw)
	}
	if err == nil {
		for _, dir := range e.files {
			if inside(dir, abs) || dir == abs {
				return abs, nil
			}
		}
	}
	return "", fmt.Errorf("%q is not allowed: use an http or https URL; files must be in a directory that the server opens with --files", raw)
}

// options compiles the options of a job. The address policy of the server is part of them.
func (e *serveEngine) options(job *runs.Job) (*options, error) {
	s, err := jobSettings(e.line(job))
	if err != nil {
		return nil, err
	}
	o, err := compile(s, option.Check)
	if err != nil {
		return nil, err
	}
	e.restrict(o)
	return o, nil
}

// line returns the command line that a state keeps for a job, apart from its secrets. The
// address policy is not part of it: whoever resumes a run in a terminal is at home there.
func (e *serveEngine) line(job *runs.Job) []option.Given {
	return append(jobFlags(job.Options), option.Given{Name: "no-config", Text: "true"})
}

// restrict applies the rules for runs of a server.
func (e *serveEngine) restrict(o *options) {
	o.net.NoEnvironment, o.net.DenyPrivate, o.net.AllowPrivate = true, true, e.allowPrivate
	o.schemes, o.roots = append([]string{"http", "https"}, e.allowSchemes...), e.files
	o.progress, o.evidence.max = "never", e.evidenceMax
}

func (e *serveEngine) Crawl(ctx context.Context, r *runs.Request) (*runs.Result, error) {
	s, err := jobSettings(e.line(r.Job))
	if err != nil {
		return nil, err
	}
	o, err := e.options(r.Job)
	if err != nil {
		return nil, err
	}
	if o.evidence.path != "" {
		o.evidence.path = filepath.Join(r.Dir, runs.EvidenceFile)
		s.Set("evidence", "", o.evidence.path)
	}
	targets, err := e.targets(r.Job)
	if err != nil {
		return nil, err
	}
	st, err := lockState(r.Dir)
	if err != nil {
		return nil, err
	}
	defer st.close()
	if err := st.open(); err != nil {
		return nil, err
	}
	st.asked = newCommand(s, targets)
	st.asked.Listing, o.listing = r.Job.Listing, r.Job.Listing
	if st.command != nil {
		o.directory, o.listing = st.command.Directory, st.command.Listing
	}
	if st.command != nil && st.standing.Finished { // killed before the row said so
		return e.judge(ctx, st.dir, report.Show(0), nil)
	}
	return e.crawl(ctx, &serveRun{request: r, options: o, state: st, targets: targets})
}

type serveRun struct {
	request *runs.Request
	options *options
	state   *state
	targets []string
}

func (e *serveEngine) crawl(ctx context.Context, r *serveRun) (*runs.Result, error) {
	st, o := r.state, r.options
	plan, err := planRun(ctx, o, r.targets, &targetReader{note: e.note})
	if err != nil {
		return nil, err
	}
	defer plan.close()
	out, err := report.Open(nil, nil, report.Options{Show: report.ShowDefault}) // the state has the results
	if err != nil {
		return nil, err
	}
	defer out.Close()
	inspector, err := openInspector(ctx, o, newConsole(io.Discard, "never"))
	if err != nil {
		return nil, err
	}
	defer inspector.Close()
	o.show = report.ShowDefault
	cfg, web, err := wire(o, plan, inspector, out, r.request.Stop)
	if err != nil {
		return nil, err
	}
	defer web.Close()
	kept, err := keepEvidence(o, plan, cfg, web, st.evidence(r.targets, e.note))
	if err != nil {
		return nil, err
	}
	defer kept.Abandon()
	closeRenderer, err := openRenderer(ctx, o, cfg, newConsole(noteWriter(e.note), "never"))
	if err != nil {
		return nil, err
	}
	defer closeRenderer()
	st.input = &recorder{}
	used := programsOf(inspector)
	if err := st.begin(cfg, used, ""); err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	head := &report.Head{Tool: report.Tool{Name: "orbweaver", Version: version()}, Started: st.started(), Targets: r.targets, Codes: used.Codes}
	if err := out.Begin(head); err != nil {
		return nil, err
	}
	summary, err := crawler.Run(ctx, cfg, plan.seeds, &serveSink{Multi: out, kept: kept, progress: r.request.Progress, note: e.note})
	if err != nil {
		return nil, err
	}
	if err := reportKept(&o.listing, summary, out); err != nil {
		return nil, err
	}
	summary.Targets = head.Targets
	if err := out.End(summary); err != nil {
		return nil, err
	}
	over := isOver(&summary.Soundness)
	lost := o.evidence.finish(kept, plan, summary, over)
	if over {
		if err := st.finish(); err != nil {
			return nil, err
		}
	}
	text, err := summaryJSON(summary)
	res := &runs.Result{Over: over, Because: summary.Soundness.Because(), ExitStatus: o.failOn.Exit(summary), Summary: text}
	if lost != nil && summary.Broken == 0 {
		res.ExitStatus = report.ExitUnsound
	}
	return res, err
}

// isOver reports whether a run of a server ended. One that reached its time limit did, unlike in a
// terminal: nobody can resume it with more time, and its project is checked again anyway.
func isOver(s *result.Soundness) bool {
	return !s.Ended() || s.StoppedBy == result.ByMaxTime
}

// noteWriter makes each line a note.
type noteWriter func(string, ...any)

func (w noteWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w("%s", strings.TrimPrefix(strings.TrimSpace(line), "orbweaver: "))
	}
	return len(p), nil
}

// targets returns the targets of a job as check would be given them.
func (e *serveEngine) targets(job *runs.Job) ([]string, error) {
	var targets []string
	for _, raw := range job.Targets {
		target, err := e.CheckTarget(raw)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// serveSink passes what the engine finds to the server.
type serveSink struct {
	*report.Multi
	kept     *evidence.Keeper // nil for none
	progress func(result.Progress)
	note     func(string, ...any)
}

// Result lets the evidence know the verdict.
func (s *serveSink) Result(r *result.Result) error {
	s.kept.Judged(r)
	return s.Multi.Result(r)
}

func (s *serveSink) Note(n result.Note) error {
	s.note("%s", n.Message)
	return nil
}

func (s *serveSink) Progress(p result.Progress) { s.progress(p) }

func summaryJSON(s *result.Summary) (json.RawMessage, error) {
	format, err := report.ByName("ndjson")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	w := format.New(&text, report.Options{})
	if err := errors.Join(w.Begin(&report.Head{}), w.End(s)); err != nil {
		return nil, err
	}
	var whole struct {
		Summary json.RawMessage `json:"summary"`
	}
	err = json.Unmarshal(text.Bytes(), &whole)
	return whole.Summary, err
}

func (e *serveEngine) Judge(ctx context.Context, dir string, w report.PageWriter) (*runs.Result, error) {
	return e.judge(ctx, dir, report.ShowAll, w)
}

// judge judges the crawl in a directory. Without w, only the summary is of interest.
func (e *serveEngine) judge(ctx context.Context, dir string, show report.Show, w report.PageWriter) (*runs.Result, error) {
	var outputs []report.Output
	if w != nil {
		outputs = []report.Output{{To: io.Discard, Format: &report.Format{Name: "serve", Streams: true, Pages: true, References: true,
			New: func(io.Writer, report.Options) report.Writer { return w }}}}
	}
	out, err := report.Open(outputs, nil, report.Options{Show: show})
	if err != nil {
		return nil, err
	}
	defer out.Close()
	sum, failOn, err := e.judgeInto(ctx, dir, show.String(), out)
	if err != nil {
		return nil, err
	}
	text, err := summaryJSON(sum)
	return &runs.Result{Over: isOver(&sum.Soundness), Because: sum.Soundness.Because(), ExitStatus: failOn.Exit(sum), Summary: text}, err
}

// judgeInto is judgeFile for a server: it leaves the working directory of the process alone.
func (e *serveEngine) judgeInto(ctx context.Context, dir, show string, out *report.Multi) (sum *result.Summary, failOn report.Policy, err error) {
	kept, err := store.OpenReadOnly(filepath.Join(dir, stateFile))
	if err != nil {
		return nil, failOn, err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	c, err := readCommand(kept)
	if err == nil && c == nil {
		err = fmt.Errorf("open the state %s: %w: no crawl was started in it", dir, store.ErrDamaged)
	}
	if err != nil {
		return nil, failOn, err
	}
	c.Withheld = nil // no secrets are needed, because nothing is requested
	s, err := jobSettings(append(c.Line, option.Given{Name: "show", Text: show}))
	if err != nil {
		return nil, failOn, err
	}
	o, err := compile(s, option.Check)
	if err != nil {
		return nil, failOn, err
	}
	e.restrict(o)
	o.directory, o.listing = c.Directory, c.Listing
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetErr(io.Discard)
	sum, err = c.judge(cmd, o, kept, out)
	return sum, o.failOn, err
}

// Report implements runs.Engine: it writes the bytes that the command report writes.
func (e *serveEngine) Report(ctx context.Context, dir, format, show string, w io.Writer) error {
	cmd := &cobra.Command{}
	s := addFlags(cmd, option.Report)
	if err := errors.Join(cmd.Flags().Set("format", format), cmd.Flags().Set("show", show)); err != nil {
		return err
	}
	c := &compiler{settings: s}
	c.checkWords(option.Report)
	o := &options{}
	compileReport(c, o)
	if err := errors.Join(c.faults...); err != nil {
		return err
	}
	outputs := []report.Output{{Format: o.format, To: w}}
	out, err := report.Open(outputs, nil, reportOptions(o, io.Discard))
	if err != nil {
		return err
	}
	defer out.Close()
	_, _, err = e.judgeInto(ctx, dir, show, out)
	return err
}

// Recheck implements runs.Engine: it requests one target as the run would.
func (e *serveEngine) Recheck(ctx context.Context, job *runs.Job, url string, internal bool) (api.Outcome, error) {
	var outcome api.Outcome
	o, err := e.options(job)
	if err != nil {
		return outcome, err
	}
	targets, err := e.targets(job)
	if err != nil {
		return outcome, err
	}
	o.listing = runs.Listing{URLs: []runs.ListedURL{{URL: url, Internal: internal}}, Only: true}
	plan, err := planRun(ctx, o, targets, &targetReader{note: e.note})
	if err != nil {
		return outcome, err
	}
	defer plan.close()
	return (&recheck{options: o, plan: plan, url: url}).run(ctx)
}

// open makes an engine ready. Directories of files are compared without symbolic links.
func (e *serveEngine) open(files []string, note func(string, ...any)) error {
	e.note = note
	for _, dir := range files {
		abs, err := openedDirectory(dir)
		if err != nil {
			return usageError("--files: %q is not allowed: %w", dir, withoutPath(err))
		}
		e.files = append(e.files, abs)
	}
	return nil
}
