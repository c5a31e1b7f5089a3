package trap

// copies recognizes a server that has one page for whatever it is asked for, as those of applications
// in a browser do. If the links of that page are relative, each address for it makes up more addresses:
// with one broken link, a real site becomes endless.
//
// Addresses count if the page leads elsewhere from each of them, so that a page of one directory, or
// for people who are not signed in, is none. They must be five times as many as all other pages that
// were read meanwhile: real sites may have a copy of one page in each directory, but have other pages
// there, too. What is kept is at most one hash for each address that counts, of one page.
type copies struct {
	text   uint32              // checksum of the page
	leads  map[uint64]struct{} // hashes of what it leads to, from each address
	others int                 // pages since that are not copies of it
}

// maxCopies is the number of addresses for one page at which a site is cut.
const maxCopies = 200

// add counts a page, with a checksum of its text and a hash of what it leads to, and reports whether there are too
// many copies of it.
func (c *copies) add(text uint32, leads uint64) bool {
	if text != c.text {
		if c.others++; c.others <= len(c.leads)/5 {
			return false
		}
		clear(c.leads)
		*c = copies{text: text, leads: c.leads}
	}
	if c.leads == nil {
		c.leads = map[uint64]struct{}{}
	}
	c.leads[leads] = struct{}{}
	return len(c.leads) >= maxCopies
}
