package fetch

// Servers for TestReplayed, which is outside of this package: what keeps answers imports it.
var (
	FTPServer       = pyftpd
	FTPTree         = ftpTree
	DirectoryServer = slapd
	NameServer      = dnsmasq
	MailServer      = aiosmtpd
	ServeSockets    = serveSockets

	ServerCertificate = serverCertificate
)
