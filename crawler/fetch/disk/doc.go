// Package disk answers requests from directories and files of this machine.
//
// [OpenSite] opens a directory as a [Site]: the web site that it is, or will be,
// published as. [Site.Fetch] answers for the URLs below its base as a static host
// of a [HostStyle] would, and never leaves the directory; [Site.Walk] and
// [Site.URLOf] give the URLs of its files. [Files] answers file: URLs from the whole
// disk; [FileURL] and [FilePath] translate between them and paths.
//
//	Site    site.go        from a URL to the answer
//	        locate.go      from a path to the file, by the style's rules (hoststyle.go)
//	        generator.go   pages that a site generator will make of a document
//	        netlify.go     the rules of a _redirects file; redirectrules.go finds them
//	        walk.go        all files of the directory; beside.go, those of one URL's
//	Files   files.go
//	both    listing.go     the names of directories, compared byte for byte
//	        folders_*.go   directories that are held open
//	        fault.go       which error of the file system is which [fetch.Fault]
package disk
