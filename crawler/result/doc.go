// Package result declares what a run tells its caller: a [Sink] receives a [Result] for each
// target and a [Page] for each document, and the run returns a [Summary].
//
//	sink := result.Func(func(r *result.Result) error {
//		for _, place := range r.References {
//			fmt.Println(place.Page, place.Line, r.Verdict, r.URL, r.Message)
//		}
//		return nil
//	})
//
// [Soundness] is the one answer to the question how far the result of a run can be relied
// on. It is computed once, when verdicts are given. Exit status, reports, badges and the web
// interface are functions of it.
//
// A run that lists every link has millions of references. [Sorted] and [Pages] keep results
// and pages in order, beyond a few megabytes in a temporary file:
//
//	kept := result.Sorted[*result.Result]{Order: byURL{}}
//	defer kept.Close()
//	kept.Add(r)
//	err := kept.Each(func(r *result.Result) error { … })
//
// A [Spool] gathers records by what they belong to, such as the references of each target.
package result
