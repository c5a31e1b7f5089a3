package inspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/content"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/csssyntax"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/htmlsyntax"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/inspected"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/plugin"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// reader looks at one document after the other. Its memory is reused.
type reader struct {
	inspector *Inspector
	tokens    htmltoken.Tokenizer
	html      htmlsyntax.Checker
	css       csssyntax.Checker
	rules     pagerules.Checker
	visible   visible.Content
	content   *content.Checker // nil without content rules

	page     *page.Page
	findings []judging.Finding
	run      htmltoken.Run // the tokens that are looked at
	noRuns   bool          // all tokens are looked at one by one
	wanted   wanted
	styles   []style // of the document
}

// style is CSS within an HTML document.
type style struct {
	start, end   int
	declarations bool // the value of a style attribute
}

func newReader(i *Inspector) *reader {
	r := &reader{inspector: i}
	if i.cfg.Content != nil {
		r.content = i.cfg.Content.set.NewChecker()
	}
	return r
}

// Reads reports whether a document of a format (extract.Document.Format) and with a media type,
// without parameters, is looked at.
func (i *Inspector) Reads(format, contentType string) bool {
	switch {
	case format == "html" || format == "xhtml":
		return i.cfg.Groups.Has(all) || i.reads(contentType)
	case format == "markdown" && i.cfg.Groups.Has(duplicates):
		return true
	case format == "css":
		return i.cfg.Groups.Has(CSS|Security) || i.reads(contentType)
	}
	return i.reads(contentType)
}

// reads reports whether content rules or plugins look at documents with a media type.
func (i *Inspector) reads(contentType string) bool {
	return i.cfg.Content != nil && i.cfg.Content.set.Reads(contentType) ||
		slices.ContainsFunc(i.plugins, func(p *plugin.Plugin) bool { return p.Reads(contentType) })
}

// Reading is a document that is looked at. It ends with End or Drop, and has no use afterwards.
type Reading struct{ reader *reader }

// Begin looks at the tokens of a document. Its fields must not change until the end of the Reading.
// marks asks for Marks.
func (i *Inspector) Begin(p *page.Page, marks bool) Reading {
	r := i.readers.Get().(*reader)
	p.Begin()
	r.page, r.findings, r.styles = p, r.findings[:0], r.styles[:0]
	if p.Format == "html" || p.Format == "xhtml" {
		r.readTokens(marks)
	}
	return Reading{r}
}

// Marks returns the offsets of the markup that may matter to links and anchors, for
// extract.Input.Outline, nil if no check looks at tokens. They are valid until the end of the
// Reading.
func (b Reading) Marks() []int32 { return b.reader.tokens.Marks.List }

// Page returns the document.
func (b Reading) Page() *page.Page { return b.reader.page }

// WantsIcon reports whether it matters if the host of the page has an icon at /favicon.ico, which
// Page.HasIcon is to say.
func (b Reading) WantsIcon() bool {
	r := b.reader
	return r.wanted.rules&pagerules.Images != 0 && r.page.Start && !r.rules.Facts.HasIcon
}

// End returns what was found.
func (b Reading) End(ctx context.Context) inspected.Result {
	r := b.reader
	defer b.Drop()
	found := inspected.Result{Inspection: judging.Inspection{Checks: r.inspector.checks}}
	switch r.page.Format {
	case "html", "xhtml":
		r.endHTML(ctx, &found)
	case "css":
		r.readCSS(ctx, &found)
	case "markdown":
		r.checkEntries()
		r.checkContent(nil)
	default:
		r.checkContent(nil)
	}
	r.askPlugins(ctx, &found)
	slices.SortStableFunc(r.findings, judging.CompareFindings)
	if len(r.findings) > 0 {
		found.Inspection.Findings = slices.Clone(r.findings)
	}
	clear(r.findings)
	return found
}

// Drop ends a Reading of which nothing is to be known.
func (b Reading) Drop() {
	b.reader.page = nil
	b.reader.inspector.readers.Put(b.reader)
}

