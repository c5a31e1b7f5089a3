package disk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits on the files of a repository.
const (
	maxPatternFile = 4 << 20 // bytes of a file with patterns, or of a configuration
	maxIndexNames  = 20_000_000
	maxIndexText   = 256 << 20 // bytes of all names; version 4 lets a short index have long ones
)

// gitRepository is the .git directory of a work tree.
type gitRepository struct {
	dir    string // with the index
	common string // with info/exclude and config; the same except in linked work trees

	fold         bool   // core.ignoreCase
	excludesFile string // core.excludesFile
}

// FindGit returns the root of the work tree that contains a directory, and its .git
// directory with the index; the empty string if there is none. The path of the directory
// has no symbolic links. Git also takes a directory for a repository that has the entries
// of a .git directory, whatever its name; a tree can contain one, so FindGit does not.
func FindGit(dir string) (root, gitDir string) {
	for root = dir; ; root = filepath.Dir(root) {
		if gitDir = gitDirOf(root); gitDir != "" {
			return root, gitDir
		}
		if root == filepath.Dir(root) {
			return "", ""
		}
	}
}

// CommonGitDir returns the directory with the files that all work trees of a repository share,
// such as the objects.
func CommonGitDir(gitDir string) string {
	if text, err := readGitFile(filepath.Join(gitDir, "commondir")); err == nil {
		return within(gitDir, strings.TrimRight(string(text), "\r\n"))
	}
	return gitDir
}

// gitDirOf returns the .git directory of the work tree that has its root in a directory, or
// the empty string if there is none.
func gitDirOf(root string) (gitDir string) {
	gitDir = filepath.Join(root, ".git")
	info, err := os.Stat(gitDir)
	if err != nil {
		return ""
	}
	if !info.IsDir() { // a linked work tree, or a submodule
		text, err := readGitFile(gitDir)
		target, ok := bytes.CutPrefix(text, []byte("gitdir: "))
		if err != nil || !ok {
			return ""
		}
		gitDir = within(root, strings.TrimRight(string(target), "\r\n"))
	}
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err != nil {
		return ""
	}
	return gitDir
}

// openRepository returns the repository whose work tree has its root in a directory, or
// nil if there is none.
func openRepository(root string) *gitRepository {
	dir := gitDirOf(root)
	if dir == "" {
		return nil
	}
	r := &gitRepository{dir: dir, common: CommonGitDir(dir)}
	r.configure()
	return r
}

// within returns the path of a name relative to a directory.
func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readGitFile reads a file that is not too long.
func readGitFile(name string) ([]byte, error) {
	f, err := openGitFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxPatternFile {
		return nil, errors.New("too long")
	}
	return io.ReadAll(io.LimitReader(f, maxPatternFile))
}

// openGitFile opens a regular file: opening a named pipe would wait for its writer.
func openGitFile(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return os.Open(name)
}

// configure reads core.excludesFile and core.ignoreCase: the user's, then the
// repository's. Included files are not read.
func (r *gitRepository) configure() {
	home, _ := os.UserHomeDir()
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config != "" {
		r.excludesFile = filepath.Join(config, "git", "ignore")
	}
	files := []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = []string{global}
	}
	for _, file := range append(files, filepath.Join(r.common, "config")) {
		text, err := readGitFile(file)
		if err != nil {
			continue
		}
		for name, value := range gitSettings(text, "core") {
			switch name {
			case "ignorecase":
				r.fold = value == "" || value == "true" || value == "yes" || value == "on" || value == "1"
			case "excludesfile":
				if rest, ok := strings.CutPrefix(value, "~/"); ok {
					value = filepath.Join(home, rest)
				}
				r.excludesFile = value
			}
		}
	}
}

