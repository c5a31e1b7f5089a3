package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
)

// pictures is what is known of the picture elements of the page.
type pictures struct {
	inPicture bool // a picture is open
}

// image reads an img element.
func (c *Checker) image(t *htmltoken.Token) {
	if c.headings.open || c.link.open {
		alt := c.value("alt")
		if c.headings.open {
			c.headings.name.add(alt)
		}
		if c.link.open {
			c.link.name.add(alt)
		}
	}
	if c.groups&Images == 0 {
		return
	}
	width, height := t.Attribute("width"), t.Attribute("height")
	if !c.concealed {
		if c.lacksAlternative() {
			c.reportTag(check.CodeAltMissing, "the image has no alt attribute")
		}
		if missing := missingOf(width, height); missing != "" {
			c.reportTag(check.CodeImageDimensionsMissing, "the image has no "+missing+" attribute")
		}
	}
	source := t.Attribute("src")
	if source == nil || c.pictures.inPicture || t.Attribute("srcset") != nil || len(c.Facts.Images) == facts.MaxLinks {
		return // of several sources the browser chooses
	}
	ref := bytes.TrimSpace(c.z.Value(source))
	if len(ref) == 0 || len(ref) > len("data:") && equalFold(ref[:len("data:")], "data:") {
		return
	}
	_, printed, ok := c.resolve(ref)
	if !ok {
		return
	}
	image := facts.Image{Link: facts.Link{URL: printed}}
	if width != nil && height != nil {
		image.Width, image.Height = pixels(c.z.Value(width)), pixels(c.z.Value(height))
		if image.Width == 0 || image.Height == 0 {
			image.Width, image.Height = 0, 0
		}
	}
	for i := range c.Facts.Images {
		if m := &c.Facts.Images[i]; m.URL == printed && m.Width == image.Width && m.Height == image.Height {
			return
		}
	}
	image.Place, image.Raw = c.place(source.ValueStart), c.raw(source.ValueStart, source.ValueEnd)
	c.Facts.Images = append(c.Facts.Images, image)
}

func missingOf(width, height *htmltoken.Attribute) string {
	switch {
	case width == nil && height == nil:
		return "width and no height"
	case width == nil:
		return "width"
	case height == nil:
		return "height"
	}
	return ""
}

// lacksAlternative reports whether the current start tag is of an image without an alternative
// and without a sign that it needs none.
func (c *Checker) lacksAlternative() bool {
	if c.value("alt") != nil || c.hasText("aria-label") || c.hasText("aria-labelledby") {
		return false
	}
	role := bytes.TrimSpace(c.value("role"))
	return !equalFold(role, "presentation") && !equalFold(role, "none")
}

func (c *Checker) area(t *htmltoken.Token) {
	if t.Attribute("href") != nil && !c.concealed && c.lacksAlternative() {
		c.reportTag(check.CodeAltMissing, "the area of the image has no alt attribute")
	}
}

// pixels returns the value of a width or height attribute (HTML Standard 2.3.4.4), 0 if it is
// not a number of pixels.
func pixels(value []byte) (n int) {
	value = bytes.TrimLeft(value, " \t\n\f\r")
	i := 0
	for ; i < len(value) && '0' <= value[i] && value[i] <= '9'; i++ {
		n = min(n*10+int(value[i]-'0'), 1<<20)
	}
	if bytes.IndexByte(value[i:], '%') >= 0 {
		return 0
	}
	return n
}

// endImages judges what the page must have once.
func (c *Checker) endImages() {
	if c.groups&Images != 0 && !c.document.hasOGImage && !c.document.sendsOn {
		c.report(-1, check.Finding{Code: check.CodeOgImageMissing, Message: "the page has no image for previews (meta property=og:image)"})
	}
}
