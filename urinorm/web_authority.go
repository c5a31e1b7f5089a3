package urinorm

import (
	"strconv"
	"strings"
)

// authority is the authority state, which ends at the path, and within it the
// host and port states:
//
//	user:pass@example.com:8042/over/there
//	│         │           │   │
//	userinfo  host        │   end
//	                      port
func (p *webParser) authority(rest string) error {
	special := p.kind.special()
	end := 0
	for end < len(rest) && !isSlash(rest[end], special) && rest[end] != '?' && rest[end] != '#' {
		end++
	}
	p.dst = append(p.dst, "//"...)
	p.at.HasAuthority, p.at.opaque = true, false
	p.at.UserStart = p.here()
	hostPort := rest[:end]
	// The last '@' ends the userinfo and those before it are part of it.
	if i := strings.LastIndexByte(hostPort, '@'); i >= 0 {
		var repairs Repairs
		p.dst, repairs = appendUserinfo(p.dst, hostPort[:i])
		p.repairs |= repairs
		if hostPort = hostPort[i+1:]; hostPort == "" {
			return ErrHost
		}
	}
	host, port, hasPort := cutPort(hostPort)
	if host == "" && (special || hasPort) {
		return ErrHost
	}
	p.at.HostStart = p.here()
	if err := p.host(host); err != nil {
		return err
	}
	p.at.HostEnd = p.here()
	var err error
	if p.dst, err = appendPort(p.dst, port, p.kind.defaultPort()); err != nil {
		return err
	}
	p.pathStart(rest[end:])
	return nil
}

// host appends the host that s denotes.
func (p *webParser) host(s string) error {
	dst, repairs, err := appendHost(p.dst, s, p.kind.special())
	p.dst = dst
	p.repairs |= repairs
	return err
}

// appendUserinfo appends a user name, a password and the '@' after them, but
// nothing if both are empty.
func appendUserinfo(dst []byte, s string) ([]byte, Repairs) {
	start := len(dst)
	name, password, _ := strings.Cut(s, ":")
	dst, repairs := appendEncoded(dst, name, encodeUserinfo)
	if strings.IndexByte(s, '@') >= 0 {
		repairs |= repairIllegal
	}
	if looksLikeHost(name) {
		repairs |= repairMisleadingUserinfo
	}
	if password != "" {
		var inPassword Repairs
		dst, inPassword = appendEncoded(append(dst, ':'), password, encodeUserinfo)
		repairs |= inPassword | repairCredentials
	}
	if len(dst) != start {
		dst = append(dst, '@')
	}
	return dst, repairs
}

// cutPort cuts host:port at the first ':' outside brackets.
func cutPort(s string) (host, port string, ok bool) {
	brackets := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			brackets = true
		case ']':
			brackets = false
		case ':':
			if !brackets {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

// appendPort is the port state: it appends ':' and the port, unless the port is
// empty or the scheme's default, which is 0 for none.
func appendPort(dst []byte, s string, defaultPort int) ([]byte, error) {
	if s == "" {
		return dst, nil
	}
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return dst, ErrPort
		}
		if n = n*10 + int(s[i]-'0'); n > 0xFFFF {
			return dst, ErrPort
		}
	}
	if n != defaultPort || n == 0 {
		dst = strconv.AppendInt(append(dst, ':'), int64(n), 10)
	}
	return dst, nil
}
