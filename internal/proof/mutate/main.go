// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Mutate shows that the proofs are awake: it changes one instruction of a kernel at a
// time, and demands that the proof fails. Each instruction is dropped, and changed in
// as many other ways as -changes says. Those for which the proof still holds must be
// in survivors.txt, with the reason why they compute the same.
//
//	go run ./internal/proof/mutate -sample 200   # so many changes at random, with the seed printed, of
//	                                             # the kernels of which all were tried before, or
//	                                             # of those that -kernel names
//	go run ./internal/proof/mutate               # every instruction of every kernel
//	go run ./internal/proof/mutate -kernel "multimixer sumAVX2" -write
//
// -kernel takes the names that the table in internal/proof/PROVEN.md has.
//
// With -write, survivors.txt is written anew, with the reasons that it has. With -sample, too, it is
// the statements alone that are noted as those under which the changes are caught: that is for a
// statement that was written in another way and says as much as before.
package main

import (
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
)

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "how many changes to try, at random; 0 for all instructions")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "for the random choice")
	flag.IntVar(&o.changes, "changes", 1, "how many changes of an instruction to try besides dropping it")
	flag.StringVar(&o.kernel, "kernel", "", "the kernels to try, by their names in PROVEN.md's table, with commas between; all if empty")
	flag.BoolVar(&o.write, "write", false, "write survivors.txt")
	flag.Parse()
	debug.SetGCPercent(400) // as terms are kept while a kernel is tried
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

// run tries changes and compares those that survive with the list.
func run(o *options, out io.Writer) error {
	if o.changes < 0 || o.write && o.changes == 0 {
		return errors.New("-write is for instructions that are changed, not dropped alone")
	}
	fmt.Fprintf(out, "seed %d\n", o.seed)
	listed, err := readSurvivors()
	if err != nil {
		return err
	}
	subjects, err := o.subjects(listed)
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

// sum says what came of all changes: an error if some survive that are not listed, unless they are now.
func (o *options) sum(subjects []*subject, listed record, out io.Writer) (failed error) {
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

// record writes what was found for a kernel. The list is read again, as people may have written reasons since.
func (o *options) record(s *subject) error {
	r, err := readSurvivors()
	if err != nil {
		return err
	}
	compared, err := s.kernel.Compared(s.file, s.fn)
	if err != nil {
		return err
	}
	o.note(r, s, compared)
	if err := r.write(); err != nil {
		return err
	}
	return r.writeCell(s.kernel.Name())
}

// note sets what a record says of a kernel; of a sample the statement alone. Reasons stay, and changes that were
// not tried and can be.
func (o *options) note(r record, s *subject, compared string) {
	kernel := s.kernel.Name()
	if o.sample > 0 {
		r[tally(kernel)][2], r[tally(kernel)][3] = s.kernel.Digest(), compared
		return
	}
	old, kept := maps.Clone(r), map[string]bool{}
	for i := range s.fn.Code {
		all := mutants(s.fn, i)
		for _, m := range all[min(o.changes+1, len(all)):] {
			kept[s.name(m)] = true
		}
	}
	maps.DeleteFunc(r, func(name string, _ []string) bool {
		return strings.HasPrefix(name, kernel+" ") && !kept[name]
	})
	for _, name := range s.live {
		if r[name] = old[name]; r[name] == nil {
			r[name] = []string{unexplained}
		}
	}
	r[tally(kernel)] = []string{strconv.Itoa(s.caught), s.file.Digest(s.fn), s.kernel.Digest(), compared}
}

// named returns the kernels with the names in a list, or all if it is empty.
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

// subjects returns the changes to try, by kernels: the largest first, so that none is left for one processor alone.
func (o *options) subjects(listed record) (list []*subject, err error) {
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
		old := listed[tally(k.Name())]
		if o.sample > 0 && o.kernel == "" && old == nil {
			continue
		}
		s := &subject{kernel: k}
		if s.file, s.fn, err = k.Read("."); err != nil {
			return nil, err
		}
		if o.sample > 0 && o.write && (o.kernel == "" || old == nil || old[1] != s.file.Digest(s.fn)) {
			return nil, fmt.Errorf("-sample with -write is for kernels that -kernel names, of which all changes were tried before; not for %s", k.Name())
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
