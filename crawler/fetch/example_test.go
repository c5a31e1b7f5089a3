package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Send one request. A redirect is an answer like any other, and a server that cannot be reached
// is a Fault.
func ExampleHTTP_Fetch() {
	server := httptest.NewServer(http.RedirectHandler("/new", http.StatusMovedPermanently))
	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	u, _, err := urinorm.ParseWeb(server.URL + "/old")
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Fetch(context.Background(), &fetch.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, resp.Header.Get("Location"))

	server.Close()
	_, err = client.Fetch(context.Background(), &fetch.Request{URL: u})
	if fault, ok := errors.AsType[*fetch.Fault](err); ok {
		fmt.Println(fault.Kind)
	}
	// Output:
	// 301 /new
	// connect-refused
}
