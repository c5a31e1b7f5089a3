package report

import (
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// fromRoot returns the name of a document as people should see it: a file outside the
// working directory dir with its path from the root, instead of the steps that lead to it.
// Other names do not change.
func fromRoot(dir, name string) string {
	if dir == "" || !strings.HasPrefix(name, "../") {
		return name
	}
	if at, rest := stepsUp(dir, name); isPlainPath(rest) {
		return at + rest // a report may have millions of names
	}
	file := document(name)
	slash := ""
	if strings.HasSuffix(file, "/") {
		slash = "/"
	}
	return path.Join(dir, file) + slash + name[len(file):]
}

// stepsUp takes the steps upwards from a directory that a name begins with. It returns the directory
// that they lead to and the rest of the name, which begins with a slash. The rest is empty if
// they lead above the root.
func stepsUp(dir, name string) (at, rest string) {
	at, rest = strings.TrimSuffix(dir, "/"), name
	for i := 0; strings.HasPrefix(name[i:], "../"); {
		above := strings.LastIndexByte(at, '/')
		if above < 0 {
			return "", ""
		}
		i += len("../")
		at, rest = at[:above], name[i-1:]
	}
	return at, rest
}

// isPlainPath reports whether a path that begins with a slash has a name in it, and nothing that
// path.Join would change.
func isPlainPath(p string) bool {
	return len(p) > 1 && p[1] != '#' && !strings.Contains(p, "//") && !strings.Contains(p, "/.")
}

// wordsFromRoot applies fromRoot to each word of a sentence.
func wordsFromRoot(dir, sentence string) string {
	if !strings.Contains(sentence, "../") {
		return sentence
	}
	words := strings.Split(sentence, " ")
	for i := range words {
		words[i] = fromRoot(dir, words[i])
	}
	return strings.Join(words, " ")
}

// resultsFromRoot applies fromRoot to the names in results. It changes copies, and copies
// only what changes.
func resultsFromRoot(dir string, results []*result.Result) []*result.Result {
	all := slices.Clone(results)
	for i, r := range results {
		inRefs := slices.ContainsFunc(r.References, func(ref result.Reference) bool { return strings.HasPrefix(ref.Page, "../") })
		if !inRefs && !strings.HasPrefix(r.URL, "../") && !strings.Contains(r.Message, "../") {
			continue
		}
		out := *r
		out.URL, out.FinalURL, out.Proposal = fromRoot(dir, r.URL), fromRoot(dir, r.FinalURL), fromRoot(dir, r.Proposal)
		out.Message = wordsFromRoot(dir, r.Message)
		out.Redirects = slices.Clone(r.Redirects)
		for i := range out.Redirects {
			out.Redirects[i].URL = fromRoot(dir, out.Redirects[i].URL)
		}
		out.Warnings = slices.Clone(r.Warnings)
		for i := range out.Warnings {
			w := &out.Warnings[i]
			w.Message, w.Proposal = wordsFromRoot(dir, w.Message), fromRoot(dir, w.Proposal)
		}
		out.Suggestions = slices.Clone(r.Suggestions)
		for i := range out.Suggestions {
			out.Suggestions[i].URL = fromRoot(dir, out.Suggestions[i].URL)
		}
		if inRefs {
			out.References = slices.Clone(r.References)
			for i := range out.References {
				out.References[i].Page = fromRoot(dir, out.References[i].Page)
			}
		}
		all[i] = &out
	}
	return all
}
