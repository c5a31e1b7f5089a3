// Package sso signs people in at an OpenID Connect provider (OpenID Connect Core 1.0, section 3.1,
// with PKCE of RFC 7636).
//
//	Config     the provider, this client, and who gets which role    config.go
//	Provider   sends people to the provider, and learns who came back provider.go
//	Person     who somebody is: issuer and subject, name, role       person.go
//
// An attempt to sign in is sealed in a cookie of the browser that began it: its state, nonce, code
// verifier and end. So an attempt outlives a restart of the server, and nobody can fill the server's
// memory with attempts. Only the states of attempts that are over are remembered, until they expire.
//
// The provider is the administrator's choice and may be at any address. Its redirects to other hosts
// are not followed, and its answers are limited. What it sends is in no error that people see.
package sso
