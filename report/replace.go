package report

// ReplaceFile puts content in place of a file, whole or not at all. The file keeps
// its permissions; a symbolic link stays one, and what it leads to is replaced.
func ReplaceFile(name string, content []byte) error {
	f, err := createFile(name, "")
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		f.discard()
		return err
	}
	return f.commit()
}
