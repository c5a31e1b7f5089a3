package scope

import (
	"path"
	"strings"
)

// BrokenHost reports whether the rule calls broken what a host answers. r may be nil.
func (r *Rule) BrokenHost(host string) bool {
	if r == nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	for _, pattern := range r.BrokenHosts {
		if ok, _ := path.Match(pattern, host); ok {
			return true
		}
	}
	return false
}

// BrokenText returns the pattern of the rule that matches the text of a page, as the user wrote
// it, or "". r may be nil.
func (r *Rule) BrokenText(text string) string {
	if r == nil {
		return ""
	}
	for _, t := range r.BrokenTexts {
		if t.Pattern.MatchString(text) {
			return t.Written
		}
	}
	return ""
}

// HasBrokenHosts reports whether any rule has BrokenHosts.
func (j *Judging) HasBrokenHosts() bool {
	for i := range j.Rules {
		if len(j.Rules[i].BrokenHosts) > 0 {
			return true
		}
	}
	return false
}
