// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Mutate tests the prover by changing one instruction of a kernel at a time. The proof
// of the changed kernel should fail. If it succeeds, survivors.txt must explain why the
// kernel still computes the same result.
//
//	go run ./internal/proof/mutate -sample 200   # 200 random changes of kernels that were counted before
//	go run ./internal/proof/mutate               # every instruction of every kernel
//	go run ./internal/proof/mutate -kernel "multimixer sumAVX2" -write
//
// With -write, the command updates PROVEN.md and survivors.txt.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/table"
)

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "how many changes to try, at random; 0 for all instructions")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "for the random choice")
	flag.StringVar(&o.kernel, "kernel", "", "the kernels to try, by their names in PROVEN.md's table, with commas between; all if empty")
	flag.BoolVar(&o.write, "write", false, "write survivors.txt and PROVEN.md; with -kernel and -sample, only confirm the counts of a kernel whose statement has changed in wording")
	flag.Parse()
	debug.SetGCPercent(400) // terms stay live while a kernel is tried
	debug.SetMemoryLimit(2 << 30)
	if err := run(&o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	sample int
	seed   uint64
	kernel string
	write  bool
}

// run tries the changes of each kernel, and returns an error for survivors that are not
// listed, unless it lists them.
func run(o *options, out io.Writer) (failed error) {
	fmt.Fprintf(out, "seed %d\n", o.seed)
	listed, rows, err := read()
	if err != nil {
		return err
	}
	subjects, err := o.subjects(rows)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	caught, live := 0, 0
	running := make(chan bool, runtime.GOMAXPROCS(0))
	for _, s := range subjects {
		running <- true
		wg.Go(func() {
			begin := time.Now()
			err := s.try()
			mu.Lock()
			defer mu.Unlock()
			unlisted := slices.DeleteFunc(slices.Clone(s.live), func(name string) bool { return listed[name] != "" })
			switch {
			case err == nil && o.write && (o.sample == 0 || len(unlisted) == 0):
				err = o.record(s)
			case len(unlisted) > 0:
				err = errors.Join(err, errors.New("these survive and are not listed:\n"+strings.Join(unlisted, "\n")))
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", s.kernel.Name(), err)
				failed = errors.Join(failed, err)
				fmt.Fprintln(out, err)
			} else if o.sample == 0 {
				fmt.Fprintf(out, "%s: %d caught, %d survive, %.0f s\n", s.kernel.Name(), s.caught, len(s.live), time.Since(begin).Seconds())
			}
			caught, live = caught+s.caught, live+len(s.live)
			<-running
		})
	}
	wg.Wait()
	fmt.Fprintf(out, "%d changes caught, %d survive\n", caught, live)
	return failed
}

// read reads survivors.txt and PROVEN.md.
func read() (reasons, *table.Table, error) {
	r, err := readSurvivors()
	if err != nil {
		return nil, nil, err
	}
	t, err := table.Read(".")
	return r, t, err
}

// record rereads survivors.txt and PROVEN.md and updates them.
func (o *options) record(s *subject) error {
	r, t, err := read()
	if err != nil {
		return err
	}
	row := t.Find(s.kernel.Name())
	if row == nil {
		return errors.New("the table of proofs has no row yet: write it with the proof's -update")
	}
	if o.note(r, row, s); o.sample == 0 {
		if err := r.write(); err != nil {
			return err
		}
	}
	return t.Write(".", nil)
}

// note updates s's count and survivors, and keeps reasons.
func (o *options) note(r reasons, row *table.Row, s *subject) {
	if o.sample > 0 {
		row.Mutants = strings.TrimSuffix(row.Mutants, table.EarlierStatement)
		return
	}
	kernel, old := s.kernel.Name(), maps.Clone(r)
	maps.DeleteFunc(r, func(name, _ string) bool { return strings.HasPrefix(name, kernel+" ") })
	for _, name := range s.live {
		r[name] = cmp.Or(old[name], unexplained)
	}
	row.Mutants = strconv.Itoa(s.caught) + r.survive(kernel)
}

// named returns the kernels in a list of names, or all kernels if the list is empty.
func named(list string) (kernels []*engine.Kernel, err error) {
	names := strings.Split(strings.ReplaceAll(list, ", ", ","), ",")
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; list == "" || slices.Contains(names, k.Name()) {
			kernels = append(kernels, k)
		}
	}
	if list != "" && len(kernels) != len(names) {
		return nil, fmt.Errorf("not all of %q are different kernels; names are as in internal/proof/PROVEN.md, such as %q", names, "multimixer sumAVX2")
	}
	return kernels, nil
}

// subjects returns the kernels with their changes, largest first to balance the load.
func (o *options) subjects(rows *table.Table) (list []*subject, err error) {
	kernels, err := named(o.kernel)
	if err != nil {
		return nil, err
	}
	count := 0
	for _, k := range kernels {
		row := rows.Find(k.Name())
		tried := row != nil && row.Mutants != table.NotTried
		if o.sample > 0 && o.kernel == "" && !tried {
			continue
		}
		if o.sample > 0 && o.write && (o.kernel == "" || !tried || strings.HasSuffix(row.Mutants, table.EarlierCode)) {
			return nil, fmt.Errorf("-sample with -write is for kernels that -kernel names, of which all changes were tried before; not for %s", k.Name())
		}
		s := &subject{kernel: k}
		if s.file, s.fn, err = k.Read("."); err != nil {
			return nil, err
		}
		for i := range s.fn.Code {
			changes := mutants(s.fn, i)
			s.mutants = append(s.mutants, changes[:min(2, len(changes))]...) // the removal and one other
		}
		list, count = append(list, s), count+len(s.mutants)
	}
	if o.sample > 0 {
		order, i := rand.New(rand.NewPCG(o.seed, 0)).Perm(count), -1
		for _, s := range list {
			s.mutants = slices.DeleteFunc(s.mutants, func(Mutant) bool {
				i++
				return order[i] >= o.sample
			})
		}
	}
	slices.SortStableFunc(list, func(a, b *subject) int { return len(b.mutants) - len(a.mutants) })
	return list, nil
}

const listFile = "internal/proof/mutate/survivors.txt"

const head = `# Changes of one instruction for which the proof still holds, and why they compute the same.
# Written by: go run ./internal/proof/mutate -write; the reasons, after a tab, by people.
`

// reasons gives, for each undetected change, the reason why the change is harmless.
type reasons map[string]string

const unexplained = "?"

func readSurvivors() (reasons, error) {
	data, err := os.ReadFile(listFile)
	r := reasons{}
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if reason == "" || strings.Count(name, " ") < 2 {
			return nil, fmt.Errorf("%s: %q", listFile, line)
		}
		r[name] = reason
	}
	return r, err
}

func (r reasons) write() error {
	var out strings.Builder
	out.WriteString(head)
	inOrder := func(a, b string) int {
		x, y := strings.SplitN(a, " ", 3), strings.SplitN(b, " ", 3)
		return cmp.Or(slices.Compare(x[:2], y[:2]), strings.Index(a, ":")-strings.Index(b, ":"), strings.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(r), inOrder) {
		fmt.Fprintf(&out, "%s\t%s\n", name, r[name])
	}
	return os.WriteFile(listFile, []byte(out.String()), 0o666)
}

func (r reasons) survive(kernel string) string {
	survive := 0
	for name := range r {
		if strings.HasPrefix(name, kernel+" ") {
			survive++
		}
	}
	return fmt.Sprintf(" caught, %d survive", survive)
}
