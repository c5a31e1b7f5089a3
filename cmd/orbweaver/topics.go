package main

import (
	"embed"
	"slices"
	"strings"
)

// guides are the chapters of the documentation, one file each; `help TOPIC` prints them
// unchanged.
//
//go:embed docs/*.md
var guides embed.FS

// topics returns the names of the guides.
func topics() []string {
	files, err := guides.ReadDir("docs")
	if err != nil {
		return nil // cannot happen: the directory is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".md"))
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "README" })
}