// wanted says what looks at the tokens of the document.
type wanted struct {
	syntax, css, text bool
	rules             pagerules.Groups
}

// wants returns what looks at the tokens, and whether the text is needed in full.
func (r *reader) wants() (w wanted, content bool) {
	groups, checked := r.inspector.cfg.Groups, r.inspector.service != nil
	content = r.content != nil && r.inspector.cfg.Content.set.Needs(r.page)
	w = wanted{syntax: groups.Has(HTML) && !checked, css: groups.Has(CSS) && !checked, rules: groups.pageRules()}
	w.text = content || w.rules&pagerules.Duplicates != 0
	return w, content
}

// readTokens reads the tokens of a document once, for all checks that need them.
func (r *reader) readTokens(marks bool) {
	w, content := r.wants()
	p, z := r.page, &r.tokens
	if r.wanted = w; w == (wanted{}) {
		z.Marks.List = nil
		return
	}
	z.Reset(p.Text, w.syntax)
	z.XML = p.Format == "xhtml"
	z.Marks.Wanted = marks
	if w.syntax {
		r.html.Reset(p, z, r.inspector.cfg.SyntaxMax)
	}
	if w.rules != 0 {
		r.rules.Reset(p, w.rules)
	}
	if w.text {
		r.visible.Reset(p.Text)
		r.visible.XML = z.XML
		r.visible.Text.OnlyFingerprint = !content
	}
	inStyle := false
	for {
		r.run.KeepPhrases, r.run.KeepCode = w.syntax && r.html.NeedsPhrases(), w.rules != 0 && r.rules.InLink()
		if !r.noRuns && z.NextRun(&r.run) {
			if w.syntax {
				r.html.Run(z, &r.run)
			}
			if w.rules != 0 {
				r.rules.Run(z, &r.run)
			}
			if w.text {
				r.visible.Run(&r.run)
			}
			inStyle = false
			continue
		}
		if !z.Next() {
			return
		}
		t := &z.Token
		if w.syntax {
			r.html.Token(t)
		}
		if w.rules != 0 {
			r.rules.Token(z)
		}
		if w.text {
			r.visible.Token(t)
		}
		if w.css {
			inStyle = r.addStyle(t, inStyle)
		}
	}
}

// endHTML judges a document whose tokens were read.
func (r *reader) endHTML(ctx context.Context, found *inspected.Result) {
	i, p, w := r.inspector, r.page, r.wanted
	if w.syntax {
		r.findings = r.html.End(r.findings)
	}
	var shown *visible.Content
	if w.text {
		shown = &r.visible
	}
	if w.rules != 0 {
		r.rules.End(shown)
		r.findings = append(r.findings, r.rules.Findings...)
		found.Inspection.Facts = facts.AppendPage(nil, &r.rules.Facts)
		found.Wants(&r.rules.Facts)
	}
	if w.css {
		r.checkStyles()
	}
	r.checkEntries()
	r.checkContent(shown)
	if i.service != nil {
		r.validate(ctx)
	}
	if i.tidy != nil {
		found, err := i.tidy.Check(ctx, p)
		if err == nil {
			r.addLimited(judging.CodeHTMLSyntax, found)
		}
	}
}

var styleBit = htmltoken.BitsOf("style")

// addStyle notes the CSS in a token. It returns whether the token begins a style element.
func (r *reader) addStyle(t *htmltoken.Token, inStyle bool) bool {
	switch t.Kind {
	case htmltoken.Text, htmltoken.CDATA:
		if inStyle {
			r.styles = append(r.styles, style{t.DataStart, t.DataEnd, false})
		}
	case htmltoken.StartTag:
		if t.Names&styleBit != 0 {
			if a := t.Attribute("style"); a != nil && !a.HasReferences && a.ValueEnd > a.ValueStart {
				r.styles = append(r.styles, style{a.ValueStart, a.ValueEnd, true})
			}
		}
		return t.Element == htmltoken.Style && !t.SelfClosing
	}
	return false
}

