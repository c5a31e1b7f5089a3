package verdicts

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// The crawl stores little of references that were not expected to be shown, as their files
// can be read again (package references). These bare references lack their positions and
// texts.

// rereader reads what the join needs of bare references from their files: texts of
// fragments, positions of shown references, and names of anchors for suggestions. Without
// bare references it is never called.
type rereader struct {
	ctx     context.Context
	store   frontier.Store
	door    *admit.Door
	buffers buffers.Pool
	anchors extract.Input
	wanted  []wantedText         // wanted texts of fragments, grouped by page
	changed map[frontier.ID]bool // pages whose files have changed
	pages   []barePage           // pages with shown references
	held    int                  // number of bare references on pages
	lost    int                  // number of pages whose positions could not be found

	lostPage uint32 // the number of the last of them
}

func newRereader(ctx context.Context, c *Crawl) *rereader {
	return &rereader{ctx: ctx, store: c.Store, door: c.Door, anchors: c.Anchors, buffers: buffers.Pool{Most: 2 * runtime.GOMAXPROCS(0)}, changed: map[frontier.ID]bool{}}
}

// bareReference is a reference to be read again.
type bareReference struct {
	pair  *pair
	brief frontier.Brief
	tag   int32
	found extract.Link // its Tag is 0 where it was not found
}

// checkedFile identifies the version of a file that was checked.
type checkedFile struct {
	url      string
	internal bool
	size     int64
	modified time.Time
}

func fileOf(job *frontier.Job, o *judging.Outcome) checkedFile {
	return checkedFile{url: string(job.URL), internal: job.Internal, size: o.Size, modified: o.Modified}
}

// barePage is a file with bare references.
type barePage struct {
	checkedFile
	id         frontier.ID
	number     uint32 // in pageNames
	references []bareReference
}

// page returns the file of a record.
func (r *rereader) page(rec *frontier.Record, number uint32) (p barePage, err error) {
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return p, fmt.Errorf("target %d: %w", rec.ID, err)
	}
	o, _, err := judging.DecodeHead(rec.Outcome)
	if err != nil {
		return p, fmt.Errorf("target %d: %w", rec.ID, err)
	}
	return barePage{checkedFile: fileOf(&job, &o), id: rec.ID, number: number}, nil
}

