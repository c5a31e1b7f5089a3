package crawler

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Of the references of a site a few in a thousand are shown. Where a page is a file, which
// can be read once more, its plain links are bare (extract.Input.Bare): it is neither
// looked for nor kept where they stand and what their text is, unless it is known when the
// page is read that they will be shown. What turns out to be shown later is read again
// from the file, which must be the same still.

// bare reports whether the links of a document may be bare.
func (w *worker) bare(resp *fetch.Response) bool {
	c := w.cfg
	return c.ReadAgain && !c.Show.OK && !c.Show.Skipped && !c.Pages && !c.Stream && c.Changed == nil && !w.looksBack() &&
		!w.frontier.Durable() && localFile(resp) != "" && len(resp.Header) == 0
}

// asFarAsKnown notes what the settling of a target tells of the references to it.
func (r *run) asFarAsKnown(id frontier.ID, o *check.Outcome) {
	if !r.cfg.ReadAgain {
		return
	}
	if e, _ := check.Lookup(o.Code); e.Severity != check.SeverityInfo {
		r.dubious.add(id)
		return
	}
	for _, w := range o.Warnings {
		switch {
		case informational(w.Code):
		case !check.OfPage(w.Code):
			r.dubious.add(id)
			return
		case !r.cfg.Show.PagesAlone && !r.remarked.has(id):
			r.remarked.add(id)
			r.remarks.Add(1)
		}
	}
}

// manyRemarked reports whether there is much to say of the pages of this site: then that
// goes for those, too, that are not read yet.
func (r *run) manyRemarked() bool {
	const few, share = 16, 4 // of so many pages one
	n := r.remarks.Load()
	return n >= few && n*share > r.counts[countPages].Load()
}

