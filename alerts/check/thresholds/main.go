// Command thresholds writes the part of the diagnosis that the alert rules decide: after how long an alert fires, how
// severe it is, and which numbers it compares with. So they stand in alerts/rules.yml alone.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	rules := flag.String("rules", "../rules.yml", "the alert rules")
	out := flag.String("out", "../../internal/diagnosis/thresholds.go", "the Go file to write")
	flag.Parse()
	text, err := generate(*rules)
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
