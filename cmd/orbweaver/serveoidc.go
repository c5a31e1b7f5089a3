package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/sso"
)

type oidcFlags struct {
	issuer, client, secretFile, scope, label string
	roles                                    []string
}

func (f *oidcFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.issuer, "oidc", "", "`ISSUER` of OpenID Connect at which people sign in, such as https://login.example.com/")
	flags.StringVar(&f.client, "oidc-client", "", "`ID` of this server at the issuer")
	flags.StringVar(&f.secretFile, "oidc-secret-file", "", "`FILE` with the secret of this server at the issuer")
	flags.StringArrayVar(&f.roles, "oidc-role", nil, "`ROLE=CLAIM:VALUE`: people with the claim have the role, the highest counts; ROLE=* is for everybody (repeatable)")
	flags.StringVar(&f.scope, "oidc-scope", "openid profile email", "`SCOPES` to ask the issuer for")
	flags.StringVar(&f.label, "oidc-label", "", "`TEXT` behind \"Sign in with\"; the default is the host of the issuer")
}

// compile returns what the flags say, nil without --oidc.
func (f *oidcFlags) compile(mode serve.Mode) (*sso.Config, error) {
	if f.issuer == "" {
		switch {
		case f.client != "", f.secretFile != "", len(f.roles) > 0, f.label != "":
			return nil, errors.New("--oidc-client, --oidc-secret-file, --oidc-role and --oidc-label need --oidc ISSUER")
		case mode == serve.SingleSignOn:
			return nil, errors.New("--auth oidc: it needs --oidc ISSUER")
		}
		return nil, nil
	}
	c := &sso.Config{Client: f.client, Scopes: strings.Fields(f.scope), Label: f.label}
	var faults flagFaults
	var err error
	c.Issuer, err = sso.ParseIssuer(f.issuer)
	faults.refuse("oidc", f.issuer, err)
	if mode != serve.SingleSignOn && mode != serve.Passwords {
		faults.add(fmt.Errorf("--oidc: it does not work with --auth %s", mode))
	}
	if f.client == "" || f.secretFile == "" {
		faults.add(errors.New("--oidc: it needs --oidc-client ID and --oidc-secret-file FILE"))
	} else if c.Secret, err = readSecret("oidc-secret-file", f.secretFile); err != nil {
		faults.add(err)
	} else if c.Secret == "" {
		faults.add(fmt.Errorf("--oidc-secret-file: %s is empty", f.secretFile))
	}
	if !slices.Contains(c.Scopes, "openid") {
		faults.refuse("oidc-scope", f.scope, errors.New("it must have openid"))
	}
	for _, text := range f.roles {
		rule, err := sso.ParseRule(text)
		faults.refuse("oidc-role", text, err)
		c.Roles = append(c.Roles, rule)
	}
	return c, faults.join()
}

type proxyFlags struct {
	user, role string
	from       []string
}

func (f *proxyFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.user, "proxy-user", "", "`HEADER` with the name of whom a proxy of --proxy-from has signed in, such as X-Remote-User")
	flags.StringArrayVar(&f.from, "proxy-from", nil, "`CIDR` of proxies whose --proxy-user counts (repeatable)")
	flags.StringVar(&f.role, "proxy-role", "", "`HEADER` with the role of that person; viewer is the default")
}

func (f *proxyFlags) compile() (p serve.ProxyUser, err error) {
	p = serve.ProxyUser{Header: f.user, Role: f.role}
	var faults flagFaults
	switch {
	case f.user == "" && (len(f.from) > 0 || f.role != ""):
		faults.add(errors.New("--proxy-from and --proxy-role need --proxy-user HEADER"))
	case f.user != "" && len(f.from) == 0:
		faults.add(errors.New("--proxy-user: it needs --proxy-from CIDR, because other clients can send the header, too"))
	}
	for _, one := range [][2]string{{"proxy-user", f.user}, {"proxy-role", f.role}} {
		if one[1] != "" && !httpguts.ValidHeaderFieldName(one[1]) {
			faults.refuse(one[0], one[1], errors.New("use the name of a header"))
		}
	}
	p.From = faults.networks("proxy-from", f.from)
	return p, faults.join()
}
