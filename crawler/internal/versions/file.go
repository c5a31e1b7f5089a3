package versions

import (
	"fmt"
	"time"
)

// File distinguishes the contents of a file, as an entity tag does those of a resource. No
// program can set the time of the last change, so a file whose modification time was restored has
// another version all the same.
type File struct {
	Size     int64     // bytes
	Modified time.Time // of the content
	Changed  time.Time // of the content, or of what the file system knows of the file
	Inode    uint64
}

// clockStep is the least time between two changes of a file that have different times on every
// file system: FAT counts in steps of two seconds.
const clockStep = 2 * time.Second

// Validators returns the validators of a file that was read after the given time. There are none if
// the version is not known, or if the file was changed so shortly before that a later change may
// have the same times.
func (v File) Validators(began time.Time) Validators {
	settled := began.Add(-clockStep)
	if v == (File{}) || !v.Modified.Before(settled) || !v.Changed.Before(settled) {
		return Validators{}
	}
	return Validators{ETag: v.tag()}
}

// Match reports whether validators are those of this version.
func (v File) Match(known Validators) bool {
	return v != File{} && known.ETag == v.tag()
}

func (v File) tag() string {
	return fmt.Sprintf("file %d %d %d %d", v.Size, v.Modified.UnixNano(), v.Changed.UnixNano(), v.Inode)
}
