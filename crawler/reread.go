package crawler

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Of references that were kept bare (bare.go) the join reads again what it turns out to
// need: the texts of fragments, the places to show, and the names to suggest.

// bareReference is one that is to be read again.
type bareReference struct {
	pair  *pair
	brief frontier.Brief
	tag   int32
	found extract.Link // its Tag is 0 where it was not found
}

// checkedFile is a file as it was when it was checked.
type checkedFile struct {
	url      string
	internal bool
	size     int64
	modified time.Time
}

func fileOf(job *frontier.Job, o *check.Outcome) checkedFile {
	return checkedFile{url: string(job.URL), internal: job.Internal, size: o.Size, modified: o.Modified}
}

// barePage is a file with such references.
type barePage struct {
	checkedFile
	id         frontier.ID
	name       string // as it is printed
	references []bareReference
}

// pageAgain reads from a record what is to be known of its file.
func (j *join) pageAgain(rec *frontier.Record, name string) (p barePage, err error) {
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return p, fmt.Errorf("target %d: %w", rec.ID, err)
	}
	o, _, err := check.DecodeHead(rec.Outcome)
	if err != nil {
		return p, fmt.Errorf("target %d: %w", rec.ID, err)
	}
	return barePage{checkedFile: fileOf(&job, &o), id: rec.ID, name: name}, nil
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
	_, body, err := j.fileAgain(&p.checkedFile)
	if err != nil || body == nil {
		return err
	}
	defer j.r.bodies.give(body)
	again.Reset(body)
	for i := range p.references {
		r := &p.references[i]
		if l, ok := again.Link(r.tag); ok && (!r.brief.HasFragment || check.HashAnchor(fragmentOf(l.Raw)) == r.brief.Hash) {
			r.found, r.found.Tag = l, r.tag
		}
	}
	return nil
}

// fileAgain reads a file once more; the body is nil where it has changed, or is gone.
// Whoever gets one gives it back to the run's bodies.
func (j *join) fileAgain(p *checkedFile) (*fetch.Response, []byte, error) {
	u, _, err := urinorm.ParseWeb(p.url)
	if err != nil {
		return nil, nil, err
	}
	resp, err := j.r.fetch(j.r.always, &fetch.Request{URL: u, Need: fetch.Content, Internal: p.internal})
	if err != nil || resp.Body == nil {
		return nil, nil, nil
	}
	defer resp.Body.Close()
	if !resp.Modified.Equal(p.modified) || resp.Size != p.size {
		return nil, nil, nil
	}
	body, err := j.r.bodies.read(resp.Body, resp.Size, resp.Size+1, true)
	if err != nil || int64(len(body)) != p.size {
		j.r.bodies.give(body)
		return nil, nil, nil
	}
	return resp, body, nil
}

// namesAgain reads the names of the anchors of a file whose links were bare, for
// suggestions. Of one that has changed there are none.
func (j *join) namesAgain(d *dossier) check.Names {
	p := fileOf(&d.job, &d.outcome)
	resp, body, err := j.fileAgain(&p)
	if err != nil || body == nil {
		return ""
	}
	defer j.r.bodies.give(body)
	doc := extract.Extract(extract.Input{Body: body, ContentType: resp.ContentType, Name: lastSegment(d.url), Path: localFile(resp), AnchorsOnly: true})
	return check.PackNames(doc.Anchors)
}

// fragmentOf is what follows the first '#' of a reference.
func fragmentOf(raw string) string {
	_, fragment, _ := strings.Cut(raw, "#")
	return fragment
}

// So many references are read again at once, of so many pages.
const (
	mostBare      = 1 << 14
	mostBarePages = 1024
)

// bareTexts finds the texts of the fragments of pairs that were first met in bare
// references. Those that were in files that have changed may be in others, too.
func (j *join) bareTexts() error {
	sought := j.sought
	j.sought = nil
	var pages []barePage
	held := 0
	flush := func() error {
		if err := j.readAgain(pages); err != nil {
			return err
		}
		for i := range pages {
			for _, r := range pages[i].references {
				if r.found.Tag != 0 {
					r.pair.fragment, r.pair.unread = strings.Clone(fragmentOf(r.found.Raw)), false
					continue
				}
				r.pair.sought, r.pair.unread = false, true
				j.lost[pages[i].id] = true
			}
		}
		pages, held = pages[:0], 0
		return nil
	}
	for at := 0; at < len(sought); {
		id := sought[at].page
		rec, err := j.r.frontier.Store().Get(j.r.always, id)
		if err != nil {
			return fmt.Errorf("read target %d once more: %w", id, err)
		}
		p, err := j.pageAgain(&rec, "")
		if err != nil {
			return err
		}
		for ; at < len(sought) && sought[at].page == id; at++ {
			s := &sought[at]
			p.references = append(p.references, bareReference{pair: s.pair, brief: frontier.Brief{HasFragment: true, Hash: s.hash}, tag: s.tag})
		}
		held += len(p.references)
		if pages = append(pages, p); len(pages) >= mostBarePages || held >= mostBare {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// soughtText is a reference whose fragment's text is wanted, on a page.
type soughtText struct {
	pair *pair
	hash uint64 // of the fragment
	page frontier.ID
	tag  int32
}

// leaveUnread drops the pairs with a fragment that nobody can read any more.
func (j *join) leaveUnread() error {
	n := len(j.flagged)
	j.flagged = slices.DeleteFunc(j.flagged, func(p *pair) bool { return p.unread })
	maps.DeleteFunc(j.pairs, func(_ pairKey, p *pair) bool { return p.unread })
	if n -= len(j.flagged); n == 0 {
		return nil
	}
	if j.sum.Complete = false; j.sum.StoppedBy == "" {
		j.sum.StoppedBy = "file-changed"
	}
	return j.note(changedFiles(len(j.lost)) + ": " + quantity(n, "target") + " with a fragment, linked to from there, left out")
}

// changedFiles begins a note on such files.
func changedFiles(n int) string {
	if n == 1 {
		return "a file changed while it was checked"
	}
	return fmt.Sprintf("%d files changed while they were checked", n)
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
	p, err := b.join.pageAgain(rec, name)
	if err != nil {
		return err
	}
	p.references = slices.Clone(references)
	b.pages = append(b.pages, p)
	if b.held += len(references); b.held < mostBare {
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
	if b.changed == 0 {
		return nil
	}
	return b.join.note(changedFiles(b.changed) + ": where links that are listed stand there is not known")
}
