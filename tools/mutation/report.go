package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report counts what became of the mutants, by package and by kind.
func report(out io.Writer, mutants []Mutant, outcomes []outcome) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	columns := func(by string, key func(Mutant) string) {
		fmt.Fprintf(table, "%s\tmutants\tcaught\tby a timeout\tsurvived\ttests do not compile\n", by)
		counts := map[string]*[unbuilt + 1]int{}
		var keys []string
		total := new([unbuilt + 1]int)
		for i, m := range mutants {
			k := key(m)
			if counts[k] == nil {
				counts[k] = new([unbuilt + 1]int)
				keys = append(keys, k)
			}
			counts[k][outcomes[i]]++
			total[outcomes[i]]++
		}
		row := func(name string, n *[unbuilt + 1]int) {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\n", name, n[caught]+n[hung]+n[survived], n[caught]+n[hung], n[hung], n[survived], n[unbuilt])
		}
		for _, k := range keys {
			row(k, counts[k])
		}
		row("all", total)
		fmt.Fprintln(table)
	}
	columns("package", func(m Mutant) string { return m.File.Package.Dir })
	columns("kind", func(m Mutant) string { return m.change.kind })
}
