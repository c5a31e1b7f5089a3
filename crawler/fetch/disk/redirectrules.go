package disk

import (
	"iter"
	"strings"
)

// redirectRules are the rules of a _redirects file. Sites that moved have thousands,
// nearly all of which can be told from a path by how it begins, so that few are tried.
type redirectRules struct {
	rules   []redirectRule
	exact   map[string][]int32 // the numbers of those that hold for one path, by it
	open    map[string][]int32 // of the others, by the segments before the first placeholder or "*"
	deepest int                // the most segments that a path in open has
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

// literals counts the segments before the first that may stand for others.
func (r *redirectRule) literals() int {
	for i, pattern := range r.from {
		if strings.HasPrefix(pattern, ":") || pattern == "*" {
			return i
		}
	}
	return len(r.from)
}

// candidates gives, in their order, the rules that may hold for a path without
// slashes at its ends. All others don't match it.
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
