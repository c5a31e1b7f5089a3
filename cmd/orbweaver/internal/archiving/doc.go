// Package archiving has copies of pages made by an archive, as the Save Page Now service of the
// Wayback Machine makes them, and keeps a log of what was submitted.
//
//	log, err := archiving.OpenLog("orbweaver-archived.jsonl")
//	...
//	defer log.Close()
//	run := service.Begin([]string{"https://example.org/"}, log)
//	for r, more := run.Next(ctx); more; r, more = run.Next(ctx) {
//		fmt.Println(r.State, r.URL, r.Text)
//	}
//	err = run.Err() // why the service could not be used
//
// One request is in flight at a time. The log is the state: that a URL is submitted is written
// and synced before the request is sent, so that a run that is killed repeats one request at
// most.
//
//	service.go  Service: one request, and what its answer says
//	run.go      Run: which request is next, and when; retries and pauses
//	log.go      Log and its entries
package archiving
