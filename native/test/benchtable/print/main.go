// Print prints the rows in a file as one table. Benchmarks append the rows.
package main

import (
	"fmt"
	"os"

	"obverse/native/test/benchtable"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: print FILE")
		os.Exit(2)
	}
	if err := benchtable.Print(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
