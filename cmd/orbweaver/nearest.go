package main

import (
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/similar"
)

// nearest returns the known word that is most similar to word, or "" if none is similar.
func nearest(word string, known []string) string { return similar.Word(word, known) }

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
