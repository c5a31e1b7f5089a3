package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// TestRestoreNotify: hidden values are those of the stored target of the same type and host, in order
// among equals.
func TestRestoreNotify(t *testing.T) {
	of := func(text string) (all []api.Notify) {
		for one := range strings.FieldsSeq(text) {
			kind, rest, _ := strings.Cut(one, ":")
			path, token, _ := strings.Cut(rest, ":")
			n := api.Notify{Type: kind, Token: token}
			if path != "" {
				n.URL = "https://" + path
			}
			all = append(all, n)
		}
		return all
	}
	for _, row := range []struct{ stored, given, want string }{
		{"slack:a/1 discord:a/2", "slack:a/***", "slack:a/1"},
		{"slack:a/1 discord:a/2", "discord:a/*** slack:a/***", "discord:a/2 slack:a/1"},
		{"slack:a/1 discord:a/2", "slack:a/*** teams:a/3 discord:a/***", "slack:a/1 teams:a/3 discord:a/2"},
		{"slack:a/1 slack:a/2", "slack:a/*** teams:b/3 slack:a/***", "slack:a/1 teams:b/3 slack:a/2"},
		{"slack:a/1 slack:a/2", "slack:a/***", "several"},
		{"slack:a/1 slack:a/2 slack:b/3", "slack:b/*** slack:a/***", "several"},
		{"slack:a/1 slack:a/2", "slack:a/3 slack:a/***", "slack:a/3 slack:a/2"},
		{"webhook:a/1 slack:a/2", "slack:a/*** slack:a/***", "slack:a/1 slack:a/2"},
		{"webhook:a/1", "slack:a/***", "slack:a/1"},
		{"slack:a/1", "slack:b/***", "no address"},
		{"telegram::t1 telegram::t2", "telegram::*** telegram::***", "telegram::t1 telegram::t2"},
		{"telegram::t1 telegram::t2", "telegram::***", "several"},
		{"gotify:a/1:t1", "gotify:a/1:*** email:", "gotify:a/1:t1 email:"},
		{"slack:a/1", "email::***", "no token"},
	} {
		given, stored := of(row.given), of(row.stored)
		got := ""
		for i := range given {
			n := given[i]
			for _, f := range restoreNotify(&n, i, given, stored) {
				got += f.Field + ": " + f.Message
			}
			got += fmt.Sprint(" ", strings.TrimSuffix(n.Type+":"+strings.TrimPrefix(n.URL, "https://")+":"+n.Token, ":"))
		}
		got = strings.TrimSpace(got)
		if got != row.want && (strings.ContainsAny(row.want, ":") || !strings.Contains(got, row.want)) {
			t.Errorf("%s for the stored %s: got %q, want %q", row.given, row.stored, got, row.want)
		}
	}
}
