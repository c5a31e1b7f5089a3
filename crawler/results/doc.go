// Package results keeps many results in order. A run that lists every link has millions of
// references, so results beyond a few megabytes are written to a temporary file as sorted
// runs, which are merged when the results are read.
//
//	kept := &results.Sorted{Compare: byURL}
//	defer kept.Close()
//	kept.Add(result)
//	err := kept.Each(func(r *result.Result) error { … })
//
// [Pages] does the same for pages, and [File] is the temporary file of both.
package results
