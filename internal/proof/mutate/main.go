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
	"path/filepath"
	"runtime"
	"slices"
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
	flag.StringVar(&o.root, "root", ".", "the module's root")
	flag.BoolVar(&o.listed, "listed", false, "try those in survivors.txt alone")
	flag.BoolVar(&o.write, "write", false, "write survivors.txt")
	flag.Parse()
	if err := run(&o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	sample, changes int
	seed            uint64
	kernel, root    string
	write, listed   bool
}

const listFile = "internal/proof/mutate/survivors.txt"

// run tries changes and compares those that survive with the list.
func run(o *options, out io.Writer) error {
	if o.write && o.changes < 1 {
		return errors.New("-write is for instructions that are changed, not dropped alone")
	}
	fmt.Fprintf(out, "seed %d\n", o.seed)
	listed, err := readSurvivors(filepath.Join(o.root, listFile))
	if err != nil {
		return err
	}
	subjects, err := o.subjects(listed)
	if err != nil {
		return err
	}
	survivors := map[survivor]string{}
	total := 0
	var failed error
	var mu sync.Mutex
	work := make(chan *subject)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := range work {
				begin := time.Now()
				live, n, err := s.try()
				mu.Lock()
				failed = errors.Join(failed, err)
				total += n
				for _, m := range live {
					survivors[s.name(m)] = listed.reasons[s.name(m)]
				}
				if o.sample == 0 {
					if err == nil && o.write {
						failed = errors.Join(failed, o.record(s, n, live))
					}
					fmt.Fprintf(out, "%s: %d caught, %d survive, %.0f s\n", s.kernel.Name(), n, len(live), time.Since(begin).Seconds())
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
	if failed != nil {
		return failed
	}
	fmt.Fprintf(out, "%d changes caught, %d survive\n", total, len(survivors))
	if o.write && o.sample == 0 {
		return nil
	}
	var unknown []string
	for s, reason := range survivors {
		if reason == "" {
			unknown = append(unknown, s.String())
		}
	}
	if len(unknown) > 0 {
		return errors.New("these survive and are not listed:\n" + strings.Join(unknown, "\n"))
	}
	if o.write {
		for _, s := range subjects {
			failed = errors.Join(failed, o.record(s, 0, nil))
		}
	}
	return failed
}

// record writes what was found for a kernel; of a sample the statement alone, if the kernel is what it was
// when all changes were tried.
func (o *options) record(s *subject, caught int, live []Mutant) error {
	name := filepath.Join(o.root, listFile)
	listed, err := readSurvivors(name)
	if err != nil {
		return err
	}
	kernel := s.kernel.Name()
	old, whole := listed.tried[kernel]
	t := tally{caught, s.file.Digest(s.fn), s.kernel.Digest()}
	switch {
	case o.sample > 0 && (!whole || old.digest != t.digest || o.kernel == ""):
		return fmt.Errorf("-sample with -write is for kernels that -kernel names, of which all changes were tried before; not for %s", kernel)
	case o.sample > 0:
		t.caught = old.caught
	case o.listed: // the others were tried before
		t = tally{old.caught + caught, old.digest, old.statement}
	}
	listed.tried[kernel] = t
	if o.sample == 0 {
		listed.replace(s, live)
	}
	return writeSurvivors(name, listed)
}

// replace sets what a kernel's lines say.
func (r *record) replace(s *subject, live []Mutant) {
	tried, reasons := map[survivor]bool{}, maps.Clone(r.reasons)
	for _, m := range s.mutants {
		tried[s.name(m)] = true
	}
	maps.DeleteFunc(r.reasons, func(old survivor, _ string) bool {
		gone := old.index >= len(s.fn.Code) || s.fn.Code[old.index].String() != old.instruction
		return old.kernel == s.kernel.Name() && (gone || tried[old])
	})
	for _, m := range live {
		r.reasons[s.name(m)] = reasons[s.name(m)]
	}
}

// named returns the kernels with the names in a list, or all if it is empty.
func named(list string) (kernels []*engine.Kernel, err error) {
	if list == "" {
		for i := range proof.Kernels {
			kernels = append(kernels, &proof.Kernels[i])
		}
		return kernels, nil
	}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(proof.Kernels, func(k engine.Kernel) bool { return k.Name() == name })
		if i < 0 {
			return nil, fmt.Errorf("no kernel is named %q; names are as in internal/proof/PROVEN.md, such as %q", name, "multimixer sumAVX2")
		}
		kernels = append(kernels, &proof.Kernels[i])
	}
	return kernels, nil
}

// subjects returns the changes to try, by kernels.
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
		_, whole := listed.tried[k.Name()]
		if o.sample > 0 && o.kernel == "" && !whole {
			continue
		}
		s := &subject{kernel: k}
		if s.file, s.fn, err = k.Read(o.root); err != nil {
			return nil, err
		}
		for i := range s.fn.Code {
			for j, m := range mutants(s.fn, i, rand.New(rand.NewPCG(hash(s.fn.Code[i].String()), uint64(i)))) {
				if _, ok := listed.reasons[s.name(m)]; o.listed && !ok {
					continue
				}
				if j <= o.changes {
					all = append(all, choice{s, m})
				}
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
	return list, nil
}
