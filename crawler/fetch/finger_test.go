package fetch

import (
	"strings"
	"testing"
)

func TestFingerd(t *testing.T) {
	program(t, "finger") // which the server runs
	at := superServer(t, "in.fingerd").String()
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for _, address := range []string{"finger://" + at, "finger://" + at + "/", "finger://" + at + "/root", "finger:root@" + at, "finger://root@" + at} {
		resp, _, fault := fetchURL(t, others, address, Existence)
		if got := verdict(resp, fault); got != "ok" {
			t.Errorf("%s: %s (%v)", address, got, fault)
		}
	}
}

func TestFinger(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		if c.read() == "joe" {
			c.say("Login: joe\r\n")
		}
	})
	at := server.addr.String()
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for address, want := range map[string]string{
		"finger://" + at + "/joe": "ok", "finger:joe@" + at: "ok", "finger://" + at + "/jim": "connection-reset",
		"finger:joe": "uri-invalid", "finger:joe@a@" + at: "uri-invalid", "finger://" + at + "/" + strings.Repeat("x", 1000): "uri-invalid",
	} {
		resp, _, fault := fetchURL(t, others, address, Existence)
		if got := verdict(resp, fault); got != want {
			t.Errorf("%s: %s (%v), want %s", address, got, fault, want)
		}
	}
}
