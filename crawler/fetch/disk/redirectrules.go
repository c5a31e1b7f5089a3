package disk

import (
	"iter"
	"strings"
)

// redirectRules contains the rules of a _redirects file. A site that has moved may have
// thousands of rules. The beginning of a path excludes nearly all of them, so only a
// few must be tried.
type redirectRules struct {
	rules   []redirectRule
	exact   map[string][]int32 // indexes of the rules for a single path, keyed by that path
	open    map[string][]int32 // indexes of the other rules, keyed by the segments before the first placeholder or "*"
	deepest int                // most segments of a key in open
}

func newRedirectRules(rules []redirectRule) redirectRules {
	x := redirectRules{rules: rules, exact: make(map[string][]int32), open: make(map[string][]int32)}
	for i := range rules {
		from := rules[i].from
		n := rules[i].literals()
		by, path := x.open, strings.Join(from[:n], "/")
		if n == len(from) {
			by = x.exact
		} else {
			x.deepest = max(x.deepest, n)
		}
		by[path] = append(by[path], int32(i))
	}
	return x
}

// literals returns the number of segments before the first placeholder or "*".
func (r *redirectRule) literals() int {
	for i, pattern := range r.from {
		if strings.HasPrefix(pattern, ":") || pattern == "*" {
			return i
		}
	}
	return len(r.from)
}

// candidates returns, in order, the rules that may match a path without slashes at its
// ends.
func (x *redirectRules) candidates(path string) iter.Seq[*redirectRule] {
	return func(yield func(*redirectRule) bool) {
		lists := make([][]int32, 0, 8)
		add := func(numbers []int32) {
			if len(numbers) > 0 {
				lists = append(lists, numbers)
			}
		}
		add(x.exact[path])
		add(x.open[""])
		for end, depth := 0, 1; end < len(path) && depth <= x.deepest; depth++ {
			if slash := strings.IndexByte(path[end:], '/'); slash >= 0 {
				add(x.open[path[:end+slash]])
				end += slash + 1
			} else {
				add(x.open[path])
				end = len(path)
			}
		}
		for {
			var next *[]int32
			for i := range lists {
				if l := &lists[i]; len(*l) > 0 && (next == nil || (*l)[0] < (*next)[0]) {
					next = l
				}
			}
			if next == nil || !yield(&x.rules[(*next)[0]]) {
				return
			}
			*next = (*next)[1:]
		}
	}
}
