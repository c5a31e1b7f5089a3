package patternsize

import (
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"unsafe"
)

// No pattern is measured as smaller than what is compiled of it: its instructions, the classes in them, and
// the second program of expressions that match at the beginning.
func TestPatternSizeIsAnUpperBound(t *testing.T) {
	for _, pattern := range []string{
		"", "a", "https://example.com/old/", `^https?://(www\.)?example\.(com|org)/[a-z0-9-]+(/.*)?$`, "(?i)readme", `\pL{999}`, `^\pL{900}$`, `(?:^\pL{30}$){30}`, `(?:^\pL)+$`,
		`(a{30}b{20}){3,30}`, `(x|y*|z+?){2,}`, `((a{1,10}){1,10}){1,10}`, `[[:alpha:]]{50}`, `(?s).{500}`, `a{0}`, `(?i)[k-ſ]{10}`,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		least := int64(len(prog.Inst)) * int64(unsafe.Sizeof(syntax.Inst{}))
		shared := map[*rune]bool{}
		for _, inst := range prog.Inst {
			if len(inst.Rune) > 0 && !shared[&inst.Rune[0]] {
				shared[&inst.Rune[0]] = true
				least += int64(len(inst.Rune)) * 4
			}
		}
		least += onePassSize(regexp.MustCompile(pattern))
		if got := Regexp(pattern); got < least {
			t.Errorf("size of %s: got %d, want at least %d", pattern, got, least)
		}
	}
}

// onePassSize returns the size of the second program of an expression, without its classes; 0 if it has none.
func onePassSize(re *regexp.Regexp) int64 {
	program := reflect.ValueOf(re).Elem().FieldByName("onepass")
	if program.IsNil() {
		return 0
	}
	list := program.Elem().FieldByName("Inst")
	size := int64(list.Len()) * int64(list.Type().Elem().Size())
	for i := range list.Len() {
		size += int64(list.Index(i).FieldByName("Next").Len()) * 4
	}
	return size
}

// The parser walks a range letter by letter if it ignores case, and only then.
func TestRangesOfOtherScripts(t *testing.T) {
	ranges := strings.Repeat(`[b-𞥂]`, 100)
	for pattern, tooLarge := range map[string]bool{ranges: false, "(?:" + ranges + ")": false, "(?i)" + ranges: true, "(?s)a(?mi:" + ranges + ")": true} {
		if got := Regexp(pattern); got > MaxUntrusted != tooLarge {
			t.Errorf("size of %.20s...: got %d, more than %d: want %t", pattern, got, MaxUntrusted, tooLarge)
		}
	}
}
