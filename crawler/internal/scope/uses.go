package scope

import (
	"regexp"
	"slices"
	"sync/atomic"
)

// Use records whether a rule or an exclusion matched something during a run. It is safe
// for concurrent use.
type Use struct {
	name      string
	hit, kept atomic.Bool // it matched something; the store knows that
}

// Name returns the rule as the user wrote it.
func (u *Use) Name() string { return u.name }

// Matched reports whether it matched anything.
func (u *Use) Matched() bool { return u.hit.Load() }

// ToKeep reports whether the store must be told that it matched something. It returns true
// only once.
func (u *Use) ToKeep() bool { return u.hit.Load() && u.kept.CompareAndSwap(false, true) }

// KeepAgain lets ToKeep return true once more: the store may not have been told.
func (u *Use) KeepAgain() { u.kept.Store(false) }

// Recall records that it matched something in an earlier session.
func (u *Use) Recall() {
	u.hit.Store(true)
	u.kept.Store(true)
}

// matched records that it matched something.
func (u *Use) matched() {
	if !u.hit.Load() {
		u.hit.Store(true)
	}
}

// Uses are the uses of several rules and exclusions.
type Uses []*Use

// Await reports whether one of them has not matched anything yet.
func (s Uses) Await() bool { return slices.ContainsFunc(s, func(u *Use) bool { return !u.Matched() }) }

// note records that the exclusion at i matched, and which of the later ones match, too: an
// exclusion is not out of date because an earlier one matches the same URL.
func (s Uses) note(i int, exclusions []*regexp.Regexp, printed string) {
	s[i].matched()
	for i++; i < len(s); i++ {
		if u := s[i]; !u.hit.Load() && exclusions[i].MatchString(printed) {
			u.matched()
		}
	}
}
