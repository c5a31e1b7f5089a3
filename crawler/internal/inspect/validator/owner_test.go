package validator

import (
	"context"
	"fmt"
	"os"
)

// ownJava is a process that starts a service and is killed.
func ownJava() {
	if _, err := startJava(context.Background(), os.Getenv("TEST_JAVA"), "vnu.jar"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("started")
	select {}
}
