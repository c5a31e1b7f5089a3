package pagerules

import "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// Groups is a set of groups of checks.
type Groups uint8

// The groups.
const (
	SEO Groups = 1 << iota
	Images
	Security
	I18n
	Duplicates
	Accessibility
)

// In the table of elements, anyGroup stands for all groups, and inLink for those elements that
// matter within a link alone.
const (
	inLink   Groups = 1 << 6
	anyGroup Groups = 1 << 7
)

// needHidden are the groups that leave out what readers do not get.
const needHidden = SEO | Images | Accessibility

// needRobots are the groups that must know whether a page is noindex or names another one as
// canonical.
const needRobots = SEO | I18n | Duplicates

// elements are the elements that each group looks at.
var elements = [...]struct {
	group    Groups
	elements []htmltoken.Element
}{
	{anyGroup, []htmltoken.Element{htmltoken.Noscript, htmltoken.Template}},
	{inLink, []htmltoken.Element{htmltoken.Slot, htmltoken.Object, htmltoken.Embed, htmltoken.Code, htmltoken.Kbd, htmltoken.Samp, htmltoken.Tt, htmltoken.Var}},
	{SEO, []htmltoken.Element{htmltoken.Title, htmltoken.Script, htmltoken.Meta, htmltoken.Link, htmltoken.H1, htmltoken.H2, htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6, htmltoken.Frameset, htmltoken.Img}},
	{Images, []htmltoken.Element{htmltoken.Img, htmltoken.Image, htmltoken.Area, htmltoken.Input, htmltoken.Picture, htmltoken.Source, htmltoken.Meta, htmltoken.Link}},
	{Security, []htmltoken.Element{htmltoken.Script, htmltoken.Link, htmltoken.Form, htmltoken.Input, htmltoken.Button, htmltoken.Meta}},
	{I18n, []htmltoken.Element{htmltoken.HTML, htmltoken.Link, htmltoken.Meta}},
	{Duplicates, []htmltoken.Element{htmltoken.Meta, htmltoken.Link, htmltoken.Frameset}},
	{Accessibility, []htmltoken.Element{htmltoken.A, htmltoken.Input, htmltoken.Select, htmltoken.Textarea, htmltoken.Label, htmltoken.H1, htmltoken.H2,
		htmltoken.H3, htmltoken.H4, htmltoken.H5, htmltoken.H6, htmltoken.Iframe, htmltoken.Frame, htmltoken.Img, htmltoken.Image}},
}

// lookedAt has for each element the groups that look at it.
var lookedAt = func() (groups [256]Groups) {
	for _, row := range elements {
		for _, e := range row.elements {
			groups[e] |= row.group
		}
	}
	return groups
}()
