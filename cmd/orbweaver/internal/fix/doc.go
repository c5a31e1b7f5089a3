// Package fix turns the proposals of a report into edits of local files.
//
// [Make] plans the edits for the results of a report. [Plan.WritePatch] writes them as a
// patch for git apply, and [Plan.Write] edits the files:
//
//	plan, err := fix.Make(fix.Root(dir), dir, saved.Results, fix.Certain, nil)
//	...
//	err = plan.WritePatch(os.Stdout)
//
// [report.Propose] decides what is proposed: the new address of a target that moved
// permanently, and a suggestion that is closer than all others. An edit is made only if
// the reference is still where the run found it. Every other reference is left alone
// and listed in [Plan.LeftOut]. It keeps every other byte of the file.
//
// [CleanNetscape] removes bookmarks from a bookmark file.
package fix
