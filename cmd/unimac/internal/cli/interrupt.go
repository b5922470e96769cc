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

// endings describes what to do when a signal would end the program.
var endings struct {
	sync.Mutex
	cleanUps map[*func()]bool // called before the program ends
	instead  func()           // called instead of ending the program, if not nil
}

// catchEndings starts handling endingSignals. Ignored signals stay ignored, such as
// SIGHUP under nohup.
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

// withCleanUp calls begin, which returns a cleanUp function. If a signal later ends the
// program, cleanUp runs first. Calling stop cancels this. If cleanUp is already
// running, stop never returns, so that the caller does not report errors that cleanUp
// caused.
func withCleanUp(begin func() (cleanUp func(), err error)) (stop func(), err error) {
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

// SignalContext makes signals cancel ctx instead of ending the program. Calling stop
// cancels ctx and restores the usual behavior, in which signals end the program.
func SignalContext() (ctx context.Context, stop func()) {
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

// endBy ends the program with the default action for s, so that the shell knows that a
// signal killed it. For quitSignal it just exits, because the default action would dump
// core or print every goroutine's stack, and a core dump could contain secrets.
func endBy(s os.Signal) {
	if s == quitSignal {
		os.Exit(128 + 3) // the status reported by shells after SIGQUIT
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // wait for the signal
	}
	os.Exit(ExitFailed)
}
