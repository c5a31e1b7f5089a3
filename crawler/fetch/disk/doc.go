// Package disk answers requests from the directories and files of this machine.
//
//	site, err := disk.OpenSite(disk.SiteConfig{Dir: "public", Base: base})
//	if err != nil {
//		return err
//	}
//	defer site.Close()
//	start, err := site.URLOf("index.html") // the URL of a file, to start a crawl from
//
// [OpenSite] opens a directory as a [Site]: the website as which it is, or will be,
// published. [Site.Fetch] answers for the URLs below the site's base as a static host
// of a [HostStyle] would, and never leaves the directory. [Site.Walk] and [Site.URLOf]
// return the URLs of its files. [Files] answers file: URLs from the whole disk.
// [FileURL] and [FilePath] convert between file: URLs and paths.
//
//	Site    site.go        from a URL to the answer
//	        locate.go      from a path to the file, by the rules of the style (hoststyle.go)
//	        generator.go   pages that a site generator will create from a document
//	        project.go     what a generator takes the links of its sources for; docusaurus.go
//	        sphinx.go      what the sources of Sphinx refer to by a name
//	        publisher.go   the program that publishes a document
//	        codehost.go    what a code host takes the links of a repository for
//	        netlify.go     the rules of a _redirects file; redirectrules.go finds them
//	        names.go       files by their names alone
//	        around.go      the directory in which links go on that lead above this one
//	        walk.go        all files of the directory but those that are ignored (leftout.go);
//	                       siblings.go: those next to a URL
//	Files   files.go
//	both    preprocess.go  commands that convert files before they are read
//	        listing.go     the names in directories, compared byte by byte
//	        opendirs_*.go  directories that stay open
//	        fault.go       the [fetch.Fault] for each file system error
//	git     ignore.go      what a walk leaves out, and .ignore files
//	        gitignore.go   the work tree: the files with patterns, and their order
//	        gitpattern.go  one line with a pattern; gitwildcard.go: its wildcards
//	        gitrepository.go  .git: directories, configuration, the names in the index
//
// An [Ignore] answers what `git check-ignore` would: by the .gitignore files of the work
// tree, .git/info/exclude and core.excludesFile (gitignore(5)), and by the index, because git
// never ignores what it tracks; .ignore files come before all that. It runs no git and writes nothing.
package disk
