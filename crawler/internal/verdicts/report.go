package verdicts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Report judges every reference of a finished crawl and delivers the selected results to
// the sink, sorted by URL. It leaves out the results that streamed has delivered, which may
// be nil. The summary is complete except for its Elapsed.
//
// When ctx ends, no archive is asked any more, but everything else is done.
func Report(ctx context.Context, c *Crawl, streamed *Stream) (*result.Summary, error) {
	streamed.end()
	j := newJoin(context.WithoutCancel(ctx), c)
	defer func() { j.spool.Close() }()
	if c.ReportsPages {
		j.targets().hosts = newHostCounts(c.Print)
	}
	sum := j.pairs.sum
	sum.Narrowed = c.Scope.Rules.Changed != nil
	for i := range c.Seeds {
		sum.Crawled = sum.Crawled || c.Seeds[i].Crawl
		if c.Seeds[i].Named && !slices.Contains(sum.Targets, c.Seeds[i].Raw) {
			sum.Targets = append(sum.Targets, c.Seeds[i].Raw)
		}
	}
	compare := &textComparison{crawl: c, pairs: j.pairs, details: j.details}
	if err := inOrder(j.load, j.addSeeds, j.addReferences, j.addUnreferenced, j.judgeAll, compare.all(ctx), j.listFailedSeeds, j.noteUnreadable, j.reportWatched, func() error { return j.gather(streamed) }); err != nil {
		return nil, err
	}
	j.pairs.byKey = nil // it is large, and no more are added
	c.Recorder.judged(j.pairs.flagged)
	suggest, err := j.newSuggester()
	if err != nil {
		return nil, err
	}
	archive := &archive{crawl: c, details: j.details, ctx: j.ctx}
	archived, err := archive.all(ctx, j.order.pairs)
	if err != nil {
		return nil, err
	}
	sum.Requests += archive.requests + compare.requests
	broken, inDocuments := map[frontier.ID]struct{}{}, 0
	for _, p := range j.pairs.flagged {
		j.judge.tell(p, archived[p.id])
		if p.hidden {
			sum.Hidden++
		}
		if p.off {
			continue
		}
		sum.Count(p.route.internal, p.judgement.Verdict, p.judgement.Code, p.judgement.Warnings, 1)
		if p.judgement.Verdict == check.Broken && p.judgement.Code != check.CodeFragmentMissing {
			broken[p.id] = struct{}{}
			inDocuments++
		}
		if p.judgement.Verdict == check.OK {
			j.targets().hosts.count(p.id, 1)
			if p.document && p.cites == 0 {
				sum.StartDocuments++
			}
		}
	}
	sum.Hidden += c.Of[stored.Hidden]
	sum.OKByHost = j.targets().hosts.byName()
	if len(broken) < inDocuments {
		sum.BrokenDocuments = len(broken)
	}
	inspected, err := j.comparePages()
	if err != nil {
		return nil, err
	}
	findings, err := inspected.results()
	if err != nil {
		return nil, err
	}
	unused, err := unusedFiles{j.ctx, c, j.details, sum}.findings()
	if err != nil {
		return nil, err
	}
	findings = append(findings, unused...)
	notes := slices.Concat(notesOn(c, sum, j.pairs.flagged, j.details), j.targets().tailNotes(c.Print), j.rootNotes(), j.judge.driftNotes())
	j.pairs.flagged = nil
	r := &reporter{join: j, suggest: suggest, archived: archived, findings: findings}
	if err := r.report(j.order, j.spool); err != nil {
		return nil, err
	}
	sum.Search = suggest.search
	sum.Soundness = c.soundness(sum, j.targets().names.doubtful())
	for _, note := range notes {
		if err := c.note(note); err != nil {
			return nil, err
		}
	}
	c.Recorder.end(sum)
	return sum, j.details.err
}

// inOrder calls steps until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// newSuggester prepares the suggestions for the flagged pairs.
func (j *join) newSuggester() (*suggester, error) {
	s := &suggester{crawl: j.crawl, ctx: j.ctx, targets: j.targets(), details: j.details, again: j.again}
	return s, s.prepare(j.pairs.flagged)
}

// reporter delivers results to the sink.
type reporter struct {
	*join
	suggest  *suggester
	archived map[frontier.ID]*check.Archived // of targets that are gone

	findings []*result.Result // of pages, to be delivered with the pairs
	stream   *Stream          // decides which results are final; nil if all are
}

