package traffic

// Identity is everything besides URL and method that may change the answer to a
// request. A cached answer is valid only for requests with the same identity.
type Identity struct {
	// Open may be stored as it is.
	Open string
	// Secret contains passwords, and headers that may contain passwords, and must not
	// be stored. It is empty if the request has none, and equal for all URLs of a host.
	Secret string
	// Cookies are the user's cookies. They must not be stored either, but unlike
	// passwords they are random, so that they cannot be guessed from a hash.
	Cookies string
}
