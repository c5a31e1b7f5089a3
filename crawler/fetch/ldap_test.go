package fetch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const ldapEntries = `dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: cn=Grüße\, alle,ou=people,dc=example,dc=com
objectClass: organizationalRole
cn: Grüße, alle

dn: ou=hidden,dc=example,dc=com
objectClass: organizationalUnit
ou: hidden

dn: ou=elsewhere,dc=example,dc=com
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://ldap.example.net/ou=people,dc=example,dc=net
`

// slapd runs a directory server and returns its addresses for ldap and ldaps.
func slapd(t *testing.T, certificate string) (plain, secure string) {
	t.Helper()
	path, load := program(t, "slapd"), program(t, "slapadd")
	dir := t.TempDir()
	config := fmt.Sprintf(`include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile %[2]s
TLSCertificateKeyFile %[2]s
database mdb
suffix "dc=example,dc=com"
rootdn "cn=admin,dc=example,dc=com"
rootpw secret
directory %[1]s
access to dn.base="ou=hidden,dc=example,dc=com" by users read by anonymous auth
access to * by * read
`, dir, certificate)
	files := map[string]string{"slapd.conf": config, "entries.ldif": ldapEntries}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf := filepath.Join(dir, "slapd.conf")
	if out, err := exec.Command(load, "-f", conf, "-l", filepath.Join(dir, "entries.ldif")).CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v\n%s", err, out)
	}
	plain, secure = fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	background(t, "epoll: listen=", path, "-f", conf, "-d", "8", "-h", "ldap://"+plain+" ldaps://"+secure)
	return plain, secure
}

func TestSlapd(t *testing.T) {
	certificate, authority := serverCertificate(t)
	plain, secure := slapd(t, certificate)
	_, others := newOtherSchemes(t, HTTPConfig{CAFile: authority}, OtherSchemesConfig{})
	for _, row := range []struct{ url, want string }{
		{"//@/ou=people,dc=example,dc=com", "ok"},
		{"//@/OU=People,DC=example,DC=com", "ok"},
		{"//@/", "ok"}, // the server's own entry
		{"//@", "ok"},
		{"//@/cn=Gr%C3%BC%C3%9Fe%5C2C%20alle,ou=people,dc=example,dc=com", "ok"},
		{"//@/dc=example,dc=com?cn?sub?(cn=Gr%C3%BC%C3%9Fe*)", "ok"},
		{"//@/dc=example,dc=com??one", "ok"}, // more than one result; one is enough
		{"//@/ou=people,dc=example,dc=com??sub?(cn=nobody)", "file-missing"},
		{"//@/dc=example,dc=com??sub?(cn=nobody)", "302 to ldap://ldap.example.net/ou=people,dc=example,dc=net??sub"}, // the rest of the tree
		{"//@/ou=nobody,dc=example,dc=com", "file-missing"},
		{"//@/ou=hidden,dc=example,dc=com", "file-unreadable"},
		{"//cn=admin%2Cdc=example%2Cdc=com:secret@@/ou=hidden,dc=example,dc=com", "ok"},
		{"//cn=admin%2Cdc=example%2Cdc=com:wrong@@/ou=hidden,dc=example,dc=com", "file-unreadable"},
		{"//@/ou=people,dc=example,dc=com????bindname=cn=admin%2cdc=example%2cdc=com", "ok"},
		{"//@/ou=people,dc=example,dc=com????!no-such-thing=1", "scheme-unchecked"},
		{"//@/ou=people,dc=example,dc=com????no-such-thing=1", "ok"},
		{"//@/ou=elsewhere,dc=example,dc=com", "302 to ldap://ldap.example.net/ou=people,dc=example,dc=net??base"},
		{"//@/not-a-name", "uri-invalid"},
		{"//@/dc=example,dc=com??tree", "uri-invalid"},
		{"//@/dc=example,dc=com??sub?(cn=", "uri-invalid"},
		{"//@/dc=example?a?sub?(a=b)?x?y", "uri-invalid"},
		{"///dc=example,dc=com", "scheme-unchecked"},
	} {
		for scheme, at := range map[string]string{"ldap": plain, "ldaps": secure} {
			address := scheme + ":" + strings.Replace(row.url, "@", at, 1)
			if strings.Contains(row.url, "@@") {
				address = scheme + ":" + strings.Replace(row.url, "@@", "@"+at, 1)
			}
			resp, _, fault := fetchURL(t, others, address, Existence)
			if got := verdict(resp, fault); got != row.want {
				t.Errorf("%s: %s (%v), want %s", address, got, fault, row.want)
			}
			if fault != nil && strings.Contains(fault.Error(), "wrong") {
				t.Errorf("a password is message: %v", fault)
			}
		}
	}
	_, strict := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	if _, _, fault := fetchURL(t, strict, "ldaps://"+secure+"/", Existence); fault == nil || fault.Kind != "tls-untrusted" {
		t.Errorf("%v, want tls-untrusted", fault)
	}
	if _, _, fault := fetchURL(t, strict, "ldaps://"+plain+"/", Existence); fault == nil || fault.Kind != "tls-error" {
		t.Errorf("%v, want tls-error", fault)
	}
}

func TestLDAPFaults(t *testing.T) {
	for _, row := range []struct {
		name, answer, want string
	}{
		{"a length beyond all", "\x30\x84\x7f\xff\xff\xff" + strings.Repeat("x", 1<<20), "protocol-error"},
		{"nested without end", strings.Repeat("\x30\x80", 1<<19), "protocol-error"},
		{"a message with an unknown ID", strings.Repeat("\x30\x05\x02\x01\x63\x61\x00", 100_000), "protocol-error"},
		{"result without fields", "\x30\x05\x02\x01\x01\x61\x00", "protocol-error"},
	} {
		server := serveLines(t, func(c *serverConn) {
			c.Read(make([]byte, 64))
			c.say(row.answer)
			c.hang()
		})
		_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
		_, _, fault := fetchURL(t, others, "ldap://"+server.addr.String()+"/dc=x", Existence)
		if fault == nil || fault.Kind != row.want {
			t.Errorf("%s: %v, want %s", row.name, fault, row.want)
		}
	}
}
