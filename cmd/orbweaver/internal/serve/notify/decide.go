package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// State is what a project was told last.
type State struct {
	Unsound bool   // the last run was not reliable, and that was told
	Last    string // the last set of links that was told, as a hash
}

// Outcome is what a run that ended found. Findings with a mark in force are left out.
type Outcome struct {
	Sound  bool // done, with a result that is reliable
	Broken int  // broken links
	New    []Finding
	Fixed  []Finding // since the last sound run
}

// Decide returns the event that an outcome is, or "" if there is nothing to tell, and the
// state after it. No set of links is told twice in a row, so that a link that comes and
// goes among others that stay broken is told once.
func Decide(s State, o Outcome) (Kind, State) {
	if !o.Sound {
		if s.Unsound {
			return "", s
		}
		s.Unsound = true
		return Unsound, s
	}
	s.Unsound = false
	var kind Kind
	var set []Finding
	switch {
	case len(o.New) > 0:
		kind, set = New, o.New
	case o.Broken == 0 && len(o.Fixed) > 0:
		kind, set = Fixed, o.Fixed
	default:
		return "", s
	}
	told := hashOf(kind, set)
	if told == s.Last {
		return "", s
	}
	s.Last = told
	return kind, s
}

func hashOf(kind Kind, set []Finding) string {
	prints := make([]string, len(set))
	for i, f := range set {
		prints[i] = f.Fingerprint
	}
	slices.Sort(prints)
	h := sha256.New()
	h.Write([]byte(kind))
	for _, p := range slices.Compact(prints) {
		h.Write([]byte("\n" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}
