package main

import "testing"

// Notes name files outside the working directory like text reports do.
func TestNotesNameFilesFromTheRoot(t *testing.T) {
	for note, want := range map[string]string{
		"links lead to no file, such as ../doc/a.html; check it": "links lead to no file, such as /home/doc/a.html; check it",
		"public/a.html is missing":                               "public/a.html is missing",
		"in ../../site/":                                         "in /site/",
		"":                                                       "",
	} {
		if got := withPathsFromRoot(note, "/home/me"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
