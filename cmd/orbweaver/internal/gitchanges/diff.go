package gitchanges

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// difference is a file that differs from a commit, by its name in the work tree.
type difference struct {
	name    string
	removed bool
}

// diff returns the tracked files in a directory that differ from a commit. Git compares the
// names of objects, so it reads no content of the commit, which may be missing from a partial
// clone. Changes in a submodule would be found by a git in it, with its configuration.
func (b *borrower) diff(ctx context.Context, base, in string) ([]difference, error) {
	fields, err := b.list(ctx, "diff-index", "--no-renames", "--ignore-submodules=all", "-z", base, "--", in)
	if err != nil {
		return nil, err
	}
	var found []difference
	objects := map[string]string{} // of files that may only have been written, by name
	for i := 0; i+1 < len(fields); i += 2 {
		var was, is, object, unused, status string
		if _, err := fmt.Sscanf(fields[i], ":%s %s %s %s %s", &was, &is, &object, &unused, &status); err != nil {
			return nil, fmt.Errorf("git diff-index printed %q: %w", fields[i], err)
		}
		name := fields[i+1]
		found = append(found, difference{name, status == "D"})
		if was == is && strings.HasPrefix(is, "100") && !strings.ContainsAny(name, "\n\r\"") && b.isFile(name) { // others are not read from lists
			objects[name] = object
		}
	}
	if len(objects) == 0 {
		return found, nil
	}

	// The names of the objects that git would add.
	var asked []string
	for _, d := range found {
		if objects[d.name] != "" {
			asked = append(asked, d.name)
		}
	}
	out, err := b.run(ctx, strings.NewReader(strings.Join(asked, "\n")+"\n"), "hash-object", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	added := strings.Fields(out)
	if len(added) != len(asked) {
		return nil, fmt.Errorf("git hash-object named %d of %d files", len(added), len(asked))
	}
	same := map[string]bool{}
	for i, name := range asked {
		same[name] = added[i] == objects[name]
	}
	changed := found[:0]
	for _, d := range found {
		if !same[d.name] {
			changed = append(changed, d)
		}
	}
	return changed, nil
}

// isFile reports whether a name is that of a file that git can read to its end.
func (b *borrower) isFile(name string) bool {
	info, err := os.Lstat(filepath.Join(b.top, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxCopied
}
