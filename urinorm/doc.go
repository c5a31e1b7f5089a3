// Package urinorm resolves, normalizes and compares URIs, and gives each resource
// one spelling and one key.
//
// To resolve the links of a page as a browser does, parse its URL with [ParseWeb],
// make it a base with [NewBase] and call [Base.Resolve] for each reference:
//
//	page, _, err := urinorm.ParseWeb("https://example.com/guide/")
//	base, err := urinorm.NewBase(page, "utf-8")
//	target, repairs, err := base.Resolve("../a b#top")
//
// The target is a [URL]. Two URLs of the same resource have the same [KeyOf], and
// [URL.Printed] is the spelling for reports. repairs tells what was wrong with the
// reference ([Repairs]). In a loop over many references, [Base.Append] and
// [AppendKey] avoid allocations.
//
// To apply RFC 3986 strictly, call [ResolveRFC], [NormalizeRFC] and [Compare] with
// strings; [ParseRFC] checks the grammar and returns the components.
// [ExplainNormalize] and [ExplainWeb] return the single steps.
//
// For schemes with a grammar of their own there are [ParseURN], [ParseMailto]
// and [CheckSyntax]. [FindURIs] finds URIs in running text, and [Redact] removes
// passwords from it.
//
// # Two profiles
//
// The package has two parsers, as the standards disagree about most malformed
// references:
//
//   - the rfc profile follows RFC 3986 strictly: the grammar of appendix A,
//     resolution by section 5.2, the comparison ladder of section 6;
//   - the web profile follows the URL Standard: it parses an href as a browser does
//     and reports what it repaired.
//
// Four strings of a link are distinct: the reference as written, the [URL] to which
// it resolves, the request target sent to the server ([URL.RequestTarget]), and the
// [Key], which only identifies the resource.
//
// # The rfc profile, file by file
//
//   - rfc_reference.go: splitting and recomposing references (3, 5.3, appendix B);
//     rfc_grammar.go and rfc_host.go: the grammar (appendix A);
//   - rfc_resolve.go: resolution (5.2), same-document and suffix references (4.4, 4.5);
//   - rfc_normalize.go: the normalization rules in one table (6.2.2, 6.2.3);
//     rfc_compare.go: comparison by these rules and by redirects (6.2.4);
//   - rfc_schemes.go: the rules of single schemes; rfc_registry.go: the registered ones;
//   - rfc_urn.go, rfc_mailto.go, rfc_tel.go, rfc_geo.go, rfc_check.go and
//     dataurl.go: schemes with a grammar of their own;
//   - rfc_find.go: URIs in running text (appendix C).
//
// # The web profile, file by file
//
//   - web_url.go: a [URL] and its parts; web.go: the parser, state by state (URL
//     Standard 4.4), with web_strip.go, web_scheme.go, web_authority.go, web_path.go
//     and web_file.go;
//   - web_host.go and web_ip.go: hosts (3.5); package idna converts internationalized
//     ones;
//   - web_encode.go: the percent-encode sets (1.3), with octet.go and
//     web_normalize.go; web_charset.go and web_charset_*.go: queries in the charset of
//     a page;
//   - web_repairs.go: what the parser reports; web_userinfo.go: misleading user names;
//   - web_base.go: references on a page; web_fast.go: the fast path for ordinary ones;
//   - web_explain.go: the parser's work as single steps;
//   - key.go, printed.go and redact.go: comparing, displaying and hiding; domain.go:
//     registrable domains and loopback hosts;
//   - retarget.go: the reverse of resolution, from a new target to a reference.
//
// # Where the standards leave room
//
// All test cases of the standards are covered. Where the standards allow more than
// one reading, the rfc profile makes these choices:
//
//   - a path that begins with "//" without an authority gets the prefix "/.", in
//     resolution and in the normal form, as recomposition would turn it into an
//     authority (3.3 forbids such a path, 5.3 does not prevent it);
//   - a relative reference keeps its dot segments in the normal form, as 6.2 compares
//     URIs and the meaning of the dots depends on the base;
//   - the rootless paths of data: and javascript: keep their dot segments as well:
//     they are content, and treating different content as equal would be wrong (6.1);
//   - nothing in a URN is decoded on any rung (RFC 8141 3.1), and it has no dot
//     segments; this includes invalid URNs;
//   - an explicit port 389 of an ldap URI is kept, see rfcSchemeRules;
//   - "(" and "%28" differ (RFC 9110 4.2.3); [EqualHTTP1] is the older rule of RFC
//     2616;
//   - [CheckSyntax] accepts what all programs understand: a local tel: number without
//     phone-context, sms: without a recipient, a query after geo:, and characters in
//     the header fields of mailto: that RFC 6068 wants encoded.
package urinorm
