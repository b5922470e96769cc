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

// endings are what signals do that would end the program at once.
var endings struct {
	sync.Mutex
	cleanUps map[*func()]bool // what comes before the end
	instead  func()           // what comes in place of it, or nil
}

// catchEndings begins to catch these signals, those apart that are ignored, as by nohup.
func catchEndings() {
	if runtime.GOARCH == "wasm" { // there are no signals, and signal.Ignored panics
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

// guarded calls begin, and what that returns when a signal ends the program, until stop. No
// signal ends it meanwhile. Where cleaning up has begun, stop does not return, so that nobody
// takes its traces for another error.
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

// UntilEnded returns a context that is done when a signal comes that would end the program.
// None does until stop.
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

// endBy ends the program as the signal does where it is not caught, so that a
// shell sees why. That for quitting would have Go print what all goroutines do, or
// the system write down the memory, with secrets in it: it ends the program by the
// status that a shell gives to that.
func endBy(s os.Signal) {
	if s == quitSignal {
		os.Exit(exitQuit)
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // until it arrives
	}
	os.Exit(ExitFailed)
}

// exitQuit is the status of a program that was quit.
const exitQuit = 128 + 3