// read completes the references of pages, on as many goroutines as there are processors.
func (r *rereader) read(pages []barePage) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(pages, max(1, len(pages)/(4*runtime.GOMAXPROCS(0)))) {
		g.Go(func() error {
			var again extract.Rereader
			for i := range chunk {
				if err := r.readPage(&chunk[i], &again); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// readPage completes the references of a page. If the file has changed, none is found.
func (r *rereader) readPage(p *barePage, again *extract.Rereader) error {
	_, body, err := r.file(&p.checkedFile)
	if err != nil || body == nil {
		return err
	}
	defer r.buffers.Give(body)
	again.Reset(body)
	for i := range p.references {
		ref := &p.references[i]
		if l, ok := again.Link(ref.tag); ok && (!ref.brief.HasFragment || judging.HashAnchor(scope.FragmentOf(l.Raw)) == ref.brief.Hash) {
			ref.found, ref.found.Tag = l, ref.tag
		}
	}
	return nil
}

// file reads a file again. The body is nil if the file has changed or does not exist. The
// caller must give the body back to the buffers.
func (r *rereader) file(p *checkedFile) (*fetch.Response, []byte, error) {
	u, _, err := urinorm.ParseWeb(p.url)
	if err != nil {
		return nil, nil, err
	}
	by, err := r.door.Decide(r.ctx, admit.Ask{URL: u, For: admit.Reread})
	if err != nil || !by.Admitted() {
		return nil, nil, nil
	}
	resp, err := r.door.Send(r.ctx, by, &fetch.Request{URL: u, Need: fetch.Content, Internal: p.internal})
	if err != nil || resp.Fault != nil || resp.Body == nil {
		return nil, nil, nil
	}
	defer resp.Close()
	if !resp.Modified.Equal(p.modified) || resp.Size != p.size {
		return nil, nil, nil
	}
	body, err := r.buffers.Read(resp.Body, resp.Size, resp.Size+1, true)
	if err != nil || int64(len(body)) != p.size {
		r.buffers.Give(body)
		return nil, nil, nil
	}
	return resp.Response, body, nil
}

// names reads the names of a file's anchors, for suggestions. If the file has changed, the
// result is empty.
func (r *rereader) names(d *details) judging.Names {
	p := fileOf(&d.job, &d.outcome)
	resp, body, err := r.file(&p)
	if err != nil || body == nil {
		return ""
	}
	defer r.buffers.Give(body)
	in := r.anchors
	in.Body, in.ContentType, in.Name, in.Path = body, resp.ContentType, scope.DocumentName(d.url), resp.LocalFile()
	return judging.PackNames(extract.Extract(in).Anchors)
}

// Numbers of references and pages that are read again at once.
const (
	maxBare      = 1 << 14
	maxBarePages = 1024
)

// want requests the text of a pair's fragment from a page.
func (r *rereader) want(p *pair, page frontier.ID, b *frontier.Brief, tag int32) {
	if r.changed[page] {
		p.unread = true
		return
	}
	p.textWanted = true
	r.wanted = append(r.wanted, wantedText{pair: p, hash: b.Hash, page: page, tag: tag})
}

// wantedText is a reference whose fragment's text is wanted.
type wantedText struct {
	pair *pair
	hash uint64 // of the fragment
	page frontier.ID
	tag  int32
}

// texts reads the wanted texts of fragments. If it finds that files have changed, more is
// true: other files may contain the same fragments, so the caller must request the texts
// that are still missing again.
func (r *rereader) texts() (more bool, err error) {
	wanted, changed := r.wanted, len(r.changed)
	r.wanted = nil
	var pages []barePage
	held := 0
	flush := func() error {
		if err := r.read(pages); err != nil {
			return err
		}
		for i := range pages {
			for _, ref := range pages[i].references {
				if ref.found.Tag != 0 {
					ref.pair.fragment, ref.pair.unread = strings.Clone(scope.FragmentOf(ref.found.Raw)), false
					continue
				}
				ref.pair.textWanted, ref.pair.unread = false, true
				r.changed[pages[i].id] = true
			}
		}
		pages, held = pages[:0], 0
		return nil
	}
	for at := 0; at < len(wanted); {
		id := wanted[at].page
		rec, err := r.store.Get(r.ctx, id, frontier.AllParts)
		if err != nil {
			return false, fmt.Errorf("read target %d again: %w", id, err)
		}
		p, err := r.page(&rec, 0)
		if err != nil {
			return false, err
		}
		for ; at < len(wanted) && wanted[at].page == id; at++ {
			w := &wanted[at]
			p.references = append(p.references, bareReference{pair: w.pair, brief: frontier.Brief{HasFragment: true, Hash: w.hash}, tag: w.tag})
		}
		held += len(p.references)
		if pages = append(pages, p); len(pages) >= maxBarePages || held >= maxBare {
			if err := flush(); err != nil {
				return false, err
			}
		}
	}
	err = flush()
	return len(r.changed) > changed, err
}

// changedFiles returns the beginning of a note on changed files.
func changedFiles(n int) string {
	if n == 1 {
		return "a file changed during the check"
	}
	return fmt.Sprintf("%d files changed during the check", n)
}

// refer gets a reference to a pair that was read again, and the number of its page.
type refer func(p *pair, page uint32, l *frontier.RawLink)

// add adds shown bare references of a page. They are read and given to found in
// batches, so a page with very many is read several times. The record is not kept.
func (r *rereader) add(rec *frontier.Record, number uint32, references []bareReference, found refer) error {
	p, err := r.page(rec, number)
	if err != nil {
		return err
	}
	p.references = slices.Clone(references)
	r.pages = append(r.pages, p)
	if r.held += len(references); r.held < maxBare {
		return nil
	}
	return r.flush(found)
}

func (r *rereader) flush(found refer) error {
	if err := r.read(r.pages); err != nil {
		return err
	}
	for i := range r.pages {
		changed := false
		for k := range r.pages[i].references {
			ref := &r.pages[i].references[k]
			l := &ref.found
			changed = changed || l.Tag == 0
			found(ref.pair, r.pages[i].number, &frontier.RawLink{Brief: ref.brief, Line: l.Line, Column: l.Column,
				Element: l.Element, Attribute: l.Attribute, Raw: []byte(l.Raw), Text: []byte(l.Text)})
		}
		if changed && r.lostPage != r.pages[i].number {
			r.lost, r.lostPage = r.lost+1, r.pages[i].number
		}
	}
	r.pages, r.held = r.pages[:0], 0
	return nil
}

// end reads the last batch. It returns a note if files have changed, and "" otherwise.
func (r *rereader) end(found refer) (note string, err error) {
	if err := r.flush(found); err != nil || r.lost == 0 {
		return "", err
	}
	return changedFiles(r.lost) + ": the positions of reported links there are unknown", nil
}
