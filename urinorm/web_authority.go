package urinorm

import (
	"strconv"
	"strings"
)

// authority is the authority state, which ends at the path, and the host and
// port states within it:
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
	p.at.HasAuthority, p.at.Opaque = true, false
	p.at.UserStart = p.here()
	hostPort := rest[:end]
	// The last '@' ends the userinfo: all before it are part of it.
	if i := strings.LastIndexByte(hostPort, '@'); i >= 0 {
		p.userinfo(hostPort[:i])
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
	if err := p.port(port); err != nil {
		return err
	}
	p.pathStart(rest[end:])
	return nil
}

// userinfo writes user name and password; when both are empty, nothing.
func (p *webParser) userinfo(s string) {
	name, password, _ := strings.Cut(s, ":")
	if strings.IndexByte(s, '@') >= 0 {
		p.repairs |= RepairIllegal
	}
	if looksLikeHost(name) {
		p.repairs |= RepairMisleadingUserinfo
	}
	p.encode(name, encodeUserinfo)
	if password != "" {
		p.repairs |= RepairCredentials
		p.dst = append(p.dst, ':')
		p.encode(password, encodeUserinfo)
	}
	if p.here() != p.at.UserStart {
		p.dst = append(p.dst, '@')
	}
}

// cutPort cuts host:port at the first ':' that is outside brackets.
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

// port is the port state: digits, of which the default port's are not written.
func (p *webParser) port(s string) error {
	if s == "" {
		return nil
	}
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return ErrPort
		}
		if n = n*10 + int(s[i]-'0'); n > 0xFFFF {
			return ErrPort
		}
	}
	if n != p.kind.defaultPort() || n == 0 {
		p.dst = append(p.dst, ':')
		p.dst = strconv.AppendInt(p.dst, int64(n), 10)
	}
	return nil
}
