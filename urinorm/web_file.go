package urinorm

import "strings"

// file is the file state and the file slash state. Unlike other URLs, a file URL
// always has an authority, which may be empty, and may have a drive letter.
func (p *webParser) file(rest string) error {
	base := p.base
	if base != nil && base.kind != schemeFile {
		base = nil
	}
	switch {
	case startsWithSlash(rest, true) && startsWithSlash(rest[1:], true):
		p.noteSlash(rest[0])
		p.noteSlash(rest[1])
		return p.fileHost(rest[2:])
	case startsWithSlash(rest, true):
		p.noteSlash(rest[0])
		rest = rest[1:]
		if base == nil {
			p.emptyHost()
			break
		}
		p.copyAuthority()
		// A path from the root stays on the base's drive.
		if drive := base.drive(); drive != "" && !startsWithDriveLetter(rest) {
			p.dst = append(p.dst, drive...)
		}
	case base != nil:
		p.copyAuthority()
		p.copyPathFor(rest)
		return nil
	default:
		p.emptyHost()
	}
	p.segments(rest)
	return nil
}

// fileHost is the file host state. A drive letter is not a host but the beginning
// of the path, and localhost becomes the empty host.
func (p *webParser) fileHost(rest string) error {
	end := strings.IndexAny(rest, "/\\?#")
	if end < 0 {
		end = len(rest)
	}
	p.emptyHost()
	if isDriveLetter(rest[:end]) {
		p.repairs |= repairSlashes
		p.segments(rest)
		return nil
	}
	if end > 0 {
		if err := p.host(rest[:end]); err != nil {
			return err
		}
		if string(p.dst[p.start+int(p.at.HostStart):]) == "localhost" {
			p.dst = p.dst[:p.start+int(p.at.HostStart)]
		}
		p.at.HostEnd = p.here()
	}
	p.pathStart(rest[end:])
	return nil
}

// emptyHost writes "//" and an empty authority.
func (p *webParser) emptyHost() {
	p.dst = append(p.dst, "//"...)
	p.noAuthority()
	p.at.HasAuthority = true
}

// isDriveLetter reports whether s is a Windows drive letter (URL Standard 4.2):
// a letter and ':' or '|'.
func isDriveLetter(s string) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

// startsWithDriveLetter reports whether s starts with a Windows drive letter that
// is a complete path segment (URL Standard 4.2).
func startsWithDriveLetter(s string) bool {
	return len(s) >= 2 && isDriveLetter(s[:2]) &&
		(len(s) == 2 || s[2] == '/' || s[2] == '\\' || s[2] == '?' || s[2] == '#')
}

// isDriveRoot reports whether a path is a normalized drive letter alone: "/C:".
func isDriveRoot[T string | []byte](path T) bool {
	return len(path) == 3 && isAlpha(path[1]) && path[2] == ':'
}
