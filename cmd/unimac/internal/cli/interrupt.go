// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
)

// endingCatcher catches the signals that end the program.
type endingCatcher chan os.Signal

// catchEndingSignals begins to catch them, those apart that are ignored, as by
// nohup. None is lost before call.
func catchEndingSignals() endingCatcher {
	c := make(endingCatcher, 1)
	catchers.Add(1)
	for _, s := range endingSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// UntilEnded returns a context that is done when a signal comes that ends the
// program, those apart that are ignored.
func UntilEnded() (context.Context, func()) {
	var wanted []os.Signal
	for _, s := range endingSignals {
		if !signal.Ignored(s) {
			wanted = append(wanted, s)
		}
	}
	if len(wanted) == 0 { // NotifyContext takes that for all signals
		return context.WithCancel(context.Background())
	}
	catchers.Add(1)
	ctx, stop := signal.NotifyContext(context.Background(), wanted...)
	return ctx, sync.OnceFunc(func() {
		stop()
		catchers.Add(-1)
	})
}

// release lets them end the program again. One that was caught does.
func (c endingCatcher) release() {
	signal.Stop(c)
	catchers.Add(-1)
	select {
	case s := <-c:
		endBy(s)
	default:
	}
}

// call calls cleanUp when one comes, and lets it end the program then. After stop
// it does not; where cleanUp has begun by then, stop does not return, so that
// nobody takes its traces for another error.
func (c endingCatcher) call(cleanUp func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case s := <-c:
			cleanUp()
			signal.Stop(c)
			endBy(s)
		case <-done:
			c.release()
		}
	}()
	return func() { done <- struct{}{} }
}

// catchers counts those that catch signals.
var catchers atomic.Int32

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

// quitQuietly has the signal for quitting end the program by endBy, also where
// nothing has to be cleaned up.
func quitQuietly() {
	if quitSignal == nil || signal.Ignored(quitSignal) {
		return
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, quitSignal)
	go func() {
		for s := range c {
			if catchers.Load() == 0 { // else they end it
				endBy(s)
			}
		}
	}()
}
