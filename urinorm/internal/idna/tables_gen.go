//go:build ignore

// This program writes tables.txt from the Unicode Character Database. It reads
// four files of a copy of https://www.unicode.org/Public/17.0.0/:
//
//	go run tables_gen.go -data DIR
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const version = "17.0.0"

// The layout of codeInfo, which lookup.go reads.
const (
	statusDisallowed = iota
	statusValid
	statusIgnored
	statusMapped

	formString = 0 // strings of one length, one after the other
	formShift  = 1 // the code points map in step to consecutive ones
	formPairs  = 2 // every second code point is valid, and the one before maps to it
)

var (
	bidiClasses  = []string{"L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM", "other"}
	joiningTypes = []string{"U", "L", "R", "D", "T", "C"}
)

// char holds the properties of one code point that the tables need.
type char struct {
	status  string // of IdnaMappingTable.txt
	mapping string
	bidi    string
	joining string
	mark    bool
	ccc     int
	decomp  []rune // canonical
}

func main() {
	data := flag.String("data", "", "a copy of https://www.unicode.org/Public/"+version+"/")
	out := flag.String("o", "tables.txt", "the file to write")
	flag.Parse()
	log.SetFlags(0)
	if *data == "" {
		log.Fatal("tables_gen: -data is missing")
	}
	chars := make([]char, 0x110000)
	for r := range chars {
		chars[r].status = "disallowed"
		chars[r].joining = "U"
	}
	readMapping(filepath.Join(*data, "idna", "IdnaMappingTable.txt"), chars)
	readUnicodeData(filepath.Join(*data, "ucd", "UnicodeData.txt"), chars)
	each(filepath.Join(*data, "ucd", "extracted", "DerivedJoiningType.txt"), func(r rune, f []string) {
		chars[r].joining = f[1]
	})
	excluded := map[rune]bool{}
	each(filepath.Join(*data, "ucd", "DerivedNormalizationProps.txt"), func(r rune, f []string) {
		if f[1] == "Full_Composition_Exclusion" {
			excluded[r] = true
		}
	})

	var b bytes.Buffer
	b.WriteString(header)
	writeRanges(&b, chars)
	writePairs(&b, chars, excluded)
	if err := os.WriteFile(*out, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func isValid(c char) bool { return c.status == "valid" || c.status == "deviation" }

func readMapping(name string, chars []char) {
	checkVersion(name, "# Version: "+version)
	each(name, func(r rune, f []string) {
		chars[r].status = f[1]
		if f[1] == "mapped" {
			for _, hex := range strings.Fields(f[2]) {
				chars[r].mapping += string(parseRune(hex))
			}
			if m := chars[r].mapping; m != "." && strings.Contains(m, ".") {
				log.Fatalf("%U maps to %q: idna.go expects a full stop on its own", r, m)
			}
		}
	})
}

func readUnicodeData(name string, chars []char) {
	first := rune(-1)
	lines(name, func(line string) {
		f := strings.Split(line, ";")
		r := parseRune(f[0])
		if strings.HasSuffix(f[1], ", First>") {
			first = r
			return
		}
		if first < 0 {
			first = r
		}
		for ; first <= r; first++ {
			c := &chars[first]
			c.bidi = f[4]
			c.mark = strings.HasPrefix(f[2], "M")
			c.ccc, _ = strconv.Atoi(f[3])
			if f[5] != "" && f[5][0] != '<' {
				for _, hex := range strings.Fields(f[5]) {
					c.decomp = append(c.decomp, parseRune(hex))
				}
			}
		}
		first = -1
	})
}

// each calls f for every code point of a file of the form "range ; field ; …".
func each(name string, f func(r rune, fields []string)) {
	lines(name, func(line string) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			return
		}
		fields := strings.Split(line, ";")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		lo, hi, ok := strings.Cut(fields[0], "..")
		if !ok {
			hi = lo
		}
		for r := parseRune(lo); r <= parseRune(hi); r++ {
			f(r, fields)
		}
	})
}

func lines(name string, f func(line string)) {
	file, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	for s.Scan() {
		f(s.Text())
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
}

func checkVersion(name, want string) {
	found := false
	lines(name, func(line string) { found = found || line == want })
	if !found {
		log.Fatalf("%s: no line %q", name, want)
	}
}

func parseRune(hex string) rune {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		log.Fatal(err)
	}
	return rune(n)
}

func validInfo(r rune, c char) uint32 {
	bidi := slices.Index(bidiClasses, c.bidi)
	if bidi < 0 { // separators and embeddings, which no label may contain
		bidi = slices.Index(bidiClasses, "other")
	}
	joining := slices.Index(joiningTypes, c.joining)
	if joining < 0 {
		log.Fatalf("%U: unknown joining type %q", r, c.joining)
	}
	info := statusValid | uint32(bidi)<<2 | uint32(joining)<<6 | uint32(c.ccc)<<10
	if c.mark {
		info |= 1 << 9
	}
	return info
}

