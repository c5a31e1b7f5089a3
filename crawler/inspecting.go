package crawler

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// inspecting is the part of a reading that lets the content checks look at what was fetched.
type inspecting struct{ reading *reading }

// scan passes the whole body to the scanner for viruses, before it is read. The function that
// it returns ends the visit's use of the body, and makes an infected target broken.
func (i inspecting) scan(ctx context.Context) (end func()) {
	r := i.reading
	v, checks := r.visit, r.visit.run.checks
	most := checks.inspector.ScanMax() + 1
	v.worker.releaseSlot() // a worker with a slot must not wait for room
	v.run.slots.waitForRoom()
	data, err := v.run.buffers.Read(r.resp.Body, r.resp.Size, min(most, smallBody), false)
	if err == nil && int64(len(data)) == smallBody {
		v.run.large.await(r.resp.Body)
		r.large = true
		data, err = v.run.buffers.ReadOn(data, r.resp.Body, r.resp.Size, most)
	}
	virus := checks.scan(ctx, data, err, int64(len(data)) == most, r.o)
	i.noteLost()
	r.resp.Body = &replayed{data: data, err: err, from: r.resp.Body}
	return func() {
		v.run.buffers.Give(data)
		if r.large {
			v.run.large.release()
		}
		if virus != "" {
			r.o.Code, r.o.Message = check.CodeVirusFound, virus
		}
	}
}

// outline makes the content checks look at the tokens of an HTML document before its links are
// read, which saves the search for them.
func (i inspecting) outline(in *extract.Input) {
	r := i.reading
	if r.visit.run.checks.inspector == nil || !r.visit.t.Internal || !i.answered() || len(in.Body) > extract.MaxBody || bytes.Contains(in.Body[:min(len(in.Body), maxHead)], []byte("<base")) {
		return
	}
	in.Outline = func(text []byte, charset string) []int32 {
		base, err := urinorm.NewBase(r.u, charset)
		if err != nil || !r.visit.run.checks.inspector.Reads("html", r.o.ContentType) {
			return nil
		}
		d := i.document(base)
		d.Text, d.Charset, d.Body, d.Format = text, charset, in.Body, "html"
		begun := r.visit.run.checks.inspector.Begin(&d.Page, true)
		r.begun = &begun
		return begun.Marks()
	}
}

// maxHead is how much of a document is searched for a base element. One that is found later only
// takes time.
const maxHead = 4096

// answered reports whether the document is all of what was asked for.
func (i inspecting) answered() bool {
	o := i.reading.o
	return o.Code == check.CodeOK && (o.Status == 0 || o.Status/100 == 2) && !o.Incomplete() // what is missing may be in the rest
}

// document returns what is known of a document that answered.
func (i inspecting) document(base *urinorm.Base) *inspected {
	r, v := i.reading, i.reading.visit
	d := &inspected{Page: pageOf(r.u, base, r.resp)}
	d.URL, d.Seen, d.Start = v.run.requests.print.URL(r.u), v.run.requests.print.URL(v.u), i.isStart()
	d.MadeUp = v.run.requests.scope().SyntheticHost(r.u.Authority())
	if r.o.Path != "" {
		d.URL = v.run.requests.print.Path(r.o.Path)
	}
	return d
}

// inspect lets the content checks look at a document. It returns the targets whose content
// they need, too.
func (i inspecting) inspect(ctx context.Context, in extract.Input, doc *extract.Document, follow bool) (content []urinorm.URL) {
	r := i.reading
	v, checks := r.visit, r.visit.run.checks
	if checks.inspector == nil {
		return nil
	}
	begun := r.begun
	if r.begun = nil; begun != nil && (doc.Base != "" || doc.Format != "html") {
		begun.Drop()
		begun = nil
	}
	if !follow || !v.t.Internal || !i.answered() || !checks.inspector.Reads(doc.Format, r.o.ContentType) {
		if begun != nil {
			begun.Drop()
		}
		target := i.targetOf(in.Body)
		r.o.Inspection = target.Encode()
		return nil
	}
	d := i.document(document.BaseOf(r.u, doc))
	d.input, d.read, d.begun = in, doc, begun
	d.AsksIcon = func() bool { return v.line.hasIcon(ctx, r.u) }
	if checks.inspector.Waits() {
		v.worker.releaseSlot()
	}
	found := checks.look(ctx, d)
	i.noteLost()
	if found.Inspection.Facts == nil { // a style sheet
		found.Inspection.Facts = i.targetOf(in.Body).Facts
	}
	r.o.Inspection = found.Inspection.Encode()
	return i.judgedBy(&found)
}

// judgedBy returns the targets whose content is needed to judge a page.
func (i inspecting) judgedBy(found *inspect.Result) (content []urinorm.URL) {
	r := i.reading
	content = found.Integrities
	for _, u := range found.Images {
		if inside, _ := r.visit.run.requests.scope().Internal(rules.HrefOf(u)); inside || r.resp.LocalFile() != "" {
			content = append(content, u)
		}
	}
	return content
}

// want requests the content of targets that are needed to judge a page, unless the cache has
// what the checks of this run know of them.
func (i inspecting) want(content []urinorm.URL) {
	v := i.reading.visit
	for _, u := range content {
		v.found.WantContent(u, func(known *check.Outcome) bool { return v.run.checks.isInspected(known, false) })
	}
}

// targetOf returns what the content checks need to know of a body that is not looked at as a
// page.
func (i inspecting) targetOf(body []byte) check.Inspection {
	r := i.reading
	limit := r.limit()
	if r.o.Incomplete() {
		limit = int64(len(body)) - 1 // this is not the whole body
	}
	return r.visit.run.checks.inspector.Target(bytes.NewReader(body), limit)
}

// isStart reports whether the document is the start page of a site: one that a crawl starts
// from, or the index of a directory.
func (i inspecting) isStart() bool {
	r := i.reading
	site := r.visit.run.requests.scope().SiteOf(r.u)
	if site == nil || r.o.Path == "" {
		return r.visit.t.Seed
	}
	name := filepath.Base(r.o.Path)
	return filepath.Dir(r.o.Path) == filepath.Clean(site.Dir()) && strings.TrimSuffix(name, filepath.Ext(name)) == "index"
}

// inspectTarget lets the content checks look at a target that is no document, such as an
// image, if its content is needed.
func (i inspecting) inspectTarget() {
	r := i.reading
	if inspector := r.visit.run.checks.inspector; inspector != nil && r.visit.t.Content {
		body := &restOf{from: io.LimitReader(r.resp.Body, r.limit()+1)}
		target := inspector.Target(body, r.limit())
		r.o.Inspection = target.Encode()
		if r.o.Size >= 0 {
			return
		}
		if _, err := io.Copy(io.Discard, body); err == nil && body.length <= r.limit() {
			r.o.Size = body.length // which the header does not tell
		}
	}
}

// noteLost notes that a program that the content checks need was lost.
func (i inspecting) noteLost() {
	r := i.reading
	name, _ := r.visit.run.checks.inspector.Lost()
	r.visit.worker.tally.leftOut(check.GapNamed(name))
}
