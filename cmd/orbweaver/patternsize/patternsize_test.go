package patternsize

import (
	"regexp/syntax"
	"testing"
	"unsafe"
)

// No pattern is measured as smaller than what is compiled of it: its instructions, and the classes in them.
func TestPatternSizeIsAnUpperBound(t *testing.T) {
	for _, pattern := range []string{
		"", "a", "https://example.com/old/", `^https?://(www\.)?example\.(com|org)/[a-z0-9-]+(/.*)?$`, "(?i)readme", `\pL{999}`, `^\pL{900}$`,
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
		if got := Regexp(pattern); got < least {
			t.Errorf("size of %s: got %d, want at least %d", pattern, got, least)
		}
	}
}
