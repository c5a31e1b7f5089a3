package main

import (
	"errors"
	"strings"

	"github.com/agext/levenshtein"
)

// nearest returns the known word that is most similar to word, or "" if none is similar.
func nearest(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		d := levenshtein.Distance(word, k, nil)
		if d > 1 && word != "" && word[0] != k[0] { // the first letter is rarely wrong
			continue
		}
		if strings.HasPrefix(k, word) {
			d = min(d, 1) // an abbreviation
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// oneOf returns an error that lists the allowed words and suggests the most similar one.
func oneOf(word string, words []string) error {
	text := "use " + words[0]
	if n := len(words); n > 1 {
		text = "use " + strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	if near := nearest(word, words); near != "" {
		text = "did you mean " + near + "? " + text
	}
	return errors.New(text)
}
