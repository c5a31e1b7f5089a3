package fetch

// Fetchers returns a Fetcher for each scheme.
func (d *Daemons) Fetchers() Mux {
	m := make(Mux)
	for _, row := range []daemon{
		{scheme: "ftp", port: 21, ask: askFTP},
		{scheme: "ftps", port: 990, secure: true, ask: askFTP},
		{scheme: "gopher", port: 70, ask: askGopher},
		{scheme: "news", port: 119, ask: askNews},
		{scheme: "nntp", port: 119, ask: askNews},
		{scheme: "snews", port: 563, secure: true, ask: askNews},
		{scheme: "telnet", port: 23, ask: askTelnet},
		{scheme: "ldap", port: 389, ask: askLDAP},
		{scheme: "ldaps", port: 636, secure: true, ask: askLDAP},
		{scheme: "dict", port: 2628, ask: askDict},
		{scheme: "finger", port: 79, ask: askFinger},
		{scheme: "dns", port: 53, ask: askDNS},
	} {
		row.Daemons = d
		m[row.scheme] = &row
	}
	m["ws"], m["wss"] = &webSocket{d.web}, &webSocket{d.web}
	return m
}
