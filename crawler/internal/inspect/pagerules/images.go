package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// pictures is what is known of the picture elements of the page.
type pictures struct {
	inPicture bool // a picture is open
}

// image reads an img element.
func (p *pictures) image(s *source) {
	t := &s.z.Token
	width, height := t.Attribute("width"), t.Attribute("height")
	checkAlternative(s, "image")
	if missing := missingOf(width, height); missing != "" {
		s.reportTag(judging.CodeImageDimensionsMissing, "the image has no "+missing+" attribute")
	}
	source := t.Attribute("src")
	if source == nil || p.inPicture || t.Attribute("srcset") != nil || len(s.facts.Images) == facts.MaxLinks {
		return // of several sources the browser chooses
	}
	ref := bytes.TrimSpace(s.z.Value(source))
	if len(ref) == 0 || len(ref) > len("data:") && equalFold(ref[:len("data:")], "data:") {
		return
	}
	_, printed, ok := s.resolve(ref)
	if !ok {
		return
	}
	image := facts.Image{Link: facts.Link{URL: printed}}
	if width != nil && height != nil {
		image.Width, image.Height = pixels(s.z.Value(width)), pixels(s.z.Value(height))
		if image.Width == 0 || image.Height == 0 {
			image.Width, image.Height = 0, 0
		}
	}
	for i := range s.facts.Images {
		if m := &s.facts.Images[i]; m.URL == printed && m.Width == image.Width && m.Height == image.Height {
			return
		}
	}
	image.Place, image.Raw = s.place(source.ValueStart), s.raw(source.ValueStart, source.ValueEnd)
	s.facts.Images = append(s.facts.Images, image)
}

// checkImageButton reads an input element.
func checkImageButton(s *source) {
	if equalFold(bytes.TrimSpace(s.value("type")), "image") {
		checkAlternative(s, "image")
	}
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

// checkAlternative looks for the alternative of an image whose start tag is the current token.
// alt="" says that there is nothing to say, but white space says nothing.
func checkAlternative(s *source, what string) {
	alt := s.value("alt")
	if s.concealed || alt != nil && (len(alt) == 0 || !isBlank(alt)) || s.hasText("aria-label") || s.hasText("aria-labelledby") {
		return
	}
	switch role := bytes.TrimSpace(s.value("role")); {
	case equalFold(role, "presentation") || equalFold(role, "none"):
	case alt == nil:
		s.reportTag(judging.CodeAltMissing, "the "+what+" has no alt attribute")
	default:
		s.reportTag(judging.CodeAltBlank, "the alt attribute of the "+what+" is blank")
	}
}

// checkArea reads an area element.
func checkArea(s *source) {
	t := &s.z.Token
	if t.Attribute("href") != nil {
		checkAlternative(s, "area of the image")
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
func endImages(s *source) {
	if s.groups&Images != 0 && !s.document.hasOGImage && !s.document.sendsOn {
		s.report(-1, judging.Finding{Code: judging.CodeOgImageMissing, Message: "the page has no image for previews (meta property=og:image)"})
	}
}