// checkStyles checks the CSS in an HTML document.
func (r *reader) checkStyles() {
	var faults []judging.Finding
	for _, s := range r.styles {
		report := func(f csssyntax.Fault) { faults = append(faults, r.cssFinding(f, s.start)) }
		if s.declarations {
			r.css.Declarations(r.page.Text[s.start:s.end], report)
		} else {
			r.css.Sheet(r.page.Text[s.start:s.end], report)
		}
	}
	r.addLimited(judging.CodeCSSSyntax, faults)
}

// readCSS looks at a style sheet.
func (r *reader) readCSS(ctx context.Context, found *inspected.Result) {
	i := r.inspector
	switch {
	case !i.cfg.Groups.Has(CSS):
	case i.service != nil:
		r.validate(ctx)
	default:
		var faults []judging.Finding
		r.css.Sheet(r.page.Text, func(f csssyntax.Fault) { faults = append(faults, r.cssFinding(f, 0)) })
		r.addLimited(judging.CodeCSSSyntax, faults)
	}
	r.checkContent(nil)
}

// cssFinding is the finding for a fault in CSS that begins at an offset of the document.
func (r *reader) cssFinding(f csssyntax.Fault, start int) judging.Finding {
	line, column := r.page.Places.At(start + f.Offset)
	return judging.Finding{Code: judging.CodeCSSSyntax, Rule: f.Rule, Line: line, Column: column,
		Raw: string(r.page.Text[start+f.Offset : start+f.End]), Message: f.Message}
}

// validate asks the service for the findings of both groups.
func (r *reader) validate(ctx context.Context) {
	found, err := r.inspector.service.Check(ctx, r.page)
	if err != nil {
		return // the run is incomplete: see Lost
	}
	for _, code := range []check.Code{judging.CodeHTMLSyntax, judging.CodeCSSSyntax} {
		group := HTML
		if code == judging.CodeCSSSyntax {
			group = CSS
		}
		if !r.inspector.cfg.Groups.Has(group) {
			continue
		}
		var of []judging.Finding
		for _, f := range found {
			if f.Code == code {
				of = append(of, f)
			}
		}
		r.addLimited(code, of)
	}
}

// addLimited adds findings with a code, and one that counts those beyond the limit.
func (r *reader) addLimited(code check.Code, found []judging.Finding) {
	slices.SortStableFunc(found, judging.CompareFindings)
	most := r.inspector.cfg.SyntaxMax
	if len(found) <= most {
		r.findings = append(r.findings, found...)
		return
	}
	r.findings = append(r.findings, found[:most]...)
	r.findings = append(r.findings, judging.Finding{Code: code, Rule: "more", Message: fmt.Sprintf("%d more findings (--syntax-max %d)", len(found)-most, most)})
}

// checkEntries looks for entries of a list or table with the same link.
func (r *reader) checkEntries() {
	if r.inspector.cfg.Groups.Has(duplicates) {
		r.findings = append(r.findings, pagerules.Entries(r.page)...)
	}
}

// checkContent applies the user's rules.
func (r *reader) checkContent(shown *visible.Content) {
	if r.content != nil {
		r.findings = r.content.Check(r.page, shown, r.findings)
	}
}

// askPlugins asks the plugins that want the document.
func (r *reader) askPlugins(ctx context.Context, found *inspected.Result) {
	for _, p := range r.inspector.plugins {
		if !p.Wants(r.page) {
			continue
		}
		answer, err := p.Check(ctx, r.page)
		if err != nil {
			continue // the run was stopped, or is incomplete: see Lost
		}
		r.findings = append(r.findings, answer.Findings...)
		for _, l := range answer.Links {
			found.Links = append(found.Links, inspected.Link{URL: l.URL, Line: l.Line, Column: l.Column, Plugin: p.Name()})
		}
	}
}
