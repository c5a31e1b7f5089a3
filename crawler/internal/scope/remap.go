package scope

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Remap replaces the URLs of links: every match of Pattern in the printed URL, its fragment
// included, is replaced by Replacement, in which $1 and ${name} stand for what the groups of
// the pattern matched. The result is an absolute URL, or a path that is relative to the
// working directory and percent-encoded, as local targets are printed.
type Remap struct {
	Pattern     *regexp.Regexp
	Replacement string
}

// errRemapped is the reason why a link has no URL after it was remapped.
var errRemapped = errors.New("what it was remapped to is neither an absolute URL nor a path")

// LocationRemapped begins the message of a redirect whose Location was remapped.
const LocationRemapped = "the Location was remapped from "

// Remapped returns the URL that replaces a link's URL, as a Printer has printed it, by the first of
// Config.Remaps that matches, and the number of that one, from 1. If none matches, by is 0.
func (r *Rules) Remapped(print *Printer, printed string) (to urinorm.URL, by int, err error) {
	if len(printed) > MaxReference { // a data URL
		return urinorm.URL{}, 0, nil
	}
	for i := range r.Remaps {
		m := &r.Remaps[i]
		if !m.Pattern.MatchString(printed) {
			continue
		}
		if to, err = print.parse(m.replace(printed)); err != nil {
			err = &urinorm.Error{Err: errRemapped}
		}
		return to, i + 1, err
	}
	return urinorm.URL{}, 0, nil
}

// maxReplaced is the maximum number of matches that are replaced in a URL. Each is searched for anew.
const maxReplaced = 1000

// replace replaces the first matches in a URL. It stops when the result is longer than any URL that is requested.
func (m *Remap) replace(printed string) string {
	var to []byte
	end := 0
	for _, match := range m.Pattern.FindAllStringSubmatchIndex(printed, maxReplaced) {
		to = m.Pattern.ExpandString(append(to, printed[end:match[0]]...), m.Replacement, printed, match)
		if end = match[1]; len(to) > MaxReference {
			break
		}
	}
	return string(append(to, printed[end:]...))
}

// parse returns the URL of a target in its printed form. A file in one of the
// directories that are checked has its URL there.
func (p *Printer) parse(printed string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb(printed)
	if err == nil && u.Scheme() != "file" {
		return u, nil
	}
	path, tail := printed, ""
	if i := strings.IndexAny(printed, "?#"); i >= 0 {
		path, tail = printed[:i], printed[i:]
	}
	if err == nil {
		if path, err = disk.FilePath(u); err != nil {
			return u, nil
		}
	} else if path, err = url.PathUnescape(path); err != nil || path == "" || strings.Contains(printed, "://") {
		return u, errRemapped
	}
	file := filepath.FromSlash(path)
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.wd, file)
	}
	for _, site := range p.sites {
		root, err := filepath.Abs(site.Dir())
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if rel = filepath.ToSlash(rel); rel == "." {
			rel = ""
		} else if strings.HasSuffix(path, "/") {
			rel += "/"
		}
		if in, err := site.URLOf(rel); err == nil {
			at, _, err := urinorm.ParseWeb(in.String() + tail)
			return at, err
		}
	}
	at, err := disk.FileURL(file)
	if err == nil {
		at, _, err = urinorm.ParseWeb(at.String() + tail)
	}
	return at, err
}

// LeadsTo returns where a redirect leads, as the user has remapped it. The outcome is an error if
// that is no URL that is followed.
func LeadsTo(in *Scope, o judging.Outcome) (judging.Outcome, urinorm.URL) {
	next, _, err := urinorm.ParseWeb(o.Next)
	if err != nil {
		o.Code, o.Message = check.CodeRedirectInvalid, "the Location is no URL"
		return o, next
	}
	origin := in.Print.Href(HrefOf(next))
	if to, by, err := in.Rules.Remapped(in.Print, origin); by > 0 {
		if err != nil {
			o.Code, o.Message, o.Next = check.CodeRedirectInvalid, LocationRemapped+origin+": "+errRemapped.Error(), ""
			return o, next
		}
		next, o.Next, o.Message = to, to.String(), LocationRemapped+origin
	}
	if len(o.Next) > MaxReference {
		o.Code, o.Next = check.CodeRedirectInvalid, ""
		o.Message = fmt.Sprintf("the Location is longer than %d bytes", MaxReference)
	}
	return o, next
}

// originMark separates an attribute from the URL of a remapped link in the block of its page.
// No attribute contains it.
const originMark = "\x00"

// WithOrigin returns the attribute of a link with the mark MarkRemapped, as the block of its
// page stores it: with the printed URL that was replaced.
func WithOrigin(attribute, origin string) string { return attribute + originMark + origin }

// SplitOrigin undoes WithOrigin.
func SplitOrigin(stored string) (attribute, origin string) {
	attribute, origin, _ = strings.Cut(stored, originMark)
	return attribute, origin
}
