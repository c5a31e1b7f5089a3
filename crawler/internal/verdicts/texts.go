package verdicts

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Links with text fragments (#:~:text=) are few, and which texts they name is known only when
// all pages were read. So the pages that they lead to are requested again at the end, one
// after the other, if Judging.TextFragments asks for it.

// textComparison compares the texts of text fragments with the pages.
type textComparison struct {
	crawl    *Crawl
	pairs    *pairs
	details  *detailCache
	requests int
	asked    map[string]time.Time // of the last request, by authority
}

const (
	// maxTextPages is how many pages are requested again.
	maxTextPages = 1000
	// maxTextBody is how many bytes of a page are read.
	maxTextBody = 10 << 20
)

// pageText is what a reader sees on a page.
type pageText struct {
	text    string
	failure string // why it could not be read, or ""
	none    bool   // it is no text
}

// all returns a step that judges all pairs with a text fragment that are OK otherwise.
func (c *textComparison) all(ctx context.Context) func() error {
	return func() error {
		if !c.crawl.Judging.TextFragments || c.crawl.ended(ctx) {
			return nil
		}
		c.asked = map[string]time.Time{}
		pages := map[frontier.ID]pageText{}
		left := 0
		for _, p := range c.pairs.flagged {
			end := p.route.end
			if p.marks&scope.MarkText == 0 || p.judgement.Verdict != check.OK || end == 0 {
				continue
			}
			page, known := pages[end]
			if !known {
				if len(pages) == maxTextPages || ctx.Err() != nil {
					left++
					continue
				}
				page = c.read(ctx, end)
				pages[end] = page
			}
			if page.none {
				continue
			}
			c.judge(p, page)
		}
		if left > 0 {
			return c.crawl.note(fmt.Sprintf("text fragments were compared with %d pages; %d links to others were not compared", len(pages), left))
		}
		return c.details.err
	}
}

func (c *textComparison) judge(p *pair, page pageText) {
	o := &c.details.get(p.route.end).outcome
	q := judging.Question{Internal: p.route.internal, Local: o.Path != "", Fragment: p.fragment, HasFragment: true}
	if g := o.JudgeTexts(q, page.text, page.failure); g.Verdict != check.OK {
		g.Warnings = p.judgement.Warnings
		p.judged(g)
	}
}

// read requests a page again.
func (c *textComparison) read(ctx context.Context, id frontier.ID) pageText {
	d := c.details.get(id)
	by, err := c.crawl.Door.Decide(ctx, admit.Ask{URL: d.url, For: admit.Reread})
	switch {
	case err != nil:
		return pageText{failure: err.Error()}
	case !by.Admitted():
		return pageText{failure: by.Outcome.Message}
	}
	if err := c.await(ctx, d.url); err != nil {
		return pageText{failure: err.Error()}
	}
	c.requests++
	resp, err := c.crawl.Door.Send(ctx, by, &fetch.Request{URL: d.url, Need: fetch.Content, Internal: d.job.Internal})
	switch {
	case err != nil:
		return pageText{failure: err.Error()}
	case resp.Fault != nil:
		return pageText{failure: resp.Fault.Error()}
	case resp.Body == nil:
		return pageText{none: true}
	}
	defer resp.Close()
	if resp.Status != 0 && resp.Status/100 != 2 {
		return pageText{failure: fmt.Sprintf("the server answered %d this time", resp.Status)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTextBody))
	if err != nil {
		return pageText{failure: err.Error()}
	}
	text, _, ok := extract.Decode(extract.Input{Body: body, ContentType: resp.ContentType, Name: scope.DocumentName(d.url)})
	switch media := fetch.MediaType(resp.ContentType); {
	case !ok:
		return pageText{none: true}
	case media == "text/html" || media == "application/xhtml+xml":
		return pageText{text: visible.OfPage(text)}
	case media == "text/plain":
		return pageText{text: string(text)}
	}
	return pageText{none: true}
}

// await waits until a host may be asked again, by Settings.Rate and Settings.Delay.
func (c *textComparison) await(ctx context.Context, u urinorm.URL) error {
	pause := c.crawl.Delay
	if rate := c.crawl.Rate; rate > 0 {
		pause = max(pause, time.Duration(float64(time.Second)/rate))
	}
	last, asked := c.asked[u.Authority()]
	if wait := time.Until(last.Add(pause)); asked && pause > 0 && wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	c.asked[u.Authority()] = time.Now()
	return nil
}
