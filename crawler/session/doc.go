// Package session says how a run signs in with the forms of sites.
//
//	plan, err := session.NewPlan(configs, targets, internal) // mistakes, before anything is sent
//	client, err := fetch.NewHTTP(fetch.HTTPConfig{Secrets: fetch.Secrets{CookieGroups: plan.CookieGroups()}})
//	cfg.Login.Logins = plan.Logins // of a crawler.Config
//	cfg.Login.Fetch = client
//
// A [Config] is a login as flags or a configuration file give it, and a [Login] one that is valid.
// The cookies of a login go to its origins only: scheme, host and port. A [Secret] is never printed.
// crawler.SignIn signs in without a crawl; a [*Failure] says why nobody is signed in.
//
// A sign-in posts every form once, so there are at most three POST requests, and the password is in
// one of them. They are the only ones that this program ever sends. A site may refuse two sign-ins;
// more could lock the account.
package session