func writeRanges(b *bytes.Buffer, chars []char) {
	const plain = statusValid // a left-to-right letter with no other property
	type span struct {
		lo   rune
		info uint32
	}
	var spans []span
	var mapped strings.Builder
	add := func(lo rune, info uint32) {
		if n := len(spans); n == 0 || spans[n-1].info != info || info&3 == statusMapped {
			spans = append(spans, span{lo, info})
		}
	}
	// shift returns how many code points from r on map in step to single ones, and
	// the target of the first.
	shift := func(r rune) (n, to rune) {
		for r+n < 0x110000 && chars[r+n].status == "mapped" {
			m := []rune(chars[r+n].mapping)
			if len(m) != 1 || n > 0 && m[0] != to+n {
				break
			}
			to = m[0] - n
			n++
		}
		return n, to
	}
	// pairs returns how many code points from r on form pairs "A a B b …".
	pairs := func(r rune) (n rune) {
		for r+n+1 < 0x110000 && chars[r+n].status == "mapped" && chars[r+n].mapping == string(r+n+1) &&
			isValid(chars[r+n+1]) && validInfo(r+n+1, chars[r+n+1]) == plain {
			n += 2
		}
		return n
	}
	for r := rune(0); r < 0x110000; {
		c := chars[r]
		switch {
		case isValid(c):
			add(r, validInfo(r, c))
			r++
		case c.status == "ignored":
			add(r, statusIgnored)
			r++
		case c.status == "disallowed":
			add(r, statusDisallowed)
			r++
		case c.status != "mapped":
			log.Fatalf("%U: unknown status %q", r, c.status)
		default:
			if n := pairs(r); n >= 4 {
				add(r, statusMapped|formPairs<<2)
				r += n
				continue
			}
			if n, to := shift(r); n >= 3 {
				add(r, statusMapped|formShift<<2|uint32(to)<<4)
				r += n
				continue
			}
			size := len(c.mapping)
			text := ""
			lo := r
			for r < 0x110000 && chars[r].status == "mapped" && len(chars[r].mapping) == size {
				if n := pairs(r); r > lo && n >= 4 {
					break
				}
				if n, _ := shift(r); r > lo && n >= 3 {
					break
				}
				text += chars[r].mapping
				r++
			}
			at := strings.Index(mapped.String(), text)
			if at < 0 {
				at = mapped.Len()
				mapped.WriteString(text)
			}
			if size >= 1<<6 || at >= 1<<16 {
				log.Fatalf("%U: mapping %q at %d does not fit", lo, text, at)
			}
			add(lo, statusMapped|formString<<2|uint32(size)<<4|uint32(at)<<10)
		}
	}

	b.WriteString("\n# The first code point and the info of each range; a range ends where the next begins.\n")
	for _, s := range spans {
		fmt.Fprintf(b, "range %x %x\n", s.lo, s.info)
	}
	b.WriteString("\n# The mappings that are neither shifts nor pairs, one after the other.\n")
	text := mapped.String()
	for text != "" {
		n := min(len(text), 72)
		for n < len(text) && text[n]&0xC0 == 0x80 {
			n++
		}
		fmt.Fprintf(b, "text %+q\n", text[:n])
		text = text[n:]
	}
}

// writePairs writes the canonical compositions that can occur in a label: those
// of two valid code points. Code points that decompose but are excluded from
// composition need no table, as none of them is valid.
func writePairs(b *bytes.Buffer, chars []char, excluded map[rune]bool) {
	type pair struct{ first, second, composite rune }
	var all []pair
	for r, c := range chars {
		if len(c.decomp) == 0 || 0xAC00 <= r && r <= 0xD7A3 {
			continue
		}
		if excluded[rune(r)] {
			if isValid(c) {
				log.Fatalf("%U is valid and excluded from composition, but decomposes", r)
			}
			continue
		}
		first, second := chars[c.decomp[0]], chars[c.decomp[1]]
		if isValid(first) && isValid(second) {
			all = append(all, pair{c.decomp[0], c.decomp[1], rune(r)})
		} else if isValid(c) {
			log.Fatalf("%U is valid, but its parts are not", r)
		}
	}
	slices.SortFunc(all, func(a, b pair) int {
		if a.first != b.first {
			return int(a.first - b.first)
		}
		return int(a.second - b.second)
	})
	b.WriteString("\n# The canonical compositions, sorted by their parts.\n")
	for _, p := range all {
		fmt.Fprintf(b, "pair %x %x %x\n", p.first, p.second, p.composite)
	}
}

const header = `# Code generated by tables_gen.go from the Unicode Character Database ` + version + `; DO NOT EDIT.
#
# The data is under the Unicode License V3:
#
# Copyright © 1991-2025 Unicode, Inc.
#
# NOTICE TO USER: Carefully read the following legal agreement. BY
# DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
# SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
# TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
# DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.
#
# Permission is hereby granted, free of charge, to any person obtaining a copy
# of data files and any associated documentation (the "Data Files") or software
# and any associated documentation (the "Software") to deal in the Data Files
# or Software without restriction, including without limitation the rights to
# use, copy, modify, merge, publish, distribute, and/or sell copies of the Data
# Files or Software, and to permit persons to whom the Data Files or Software
# are furnished to do so, provided that either (a) this copyright and
# permission notice appear with all copies of the Data Files or Software, or
# (b) this copyright and permission notice appear in associated Documentation.
#
# THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
# KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
# MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
# THIRD PARTY RIGHTS.
#
# IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE
# LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY
# DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
# ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN
# CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA FILES OR SOFTWARE.
#
# Except as contained in this notice, the name of a copyright holder shall not
# be used in advertising or otherwise to promote the sale, use or other dealings
# in these Data Files or Software without prior written authorization of the
# copyright holder.
`
