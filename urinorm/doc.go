// Package urinorm gives each resource one spelling and one key.
//
// It holds two parsers, because no flag at the end can turn one into the other:
//
//   - the rfc profile reads RFC 3986 to the letter: the grammar of appendix A,
//     resolution by section 5.2, the comparison ladder of section 6;
//   - the web profile reads an href as a browser does (the URL Standard) and
//     notes each thing it had to mend.
//
// Four strings are kept apart and never mixed: the reference as written (raw),
// the URL it resolves to, the request target that goes on the wire, and the Key
// that only ever answers "have we met this resource before?".
//
// # The rfc profile, file by file
//
//   - reference.go: the components, cut and put together (3, 5.3, appendix B);
//     rfc_grammar.go and rfc_host.go: the grammar (appendix A);
//   - resolve.go: resolution (5.2), same-document and suffix references (4.4, 4.5);
//   - normalize.go: the ladder of normalization as one table (6.2.2, 6.2.3);
//     compare.go climbs it with two URIs, and beyond it with what redirects have
//     shown (6.2.4);
//   - schemes.go: what single schemes say; rfc_registry.go: which schemes there are;
//   - urn.go, mailto.go, dataurl.go, mimetype.go, rfc_tel.go, rfc_geo.go and
//     rfc_check.go: the schemes with a grammar of their own;
//   - text.go: URIs in running text (appendix C).
//
// # The web profile, file by file
//
//   - url.go: a [URL] and its parts; web.go: the parser, state by state (URL
//     Standard 4.4), with web_authority.go, web_path.go and web_file.go;
//   - web_host.go and web_ip.go: hosts (3.5), internationalized ones by package idna;
//   - web_encode.go: the percent-encode sets (1.3); charset.go and the files beside
//     it: queries in the charset of a page;
//   - web_repairs.go: what a parse notes; web_userinfo.go: names that mislead;
//   - base.go: references on a page; fast.go: the short way for ordinary ones;
//     retarget.go: the way back, from a new target to a reference;
//   - key.go, printed.go and redact.go: what is compared, shown and hidden;
//     domain.go: what is asked of hosts.
//
// # Where the standards leave room
//
// No case of the standards' data is left out. Where they allow more than one
// reading, the rfc profile chooses so:
//
//   - a path that begins with "//" and has no authority gets "/." before it, in
//     resolution and normal form: recomposed to the letter it would turn into an
//     authority (3.3 forbids such a path, 5.3 does not prevent it);
//   - a relative reference keeps its dot segments in normal form: 6.2 compares
//     URIs, and what the dots mean depends on the base;
//   - the rootless paths of data: and javascript: keep theirs too: they are
//     content, and joining different contents is a false positive (6.1);
//   - nothing in a URN is decoded, on no rung (RFC 8141 3.1), and no dots are taken
//     for segments; nor in what begins with "urn:" and is none by its syntax;
//   - an explicit port 389 of an ldap URI stays, see rfcSchemeRules;
//   - "(" and "%28" differ, as RFC 9110 4.2.3 has it; [EqualHTTP1] is the older
//     rule of RFC 2616;
//   - [CheckSyntax] lets pass what every reader's program understands: a local
//     tel: number without phone-context, sms: without a recipient, a query behind
//     geo:, characters in the header fields of mailto: that RFC 6068 wants encoded.
package urinorm
