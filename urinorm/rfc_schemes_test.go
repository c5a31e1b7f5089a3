package urinorm

import (
	"strings"
	"testing"
)

func TestKnownScheme(t *testing.T) {
	known := "http HTTPS mailto javascript slack tg whatsapp find gemini clsid ms-windows-store itms-services chrome " +
		"about vscode zoommtg intent moz-extension chrome-extension brave edge view-source blob filesystem obsidian " +
		"discord spotify steam skype tencent z39.50r coap+tcp machineProvisioningProgressReporter svn+ssh git+https " +
		"web+mastodon ext+container com.example.app oci nix app command claude cursor vscode vscode-insiders vscodium"
	for scheme := range strings.FieldsSeq(known) {
		if !KnownScheme(scheme) {
			t.Errorf("%s is not known", scheme)
		}
	}
	for scheme := range strings.FieldsSeq("htp htps foo localhost www.example.com std c web+ web+1 ext+ com. mail_to") {
		if KnownScheme(scheme) {
			t.Errorf("%s is known", scheme)
		}
	}
	if KnownScheme("") {
		t.Error("the empty scheme is known")
	}
}

func TestCategoryOf(t *testing.T) {
	for scheme, want := range map[string]schemeCategory{
		"HTTP": schemeFetchable, "file": schemeFetchable, "ftp": schemeFetchable,
		"mailto": schemeSyntax, "Data": schemeSyntax, "urn": schemeSyntax,
		"javascript": schemeKnown, "gopher": schemeKnown, "slack": schemeKnown, "htpp": schemeUnknown,
	} {
		if got := categoryOf(scheme); got != want {
			t.Errorf("%s: %v, want %v", scheme, got, want)
		}
	}
}

func TestStatusOf(t *testing.T) {
	for scheme, want := range map[string]schemeStatus{
		"HTTP": registeredPermanent, "magnet": registeredProvisional, "fax": registeredHistoric,
		"javascript": registeredUse, "htpp": registeredNowhere,
	} {
		if got := statusOf(scheme); got != want {
			t.Errorf("%s: %v, want %v", scheme, got, want)
		}
	}
}

// Each name is in the tables once, in lower case, and follows the grammar; every
// scheme with rules and every common scheme is registered or in use.
func TestSchemeTables(t *testing.T) {
	seen := make(map[string]bool)
	for _, list := range []string{permanentSchemes, provisionalSchemes, historicalSchemes, usedSchemes} {
		for name := range strings.FieldsSeq(list) {
			if name != rfcLowerASCII(name) || rfcCheckScheme(name) != nil {
				t.Errorf("%q is no scheme in lower case", name)
			}
			if seen[name] {
				t.Errorf("%s stands there twice", name)
			}
			seen[name] = true
		}
	}
	for _, software := range softwareSchemes {
		if rfcCheckScheme(software.name) != nil || seen[software.name] || software.source == "" {
			t.Errorf("%q is not a new scheme with a source", software.name)
		}
		seen[software.name] = true
	}
	if n := len(rfcRegistry); n < 500 {
		t.Errorf("only %d schemes are known", n)
	}
	for name := range rfcSchemeRules {
		if !seen[name] {
			t.Errorf("%s has rules and is not registered", name)
		}
	}
	for _, name := range commonSchemes {
		if !seen[name] {
			t.Errorf("%s is common and not registered", name)
		}
	}
}

func TestDefaultPort(t *testing.T) {
	for scheme, want := range map[string]int{"http": 80, "HTTPS": 443, "ftp": 21, "ws": 80, "wss": 443, "gopher": 70} {
		if got, ok := DefaultPort(scheme); !ok || got != want {
			t.Errorf("%s: %d, %v", scheme, got, ok)
		}
	}
	for _, scheme := range []string{"file", "urn", "ldap", "nonsense", ""} {
		if got, ok := DefaultPort(scheme); ok {
			t.Errorf("%s: %d", scheme, got)
		}
	}
	// Both profiles agree on the schemes of the web.
	for _, scheme := range []string{"http", "https", "ws", "wss", "ftp"} {
		if port, _ := DefaultPort(scheme); port != schemeKindOf(scheme).defaultPort() {
			t.Errorf("%s: the profiles differ", scheme)
		}
	}
}

func TestNearestScheme(t *testing.T) {
	for in, want := range map[string]string{
		"htp": "http", "htps": "https", "htpps": "https", "http's": "https", "hhttp": "http", "ttp": "http", "hptt": "http",
		"HTTPSS": "https", "httpd": "https", "mailt": "mailto", "malito": "mailto", "mailtto": "mailto", "mail": "",
		"javscript": "javascript", "javasript": "javascript", "fiel": "file", "dat4": "data", "te1": "tel", "telx": "tel",
		"webcaal": "webcal", "gophre": "", "gopherr": "gopher", "magent": "magnet",
		"http": "", "foo": "", "x": "", "": "", "localhost": "", "www.example.com": "", "std": "",
		strings.Repeat("http", 20): "",
	} {
		got, ok := NearestScheme(in)
		if got != want || ok != (want != "") {
			t.Errorf("NearestScheme(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}
