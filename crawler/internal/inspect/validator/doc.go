// Package validator checks pages and style sheets with programs that know more of HTML and
// CSS than this one: the Nu HTML Checker, asked as a service, and tidy, run once for each page.
//
// A [Service] is the Nu HTML Checker. [Connect] uses one that runs already, [Launch] starts
// java with vnu.jar for this process. Both send documents only, decoded to UTF-8: no address,
// no header of the page, no cookie. At most four documents are with the service at a time, and
// documents with equal text are sent once. A document that fails three times is either one
// that the service cannot check, which its finding says, or the service is gone: then [Service.Check]
// returns [ErrLost] from there on.
//
// [Tidy] is the program tidy.
//
// What both say is limited in size, number and time, and is text for a person: no part of an
// answer is used as an address or as a command.
package validator
