// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"sync"
)

// endings holds the reaction to signals that would otherwise end the program.
var endings struct {
	sync.Mutex
	cleanUps map[*func()]bool // called before the program ends
	instead  func()           // called instead of ending the program, if not nil
}

// catchEndings starts handling endingSignals. It does not catch signals that are
// ignored, for example under nohup.
func catchEndings() {
	if runtime.GOARCH == "wasm" { // wasm has no signals, and signal.Ignored panics
		return
	}
	c := make(chan os.Signal, 1)
	for _, s := range endingSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	go func() {
		for s := range c {
			endings.Lock()
			if endings.instead == nil {
				for cleanUp := range endings.cleanUps {
					(*cleanUp)()
				}
				endBy(s)
			}
			endings.instead()
			endings.Unlock()
		}
	}()
}

// guarded calls begin, which returns a cleanUp function. If a signal ends the program
// before stop is called, cleanUp runs first. While begin runs, handling of signals is
// delayed. If cleaning up has already started, stop blocks until the program ends, so
// that the caller does not report errors caused by the cleanup.
func guarded(begin func() (cleanUp func(), err error)) (stop func(), err error) {
	endings.Lock()
	defer endings.Unlock()
	cleanUp, err := begin()
	if err != nil {
		return nil, err
	}
	if endings.cleanUps == nil {
		endings.cleanUps = make(map[*func()]bool)
	}
	endings.cleanUps[&cleanUp] = true
	return func() {
		endings.Lock()
		defer endings.Unlock()
		delete(endings.cleanUps, &cleanUp)
	}, nil
}

// UntilEnded returns a context. Until stop is called, a signal that would otherwise end
// the program cancels the context instead.
func UntilEnded() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	set := func(instead func()) {
		endings.Lock()
		defer endings.Unlock()
		endings.instead = instead
	}
	set(cancel)
	return ctx, func() {
		cancel()
		set(nil)
	}
}

// endBy ends the program by the default action of signal s, so that a shell can report
// the signal. For the quit signal, endBy instead exits with the status that a shell
// would report. By default, the Go runtime would print all goroutines, or the system
// would write the memory, including secrets, to a core file.
func endBy(s os.Signal) {
	if s == quitSignal {
		os.Exit(exitQuit)
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // wait for the signal
	}
	os.Exit(ExitFailed)
}

// exitQuit is the status that a shell reports for a program ended by the quit signal.
const exitQuit = 128 + 3