// report delivers the results of pairs and the findings, sorted by URL. spool has references of
// the pairs; it may be nil. The order loses its pairs: there may be very many, and as many results in
// the sink.
func (r *reporter) report(o *urlOrder, spool *result.Spool) error {
	slices.SortStableFunc(r.findings, byPage)
	findings := r.findings
	for n, i := range o.order {
		if err := spool.Load(n, func(n int, record []byte) { o.pairs[o.order[n]].hold(record) }); err != nil {
			return err
		}
		p := o.pairs[i]
		url := o.url(i)
		o.pairs[i] = nil
		if r.stream != nil && !r.stream.isFinal(p) {
			p.references = nil
			continue
		}
		for len(findings) > 0 && findings[0].URL < url {
			if err := r.deliverFinding(findings[0]); err != nil {
				return err
			}
			findings = findings[1:]
		}
		res := r.result(p, url)
		if r.details.err != nil {
			return r.details.err
		}
		if r.stream != nil && !r.stream.reports(p) {
			continue
		}
		r.crawl.Recorder.pair(p, res, r.details)
		if err := r.deliver(res); err != nil {
			return err
		}
	}
	for _, finding := range findings {
		if err := r.deliverFinding(finding); err != nil {
			return err
		}
	}
	return nil
}

func (r *reporter) deliverFinding(res *result.Result) error {
	r.crawl.Recorder.finding(res)
	return r.deliver(res)
}

func (r *reporter) deliver(res *result.Result) error {
	if err := r.crawl.Sink.Result(res); err != nil {
		return fmt.Errorf("report %s: %w", res.URL, err)
	}
	return nil
}

// byPage is the order in which findings about pages are delivered, after the target itself.
func byPage(a, b *result.Result) int {
	if n := strings.Compare(a.URL, b.URL); n != 0 {
		return n // the usual case
	}
	at, other := &a.References[0], &b.References[0]
	return cmp.Or(cmp.Compare(at.Line, other.Line), cmp.Compare(at.Column, other.Column), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
}

// referencesOf returns the references of a pair in order, and frees their memory.
func (r *reporter) referencesOf(p *pair) []result.Reference {
	list, pages := p.references.all(&r.names, func(mark uint64) string { return r.judge.unaffected(p, mark) })
	if p.marks&scope.MarkRemapped != 0 {
		for i := range list {
			list[i].Attribute, list[i].RemappedFrom = scope.SplitOrigin(list[i].Attribute)
		}
	}
	p.references = nil
	r.names.sort(list, pages)
	return list
}

// result builds the result of a pair with its printed URL.
func (r *reporter) result(p *pair, url string) *result.Result {
	first := r.details.get(p.id).job
	res := &result.Result{
		URL: url, Internal: p.route.internal,
		Verdict: p.judgement.Verdict, Code: p.judgement.Code, Message: p.judgement.Message,
		Size: -1, Redirects: []result.Hop{}, Warnings: p.judgement.Warnings, Suggestions: []check.Suggestion{}, References: r.referencesOf(p), Level: p.judgement.Level,
	}
	answers := p.route.answers()
	res.Cached = len(answers) > 0
	for _, id := range answers {
		d := r.details.get(id)
		o, printed := &d.outcome, r.crawl.Print.Job(&d.job)
		res.Cached = res.Cached && o.Cached
		res.Attempts += o.Requests
		res.Elapsed += o.Elapsed
		res.Status, res.Title, res.ContentType, res.Size = o.Status, o.Title, o.ContentType, o.Size
		res.FinalURL, _, _ = strings.Cut(printed, "#")
		if first.Internal && d.job.Internal && !d.job.Verbatim && !p.ignored {
			res.Targets = append(res.Targets, normalized(string(d.job.URL)))
		}
		if o.Code == check.CodeRedirect {
			res.Redirects = append(res.Redirects, result.Hop{URL: printed, Status: o.Status})
		}
	}
	if p.ignored {
		res.FinalURL = r.crawl.Print.Job(&first)
	}
	if first.Verbatim {
		res.FinalURL = ""
	}
	res.Suggestions = append(res.Suggestions, r.suggest.suggestions(p)...)
	if res.Archive = r.archived[p.id]; res.Archive != nil && res.Archive.LastGood != nil {
		res.Suggestions = append(res.Suggestions, suggestion(res.Archive.LastGood, p))
	}
	for i := range res.References {
		if from := res.References[i].RemappedFrom; from != "" && (res.RemappedFrom == "" || from < res.RemappedFrom) {
			res.RemappedFrom = from
		}
	}
	return res
}
