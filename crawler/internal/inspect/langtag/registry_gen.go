//go:build ignore

// Command registry_gen writes registry.go from the IANA Language Subtag Registry
// (https://www.iana.org/assignments/language-subtag-registry), whose path is its argument.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	date := ""
	names := map[string][]string{}
	lines := bufio.NewScanner(file)
	kind := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "File-Date":
			date = value
		case "Type":
			kind = value
		case "Subtag", "Tag":
			if !strings.Contains(value, "..") { // the ranges for private use are in langtag.go
				names[kind] = append(names[kind], strings.ToLower(value))
			}
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}

	var out strings.Builder
	fmt.Fprintf(&out, "package langtag\n\n// The Language Subtag Registry of %s, by registry_gen.go.\nconst (\n", date)
	var short, long []string
	for _, n := range names["language"] {
		if len(n) == 2 {
			short = append(short, n)
		} else {
			long = append(long, n)
		}
	}
	list := func(name, comment string, words []string) {
		slices.Sort(words)
		fmt.Fprintf(&out, "\t// %s %s\n\t%[1]s = ` %[3]s `\n", name, comment, strings.Join(words, " "))
	}
	list("languages2", "are the languages with two letters.", short)
	fmt.Fprintf(&out, "\t// languages3 has a bit for each name of three letters, in order: set if it is a language.\n\tlanguages3 = \"\" +\n")
	var bits [(26*26*26 + 7) / 8]byte
	for _, n := range long {
		i := (int(n[0]-'a')*26+int(n[1]-'a'))*26 + int(n[2]-'a')
		bits[i/8] |= 1 << (i % 8)
	}
	text := hex.EncodeToString(bits[:])
	for len(text) > 100 {
		fmt.Fprintf(&out, "\t\t%q +\n", text[:100])
		text = text[100:]
	}
	fmt.Fprintf(&out, "\t\t%q\n", text)
	list("extendedLanguages", "are the extended language subtags.", names["extlang"])
	list("scripts", "are the scripts.", names["script"])
	list("regions", "are the regions.", names["region"])
	list("variants", "are the variants.", names["variant"])
	list("grandfathered", "are whole tags from before RFC 4646.", names["grandfathered"])
	out.WriteString(")\n")
	if err := os.WriteFile("registry.go", []byte(out.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}
