package traffic

// SharedCookie is what other processes are told of a cookie: what identifies it, and the value that
// fetch.HTTP.LearnCookie reads.
type SharedCookie struct {
	Name  string
	Value []byte
}
