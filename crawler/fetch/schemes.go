package fetch

// Fetchers returns a Fetcher for each scheme.
func (d *OtherSchemes) Fetchers() Mux {
	m := make(Mux)
	for _, row := range []schemeFetcher{
		{scheme: "ftp", port: 21, fetch: fetchFTP},
		{scheme: "ftps", port: 990, secure: true, fetch: fetchFTP},
		{scheme: "gopher", port: 70, fetch: fetchGopher},
		{scheme: "news", port: 119, fetch: fetchNews},
		{scheme: "nntp", port: 119, fetch: fetchNews},
		{scheme: "snews", port: 563, secure: true, fetch: fetchNews},
		{scheme: "telnet", port: 23, fetch: fetchTelnet},
		{scheme: "ldap", port: 389, fetch: fetchLDAP},
		{scheme: "ldaps", port: 636, secure: true, fetch: fetchLDAP},
		{scheme: "dict", port: 2628, fetch: fetchDict},
		{scheme: "finger", port: 79, fetch: fetchFinger},
		{scheme: "dns", port: 53, fetch: fetchDNS},
	} {
		row.OtherSchemes = d
		m[row.scheme] = &row
	}
	m["ws"], m["wss"] = &webSocket{d.web}, &webSocket{d.web}
	return m
}