// foresee looks which of the files that a page was the first to name are missing: their
// turn comes when all documents of a directory have been read.
func (w *worker) foresee(items []frontier.Item, ids []frontier.ID) {
	for i, id := range ids {
		if it := &items[i]; it.ID != 0 || it.Outcome != nil || id <= w.lastSeed || w.foreseen.has(id) {
			continue
		}
		w.foreseen.add(id)
		job, err := frontier.DecodeJob(items[i].Job)
		if err != nil {
			continue
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil {
			continue
		}
		if site := w.scope().siteOf(u); site != nil {
			if _, err := site.Fetch(w.always, &fetch.Request{URL: u}); err != nil {
				w.dubious.add(id)
			}
		}
	}
}

// shownAs says which references to a target will be shown, as far as that is known.
type shownAs uint8

const (
	notShown   shownAs = iota
	shownWhole         // those without a fragment
	shownAll
)

func (r *run) shownAs(id frontier.ID, fate *Fate) shownAs {
	switch {
	case fate.Outcome == leftOut:
	case fate.Outcome != nil:
		if e, _ := check.Lookup(fate.Outcome.Code); e.Severity != check.SeverityInfo {
			return shownAll
		}
	case r.dubious.has(id):
		return shownAll
	case r.remarked.has(id), fate.Need&frontier.NeedLinks != 0 && r.manyRemarked():
		return shownWhole
	}
	return notShown
}

// addBare keeps a link of a document that was read bare. before is what was said of the
// link that it repeats, or of itself.
func (f *findings) addBare(l *extract.Link, link *frontier.Link, before *said) {
	shown := f.lies[link.Target].shown
	if l.Tag != 0 && before.plain && shown != shownAll && (shown == notShown || link.HasFragment) {
		link.Tag = l.Tag
		link.Named = isWayward(link.Fragment)
		f.links.Add(link)
		return
	}
	if l.Tag != 0 {
		f.fillIn(link, l.Tag)
	}
	if before.number > 0 {
		link.Repeats, link.SameText = before.number, link.Text == before.text
	} else {
		if link.HasFragment && link.Fragment == nil { // it repeats a bare one
			link.Fragment = append(f.href[:0], link.Raw[strings.IndexByte(link.Raw, '#')+1:]...)
			f.href = link.Fragment
		}
		before.number, before.text = f.links.Written()+1, link.Text
	}
	f.links.Add(link)
}

// fillIn reads what was left out of a bare link.
func (f *findings) fillIn(link *frontier.Link, tag int32) {
	if !f.reread {
		f.again.Reset(f.body)
		f.reread = true
	}
	l, _ := f.again.Link(tag) // which was found there before
	link.Line, link.Column, link.Text = l.Line, l.Column, l.Text
}

// barely is a mark of a link that is shown for its target's sake alone, if at all.
const barely = markExpect | markForm | markAside | markChanged

// isPlain reports whether a link may be bare: it has no finding of its own, and its
// fragment is as it is written.
func isPlain(link *frontier.Link) bool {
	return link.Mark&^barely == 0 && (!link.HasFragment || link.FragmentAsWritten())
}

// isWayward reports whether a fragment that is there may not be found by its hash: it
// has to be decoded, or is a range of lines.
func isWayward(fragment []byte) bool {
	n := len(fragment)
	return n > 0 && (bytes.IndexByte(fragment, '%') >= 0 || isDigit(fragment[n-1]) && bytes.IndexByte(fragment, '-') > 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// bareReference is one that is to be read again.
type bareReference struct {
	pair  *pair
	brief frontier.Brief
	tag   int32
	found extract.Link // its Tag is 0 where it was not found
}

// barePage is a page with such references.
type barePage struct {
	job, outcome []byte
	name         string // as it is printed
	references   []bareReference
}

// readAgain reads what is missing of references, page by page, with as many hands as
// there are processors.
func (j *join) readAgain(pages []barePage) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(pages, max(1, len(pages)/(4*runtime.GOMAXPROCS(0)))) {
		g.Go(func() error {
			var again extract.Rereader
			for i := range chunk {
				if err := j.readPageAgain(&chunk[i], &again); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// readPageAgain reads one of them. References are not found in a file that has changed.
func (j *join) readPageAgain(p *barePage, again *extract.Rereader) error {
	job, err := frontier.DecodeJob(p.job)
	if err != nil {
		return err
	}
	o, _, err := check.DecodeHead(p.outcome)
	if err != nil {
		return err
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	if err != nil {
		return err
	}
	resp, err := j.r.fetch(j.r.always, &fetch.Request{URL: u, Need: fetch.Content, Internal: job.Internal})
	if err != nil || resp.Body == nil {
		return nil
	}
	defer resp.Body.Close()
	if !resp.Modified.Equal(o.Modified) || resp.Size != o.Size {
		return nil
	}
	body, err := j.r.bodies.read(resp.Body, resp.Size, resp.Size+1, true)
	defer j.r.bodies.give(body)
	if err != nil || int64(len(body)) != o.Size {
		return nil
	}
	again.Reset(body)
	for i := range p.references {
		r := &p.references[i]
		if l, ok := again.Link(r.tag); ok && (!r.brief.HasFragment || check.HashAnchor(fragmentOf(l.Raw)) == r.brief.Hash) {
			r.found, r.found.Tag = l, r.tag
		}
	}
	return nil
}

// fragmentOf is what follows the first '#' of a reference.
func fragmentOf(raw string) string {
	_, fragment, _ := strings.Cut(raw, "#")
	return fragment
}

// bareTexts finds the texts of the fragments of pairs that were first met in bare
// references.
func (j *join) bareTexts() error {
	defer func() { j.sought = nil }()
	const atOnce = 1024 // pages
	var pages []barePage
	flush := func() error {
		if err := j.readAgain(pages); err != nil {
			return err
		}
		for i := range pages {
			for _, r := range pages[i].references {
				if r.found.Tag == 0 {
					return fmt.Errorf("read %s again, for what it links to: it has changed since it was checked", pages[i].name)
				}
				r.pair.fragment = fragmentOf(r.found.Raw)
			}
		}
		pages = pages[:0]
		return nil
	}
	for at := 0; at < len(j.sought); {
		id := j.sought[at].page
		rec, err := j.r.frontier.Store().Get(j.r.always, id)
		if err != nil {
			return fmt.Errorf("read target %d once more: %w", id, err)
		}
		p := barePage{job: rec.Job, outcome: rec.Outcome, name: j.page(&rec)}
		for ; at < len(j.sought) && j.sought[at].page == id; at++ {
			p.references = append(p.references, j.sought[at].bareReference)
		}
		if pages = append(pages, p); len(pages) == atOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// soughtText is a reference whose fragment's text is wanted, on a page.
type soughtText struct {
	page frontier.ID
	bareReference
}

// barePlaces gathers the bare references of pages, and adds them to their pairs a good
// many at a time.
type barePlaces struct {
	join    *join
	pages   []barePage
	held    int // references
	changed int // pages
}

// add takes in the references of a page, whose record may be used again.
func (b *barePlaces) add(rec *frontier.Record, name string, references []bareReference) error {
	const most = 1 << 14
	b.pages = append(b.pages, barePage{slices.Clone(rec.Job), slices.Clone(rec.Outcome), name, slices.Clone(references)})
	if b.held += len(references); b.held < most {
		return nil
	}
	return b.flush()
}

func (b *barePlaces) flush() error {
	if err := b.join.readAgain(b.pages); err != nil {
		return err
	}
	for i := range b.pages {
		changed := false
		for k := range b.pages[i].references {
			r := &b.pages[i].references[k]
			l := &r.found
			changed = changed || l.Tag == 0
			r.pair.refer(&Reference{Page: b.pages[i].name, Line: l.Line, Column: l.Column,
				Element: l.Element, Attribute: l.Attribute, Raw: l.Raw, Text: l.Text}, r.brief.Mark)
		}
		if changed {
			b.changed++
		}
	}
	b.pages, b.held = b.pages[:0], 0
	return nil
}

// end reads the last of them, and tells of pages that had changed.
func (b *barePlaces) end() error {
	if err := b.flush(); err != nil {
		return err
	}
	switch b.changed {
	case 0:
		return nil
	case 1:
		return b.join.note("a file changed while it was checked: where on it links stand that are listed is not known")
	}
	return b.join.note(fmt.Sprintf("%d files changed while they were checked: where on them links stand that are listed is not known", b.changed))
}
