package judging

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A soft 404 is found by comparing a page with the answer to an address that cannot
// exist. Words such as "not found" are not evidence: a changelog, a specification or an
// address may contain them.

const (
	// fingerprintSize is the number of hashes in a Fingerprint. The error of the
	// similarity is about 1/sqrt(256), or 6 percent.
	fingerprintSize = 256
	// shingleWords is the number of consecutive words that are hashed together.
	shingleWords = 4
	// maxFingerprintBody is the length of the part of a body that is read, in bytes.
	maxFingerprintBody = 1 << 20
	// sameSimilarity is the least similarity of two pages that count as the same.
	sameSimilarity = 0.9
)

// Fingerprint is a sketch of a page's visible words: the smallest hashes of its runs of
// four words. Two pages from one template, which differ in an address, a date or a
// token, have nearly the same Fingerprint.
type Fingerprint struct {
	hashes []uint64 // sorted, distinct, at most fingerprintSize
}

// FingerprintOf returns the fingerprint of the first MiB of a body. It leaves out tags,
// scripts and styles, and also words with digits and overlong words, which are times,
// tokens and addresses.
func FingerprintOf(body []byte) Fingerprint {
	var (
		window []string
		hashes []uint64
		text   = textWithoutTags(string(body[:min(len(body), maxFingerprintBody)]))
	)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' }) {
		if !isWord(word) {
			continue
		}
		if window = append(window, strings.ToLower(word)); len(window) > shingleWords {
			window = window[1:]
		}
		if len(window) == shingleWords {
			hashes = append(hashes, HashAnchor(strings.Join(window, " ")))
		}
	}
	if len(hashes) == 0 && len(window) > 0 { // a page of three words or fewer
		hashes = append(hashes, HashAnchor(strings.Join(window, " ")))
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return Fingerprint{slices.Clone(hashes[:min(len(hashes), fingerprintSize)])}
}

// isWord reports whether s has no digit or slash and is not an ASCII string longer than
// any word. In scripts without spaces between words, a long string counts as one word.
func isWord(s string) bool {
	ascii := true
	for _, r := range s {
		if unicode.IsDigit(r) || r == '/' {
			return false
		}
		ascii = ascii && r < utf8.RuneSelf
	}
	return !ascii || len(s) <= 40
}

// IsZero reports whether there were no words to compare.
func (f Fingerprint) IsZero() bool { return len(f.hashes) == 0 }

// similarity estimates the part of two pages that is the same, from 0 to 1: the Jaccard
// index of their runs of words. It is 0 if a page has no words.
func (f Fingerprint) similarity(g Fingerprint) float64 {
	if f.IsZero() || g.IsZero() {
		return 0
	}
	// The smallest hashes of the union are a random sample of it, and those that both
	// have are a random sample of the intersection.
	common, sample := 0, 0
	for i, j := 0, 0; sample < fingerprintSize && (i < len(f.hashes) || j < len(g.hashes)); sample++ {
		switch {
		case j == len(g.hashes) || i < len(f.hashes) && f.hashes[i] < g.hashes[j]:
			i++
		case i == len(f.hashes) || g.hashes[j] < f.hashes[i]:
			j++
		default:
			i, j, common = i+1, j+1, common+1
		}
	}
	return float64(common) / float64(sample)
}

// SoftNotFound returns the warning soft-404 if a page is nearly the same as the answer to
// a made-up address in its directory.
func SoftNotFound(page, madeUp Fingerprint) (check.Warning, bool) {
	if page.similarity(madeUp) < sameSimilarity {
		return check.Warning{}, false
	}
	return check.Warning{Code: check.CodeSoft404, Message: "the page is nearly the same as for a made-up address in the same directory"}, true
}

// textWithoutTags removes markup. The result need not be exact: it is only compared.
func textWithoutTags(html string) string {
	var b strings.Builder
	for html != "" {
		text, rest, found := strings.Cut(html, "<")
		b.WriteString(text)
		b.WriteByte(' ')
		if !found {
			break
		}
		html = afterTag(rest)
	}
	return b.String()
}

// afterTag returns what follows a tag whose "<" was already read. It skips the content of
// scripts, styles and comments, too.
func afterTag(s string) string {
	for _, raw := range [...]struct{ open, close string }{{"!--", "-->"}, {"script", "</script"}, {"style", "</style"}} {
		if len(s) < len(raw.open) || !strings.EqualFold(s[:len(raw.open)], raw.open) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(s[len(raw.open):]); raw.open != "!--" && unicode.IsLetter(next) {
			continue // another element whose name begins so
		}
		end := indexFold(s, raw.close)
		if end < 0 {
			return ""
		}
		s = s[end+len(raw.close):]
		if raw.open == "!--" {
			return s
		}
		break
	}
	if end := strings.IndexByte(s, '>'); end >= 0 {
		return s[end+1:]
	}
	return ""
}

// indexFold is strings.Index without regard to the case of ASCII letters.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		next := strings.IndexByte(s[i:], lower[0])
		if next < 0 {
			return -1
		}
		i += next
		if i+len(lower) <= len(s) && strings.EqualFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return -1
}
