// Package similar finds what a misspelled word was meant to be.
package similar

import (
	"strings"

	"github.com/agext/levenshtein"
)

// maxWord is the maximum length of a word for which a similar one is sought, in bytes.
const maxWord = 100

// Word returns the known word that is most similar to word, or "" if none is similar.
func Word(word string, known []string) string {
	if len(word) > maxWord {
		return ""
	}
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
