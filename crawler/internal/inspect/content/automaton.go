package content

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// automaton finds many strings in one pass over a text, without regard to case (A. V. Aho and
// M. J. Corasick, Efficient String Matching, 1975). The strings are folded when it is built,
// and the text while it is read.
//
// States are numbered in the order of their depth, so the children of a state have consecutive
// numbers. The first ones, in which a search almost always is, have a table of all their
// transitions; the others have their children and follow the failure links. So 10,000 strings
// take a few megabytes, and a search visits one table entry a byte.
type automaton struct {
	class  [256]uint8 // the class of a byte of folded text, 0 for those in no string
	begins [256]bool  // whether a string may begin with a byte of text
	shift  uint       // there are at most 1<<shift classes
	table  []uint32   // the transitions of the first tabled states; hit is set if a string ends there
	rest   uint32     // the first state without transitions in table

	children []uint32 // the first child of each state; the last one is before that of the next state
	label    []uint8  // the class that leads to each state
	failure  []uint32 // the state of the longest proper suffix
	ends     []int32  // one more than the string that is equal to each state, 0 for others
	shorter  []uint32 // the state of the longest proper suffix in which a string ends, 0 if there is none
	runes    []int    // the length of each string in code points
}

// hit marks a transition to a state in which a string ends.
const hit = 1 << 31

// maxTable is the number of entries of the table, which has four bytes each.
const maxTable = 1 << 19

// newAutomaton returns an automaton for strings that are folded, sorted, not empty and all
// different.
func newAutomaton(strings []string) *automaton {
	a := &automaton{}
	classes := 1
	for _, s := range strings {
		a.runes = append(a.runes, utf8.RuneCountInString(s))
		for i := range len(s) {
			if a.class[s[i]] == 0 {
				a.class[s[i]] = uint8(classes)
				classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c|0x20]
	}
	a.shift = uint(bits.Len(uint(classes - 1)))
	a.addStates(strings)
	a.link()
	for c := range a.begins {
		a.begins[c] = c >= utf8.RuneSelf || a.table[a.class[c]] != 0
	}
	return a
}

// addStates makes a state for each prefix of a string.
func (a *automaton) addStates(strings []string) {
	// The strings from first to last have the prefix of a state in common.
	type prefix struct{ first, last, length int }
	queue := []prefix{{0, len(strings), 0}}
	a.label = append(a.label, 0)
	for s := 0; s < len(queue); s++ {
		p := queue[s]
		a.children = append(a.children, uint32(len(queue)))
		end := int32(0)
		if p.first < p.last && len(strings[p.first]) == p.length {
			p.first++
			end = int32(p.first)
		}
		a.ends = append(a.ends, end)
		for p.first < p.last {
			c, next := strings[p.first][p.length], p.first+1
			for next < p.last && strings[next][p.length] == c {
				next++
			}
			queue = append(queue, prefix{p.first, next, p.length + 1})
			a.label = append(a.label, a.class[c])
			p.first = next
		}
	}
	a.children = append(a.children, uint32(len(queue)))
}

// link computes the failure links and the table. Both need those of shallower states only.
func (a *automaton) link() {
	states := len(a.ends)
	a.failure, a.shorter = make([]uint32, states), make([]uint32, states)
	a.table = make([]uint32, 0, min(states<<a.shift, maxTable))
	for s := range uint32(states) {
		for child := a.children[s]; child < a.children[s+1]; child++ {
			if s > 0 {
				a.failure[child] = a.step(a.failure[s], a.label[child]) &^ hit
			}
			if f := a.failure[child]; a.ends[f] != 0 {
				a.shorter[child] = f
			} else {
				a.shorter[child] = a.shorter[f]
			}
		}
		if row := s << a.shift; s == a.rest && row+1<<a.shift <= maxTable {
			if s == 0 {
				a.table = a.table[:1<<a.shift]
			} else {
				f := a.failure[s] << a.shift
				a.table = append(a.table, a.table[f:f+1<<a.shift]...)
			}
			for child := a.children[s]; child < a.children[s+1]; child++ {
				a.table[row+uint32(a.label[child])] = a.marked(child)
			}
			a.rest++
		}
	}
}

// marked returns a state with hit set if a string ends there.
func (a *automaton) marked(s uint32) uint32 {
	if a.ends[s] != 0 || a.shorter[s] != 0 {
		return s | hit
	}
	return s
}

// step returns the state after a state and a byte of some class, with hit set if a string ends
// there.
func (a *automaton) step(s uint32, class uint8) uint32 {
	for s >= a.rest {
		first, last := a.children[s], a.children[s+1]
		if last-first > 8 {
			if n, found := slices.BinarySearch(a.label[first:last], class); found {
				return a.marked(first + uint32(n))
			}
		} else {
			for ; first < last; first++ {
				if a.label[first] == class {
					return a.marked(first)
				}
			}
		}
		s = a.failure[s]
	}
	return a.table[s<<a.shift+uint32(class)]
}

// next reads text from index i on, in a state, up to the next character at which a string ends.
// It returns the index behind that character and the new state, which are len(text) and any
// state if there is none.
func (a *automaton) next(text []byte, i int, s uint32) (int, uint32, bool) {
	table, shift, rest := a.table, a.shift, a.rest
	for i < len(text) {
		c := text[i]
		if s == 0 && !a.begins[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			var size int
			s, size = a.stepRune(text[i:], s)
			i += size
		} else {
			i++
			if s < rest {
				s = table[s<<shift+uint32(a.class[c])]
			} else {
				s = a.step(s, a.class[c])
			}
		}
		if s&hit != 0 {
			return i, s &^ hit, true
		}
	}
	return i, s, false
}

// stepRune reads the character that text begins with, and returns its length.
func (a *automaton) stepRune(text []byte, s uint32) (uint32, int) {
	r, size := utf8.DecodeRune(text)
	var folded [utf8.UTFMax]byte
	for _, c := range folded[:utf8.EncodeRune(folded[:], fold(r))] {
		s = a.step(s&^hit, a.class[c])
	}
	return s, size
}

// begin returns the index at which a string that ends at index end begins.
func (a *automaton) begin(text []byte, end, string int) int {
	for n := a.runes[string]; n > 0; n-- {
		if end--; text[end] >= utf8.RuneSelf {
			_, size := utf8.DecodeLastRune(text[:end+1])
			end -= size - 1
		}
	}
	return end
}
