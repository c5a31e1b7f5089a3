package references

import (
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

// moduleExtensions are the extensions that bundlers try for the path of a module, and compiled
// those of the sources that the path of a compiled file may stand for.
var (
	moduleExtensions = [...]string{".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".json", ".mdx", ".md", ".vue", ".svelte", ".astro", ".d.ts"}
	compiled         = map[string][]string{".js": {".ts", ".tsx", ".jsx"}, ".jsx": {".tsx"}, ".mjs": {".mts"}, ".cjs": {".cts"}}
)

// moduleFile returns the reference to the file that the path of a module names. If there is no
// such file in the site, the reference is returned as it is.
func moduleFile(site *disk.Site, base *urinorm.Base, ref string) string {
	var candidates []string
	if path.Ext(ref) != "" { // otherwise it may be a directory
		candidates = append(candidates, ref)
	}
	for extension, sources := range compiled {
		if stem, ok := strings.CutSuffix(ref, extension); ok {
			for _, source := range sources {
				candidates = append(candidates, stem+source)
			}
		}
	}
	for _, stem := range [...]string{ref, strings.TrimSuffix(ref, "/") + "/index"} {
		for _, extension := range moduleExtensions {
			candidates = append(candidates, stem+extension)
		}
	}
	exists := func(candidate string) bool {
		u, _, err := base.Resolve(candidate)
		return err == nil && site.Answers(u)
	}
	if i := slices.IndexFunc(candidates, exists); i >= 0 {
		return candidates[i]
	}
	return ref
}