// gitSettings returns the variables of a section (git-config(1)), such as core or remote "origin", with
// names in lower case. Values may be in quotes.
func gitSettings(text []byte, section string) map[string]string {
	settings := map[string]string{}
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			name, rest, _ := strings.Cut(head, "]")
			inside = strings.EqualFold(strings.TrimSpace(name), section)
			line = strings.TrimSpace(rest)
		}
		if !inside || line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); strings.HasPrefix(value, `"`) {
			value, _, _ = strings.Cut(value[1:], `"`)
		} else if end := strings.IndexAny(value, "#;"); end >= 0 {
			value = strings.TrimSpace(value[:end])
		}
		settings[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return settings
}

// remoteAddress returns the address of the repository that a .git directory was cloned from: that of the
// remote origin or, in a fork, upstream. It returns "" if there is none. Included files are not read.
func remoteAddress(gitDir string) string {
	text, err := readGitFile(filepath.Join(CommonGitDir(gitDir), "config"))
	if err != nil {
		return ""
	}
	for _, name := range []string{"origin", "upstream"} {
		if address := gitSettings(text, `remote "`+name+`"`)["url"]; address != "" {
			return address
		}
	}
	return ""
}

// trackedNames returns the names in the index, sorted by their octets. It returns nil for
// an index that it cannot read.
func (r *gitRepository) trackedNames() []string {
	f, err := openGitFile(filepath.Join(r.dir, "index"))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := readIndex(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil
	}
	slices.Sort(names)
	return names
}

// Tracks reports whether git tracks a file, or a file in a directory. Symbolic links in the path are followed.
func Tracks(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false
	}
	root, gitDir := FindGit(filepath.Dir(path))
	if gitDir == "" {
		return false
	}
	r := openRepository(root)
	rel, err := filepath.Rel(root, path)
	if err != nil || r == nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	return slices.ContainsFunc(r.trackedNames(), func(name string) bool {
		if len(name) > len(rel) && name[len(rel)] == '/' {
			name = name[:len(rel)]
		}
		return name == rel || r.fold && strings.EqualFold(name, rel)
	})
}

// readIndex reads the names of an index of version 2, 3 or 4 (gitformat-index(5)) with
// SHA-1 object names.
func readIndex(in *bufio.Reader) ([]string, error) {
	var head struct {
		Signature      [4]byte
		Version, Count uint32
	}
	if err := binary.Read(in, binary.BigEndian, &head); err != nil {
		return nil, err
	}
	if string(head.Signature[:]) != "DIRC" || head.Version < 2 || head.Version > 4 || head.Count > maxIndexNames {
		return nil, errors.New("not an index")
	}
	names := make([]string, 0, min(head.Count, 1<<20))
	previous, text := "", 0
	for range head.Count {
		var entry [62]byte
		if _, err := io.ReadFull(in, entry[:]); err != nil {
			return nil, err
		}
		length := len(entry)
		if head.Version >= 3 && entry[60]&0x40 != 0 { // extended flags
			if _, err := in.Discard(2); err != nil {
				return nil, err
			}
			length += 2
		}
		kept := ""
		if head.Version == 4 {
			cut, err := readOffset(in)
			if err != nil || cut > len(previous) {
				return nil, errors.New("malformed index")
			}
			kept = previous[:len(previous)-cut]
		}
		name, err := in.ReadString(0)
		if err != nil {
			return nil, err
		}
		if head.Version < 4 { // NULs fill the entry up to a multiple of eight octets; one has been read
			length += len(name)
			if _, err := in.Discard((8 - length%8) % 8); err != nil {
				return nil, err
			}
		}
		previous = kept + name[:len(name)-1]
		if text += len(previous); text > maxIndexText {
			return nil, errors.New("index with too long names")
		}
		names = append(names, previous)
	}
	return names, nil
}

// readOffset reads a number in the variable-length coding of pack files.
func readOffset(in *bufio.Reader) (int, error) {
	c, err := in.ReadByte()
	n := int(c & 0x7F)
	for err == nil && c&0x80 != 0 && n < 1<<24 {
		c, err = in.ReadByte()
		n = (n+1)<<7 | int(c&0x7F)
	}
	return n, err
}
