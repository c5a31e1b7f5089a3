package main

import (
	"errors"
	"fmt"
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

// unknownKey returns the error for a key that a block of the configuration cannot have.
func unknownKey(key string, known []string) error {
	if near := nearest(key, known); near != "" {
		return fmt.Errorf("unknown key %s: did you mean %s?", key, near)
	}
	return fmt.Errorf("unknown key %s: use %s", key, strings.Join(known, ", "))
}
