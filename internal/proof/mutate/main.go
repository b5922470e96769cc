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
	flag.IntVar(&o.changes, "changes", 1, "how many changes of an instruction to try besides dropping it")
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
	sample, changes int
	seed            uint64
	kernel          string
	write           bool
}

func run(o *options, out io.Writer) error {
	if o.changes < 0 || o.write && o.changes == 0 {
		return errors.New("-write is for instructions that are changed, not dropped alone")
	}
	fmt.Fprintf(out, "seed %d\n", o.seed)
	listed, err := readSurvivors()
	if err != nil {
		return err
	}
	rows, err := table.Read(".")
	if err != nil {
		return err
	}
	subjects, err := o.subjects(rows)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan *subject)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := range work {
				begin := time.Now()
				err := s.try()
				mu.Lock()
				if err == nil && o.write && (o.sample == 0 || len(s.unlisted(listed)) == 0) {
					err = o.record(s)
				}
				if err != nil {
					s.failed = fmt.Errorf("%s: %w", s.kernel.Name(), err)
					fmt.Fprintln(out, s.failed)
				} else if o.sample == 0 {
					fmt.Fprintf(out, "%s: %d caught, %d survive, %.0f s\n", s.kernel.Name(), s.caught, len(s.live), time.Since(begin).Seconds())
				}
				mu.Unlock()
			}
		})
	}
	for _, s := range subjects {
		work <- s
	}
	close(work)
	wg.Wait()
	return o.sum(subjects, listed, out)
}

// sum prints the counts and rejects unlisted survivors unless -write adds them.
func (o *options) sum(subjects []*subject, listed reasons, out io.Writer) (failed error) {
	caught, live := 0, 0
	var unlisted []string
	for _, s := range subjects {
		caught, live = caught+s.caught, live+len(s.live)
		unlisted, failed = append(unlisted, s.unlisted(listed)...), errors.Join(failed, s.failed)
	}
	fmt.Fprintf(out, "%d changes caught, %d survive\n", caught, live)
	if len(unlisted) > 0 && (o.sample > 0 || !o.write) {
		failed = errors.Join(failed, errors.New("these survive and are not listed:\n"+strings.Join(unlisted, "\n")))
	}
	return failed
}

// record rereads survivors.txt and PROVEN.md and updates them.
func (o *options) record(s *subject) error {
	r, err := readSurvivors()
	if err != nil {
		return err
	}
	t, err := table.Read(".")
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

// note updates s's count and survivors, and keeps reasons and untried entries.
func (o *options) note(r reasons, row *table.Row, s *subject) {
	if o.sample > 0 {
		row.Mutants = strings.TrimSuffix(row.Mutants, table.EarlierStatement)
		return
	}
	kernel, old, kept := s.kernel.Name(), maps.Clone(r), map[string]bool{}
	for i := range s.fn.Code {
		all := mutants(s.fn, i)
		for _, m := range all[min(o.changes+1, len(all)):] {
			kept[s.name(m)] = true
		}
	}
	maps.DeleteFunc(r, func(name, _ string) bool {
		return strings.HasPrefix(name, kernel+" ") && !kept[name]
	})
	for _, name := range s.live {
		r[name] = cmp.Or(old[name], unexplained)
	}
	row.Mutants = strconv.Itoa(s.caught) + r.survive(kernel)
}

func named(list string) (kernels []*engine.Kernel, err error) {
	names := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		names[strings.TrimSpace(name)] = true
	}
	for i := range proof.Kernels {
		if k := &proof.Kernels[i]; list == "" || names[k.Name()] {
			kernels = append(kernels, k)
			delete(names, k.Name())
		}
	}
	if list != "" && len(names) > 0 {
		return nil, fmt.Errorf("no kernel is named %q; names are as in internal/proof/PROVEN.md, such as %q",
			slices.Collect(maps.Keys(names)), "multimixer sumAVX2")
	}
	return kernels, nil
}

// subjects returns the kernels with their changes, largest first to balance the load.
func (o *options) subjects(rows *table.Table) (list []*subject, err error) {
	type choice struct {
		s *subject
		m Mutant
	}
	kernels, err := named(o.kernel)
	if err != nil {
		return nil, err
	}
	var all []choice
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
			for _, m := range changes[:min(o.changes+1, len(changes))] {
				all = append(all, choice{s, m})
			}
		}
		list = append(list, s)
	}
	if o.sample > 0 {
		r := rand.New(rand.NewPCG(o.seed, 0))
		r.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		all = all[:min(o.sample, len(all))]
	}
	for _, c := range all {
		c.s.mutants = append(c.s.mutants, c.m)
	}
	slices.SortStableFunc(list, func(a, b *subject) int { return len(b.mutants) - len(a.mutants) })
	return list, nil
}
