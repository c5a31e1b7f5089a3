package report

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestParseFailOn(t *testing.T) {
	for in, want := range map[string]Policy{
		"":                                  {},
		"broken":                            {failOnBroken, failOnBroken},
		"unverified":                        {failOnUnverified, failOnUnverified},
		"Warning":                           {failOnWarning, failOnWarning},
		"none":                              {FailOnNothing, FailOnNothing},
		"broken,unverified":                 {failOnUnverified, failOnUnverified},
		"none,broken":                       {failOnBroken, failOnBroken},
		"internal:warning":                  {failOnWarning, failOnBroken},
		"internal:warning,external:broken":  {failOnWarning, failOnBroken},
		"external:none":                     {failOnBroken, FailOnNothing},
		"warning, external:broken":          {failOnWarning, failOnBroken},
		"external:broken,external:warning":  {failOnBroken, failOnWarning},
		"internal:none,internal:unverified": {failOnUnverified, failOnBroken},
	} {
		got, err := ParseFailOn(in)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", in, got, err, want)
		}
		if again, err := ParseFailOn(got.String()); err != nil || again != got {
			t.Errorf("%q: %v reads as %v, %v", in, got, again, err)
		}
	}
	for in, want := range map[string]string{
		"warn":            `unknown fail level "warn": use broken, unverified, warning or none`,
		"brokn":           `unknown fail level "brokn": did you mean broken?`,
		"broken,":         `unknown fail level ""`,
		"extern:broken":   `unknown side "extern": did you mean external? use internal or external`,
		"internal:":       `unknown fail level ""`,
		"internal:a:b":    `unknown fail level "a:b"`,
		"internal broken": `unknown fail level "internal broken"`,
	} {
		if _, err := ParseFailOn(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

func TestExit(t *testing.T) {
	type S = result.Summary
	type T = result.Tally
	for _, test := range []struct {
		name   string
		failOn string
		s      S
		want   int
		blank  int // pages without links and text
	}{
		{"all ok", "", S{OK: 3, Pages: 1, Links: 3}, 0, 0},
		{"internal broken", "", S{OK: 3, Broken: 1, Internal: T{Broken: 1}}, 1, 0},
		{"external broken", "", S{OK: 3, Broken: 1, External: T{Broken: 1}}, 1, 0},
		{"unverified is no failure", "", S{OK: 1, Unverified: 1, External: T{Unverified: 1}}, 0, 0},
		{"unless asked", "unverified", S{OK: 1, Unverified: 1, External: T{Unverified: 1}}, 1, 0},
		{"warnings are none", "unverified", S{OK: 1, Warnings: 1, Internal: T{Warnings: 1}}, 0, 0},
		{"unless asked for", "warning", S{OK: 1, Warnings: 1, Internal: T{Warnings: 1}}, 1, 0},
		{"a level includes graver ones", "warning", S{Broken: 1, Internal: T{Broken: 1}}, 1, 0},
		{"other side", "internal:warning,external:broken", S{OK: 1, Warnings: 1, External: T{Warnings: 1}}, 0, 0},
		{"this side", "internal:warning,external:broken", S{OK: 1, Warnings: 1, Internal: T{Warnings: 1}}, 1, 0},
		{"none", "none", S{Broken: 2, Internal: T{Broken: 1}, External: T{Broken: 1}}, 0, 0},
		{"external none", "external:none", S{Broken: 1, External: T{Broken: 1}}, 0, 0},

		{"no page, no link", "", S{}, 3, 0},
		{"a site of an empty page", "", S{Crawled: true, OK: 1, Pages: 1}, 3, 1},
		{"a site of a text without links", "", S{Crawled: true, OK: 1, Pages: 1}, 0, 0},
		{"a document without links", "", S{Pages: 1}, 0, 0},
		{"a target that is no page", "", S{OK: 1}, 0, 0},
		{"a page with links nobody can check", "", S{Pages: 1, Links: 2, Skipped: 2, ByCode: map[check.Code]int{"scheme-unchecked": 2}}, 0, 0},
		{"all excluded", "", S{Pages: 1, Links: 2, Skipped: 2, ByCode: map[check.Code]int{"excluded": 2}}, 3, 0},
		{"one excluded, the others uncheckable", "", S{Pages: 1, Links: 2, Skipped: 2, ByCode: map[check.Code]int{"excluded": 1, "scheme-unchecked": 1}}, 3, 0},

		{"all unverified", "", S{Pages: 1, Links: 2, Unverified: 2, External: T{Unverified: 2}, ByCode: map[check.Code]int{"rate-limited": 2}}, 3, 0},
		{"all unverified, whatever the level", "unverified", S{Unverified: 1, External: T{Unverified: 1}}, 3, 0},
		{"all unverified on a page that was named", "", S{Pages: 1, Links: 2, OK: 1, StartDocuments: 1, Unverified: 2}, 3, 0},
		{"all unverified below a start page", "", S{Crawled: true, Pages: 1, Links: 2, OK: 1, Unverified: 2}, 0, 0},
		{"one unverified, the others excluded", "", S{Pages: 1, Links: 2, Unverified: 1, Skipped: 1, ByCode: map[check.Code]int{"excluded": 1, "timeout": 1}}, 3, 0},
		{"one unverified, one broken", "none", S{Pages: 1, Links: 2, Unverified: 1, Broken: 1}, 0, 0},
		{"all at private addresses", "", S{Pages: 1, Links: 2, OK: 1, StartDocuments: 1, Skipped: 2, ByCode: map[check.Code]int{"address-denied": 2}}, 3, 0},
		{"a named page with excluded links", "", S{Pages: 1, Links: 2, OK: 1, StartDocuments: 1, Skipped: 2, ByCode: map[check.Code]int{"excluded": 1, "external": 1}}, 0, 0},
		{"a named page with links nobody can check", "", S{Pages: 1, Links: 1, OK: 1, StartDocuments: 1, Skipped: 1, ByCode: map[check.Code]int{"scheme-unchecked": 1}}, 0, 0},
		{"a site with skipped external links", "", S{Crawled: true, Pages: 1, Links: 2, OK: 1, Skipped: 2, ByCode: map[check.Code]int{"external": 2}}, 0, 0},
		{"nothing changed", "", S{Narrowed: true, Pages: 1, Links: 2, Skipped: 2, ByCode: map[check.Code]int{"excluded": 2}}, 0, 0},
		{"nothing changed on a site without links", "", S{Crawled: true, Narrowed: true, Pages: 1}, 0, 0},
		{"all that changed is unverified", "", S{Narrowed: true, Pages: 1, Links: 2, Unverified: 1, Skipped: 1, ByCode: map[check.Code]int{"excluded": 1, "timeout": 1}}, 3, 0},
		{"as a saved report says", "", S{OK: 3, Pages: 1, Links: 3, Soundness: result.Read(true, "", "no link could be verified: 3 timeout")}, 3, 0},

		{"cut short", "", S{OK: 5, Pages: 1, Links: 5, Soundness: result.Read(false, "max-time", "")}, 3, 0},
		{"cut short, broken", "", S{OK: 5, Broken: 1, Internal: T{Broken: 1}, Soundness: result.Read(false, "max-time", "")}, 1, 0},
		{"cut short, broken, but that is no failure", "external:none", S{OK: 5, Broken: 1, External: T{Broken: 1}, Soundness: result.Read(false, "interrupt", "")}, 3, 0},
		{"cut short, warnings fail", "warning", S{OK: 5, Warnings: 1, Internal: T{Warnings: 1}, Soundness: result.Read(false, "max-pages", "")}, 3, 0},
		{"cut short before anything", "", S{Soundness: result.Read(false, "interrupt", ""), Skipped: 3}, 3, 0},

		{"the only start target failed", "", S{Broken: 1, Internal: T{Broken: 1}, StartFailed: []string{"a"}}, 3, 0},
		{"both start targets failed", "", S{Broken: 2, Internal: T{Broken: 2}, StartFailed: []string{"a", "b"}}, 3, 0},
		{"one start target failed, the other is ok", "", S{OK: 9, Broken: 1, Internal: T{Broken: 1}, StartFailed: []string{"a"}}, 1, 0},
		{"one could not be told, the other is ok", "", S{OK: 9, Unverified: 1, Internal: T{Unverified: 1}, StartFailed: []string{"a"}}, 1, 0},
		{"whatever the level", "none", S{OK: 9, Broken: 1, Internal: T{Broken: 1}, StartFailed: []string{"a"}}, 1, 0},
		{"only skipped beside it", "", S{Broken: 1, Skipped: 4, Internal: T{Broken: 1}, StartFailed: []string{"a"}}, 3, 0},
	} {
		p, err := ParseFailOn(test.failOn)
		if err != nil {
			t.Fatal(err)
		}
		if test.s.Soundness.IsSound() {
			test.s.Soundness = result.SoundnessOf(&test.s, test.blank)
		}
		if got := p.Exit(&test.s); got != test.want {
			t.Errorf("%s: exit status %d, want %d", test.name, got, test.want)
		}
	}
}
