// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"context"
	"os"
	"os/signal"
)

// endingCatcher catches the signals that end the program.
type endingCatcher chan os.Signal

// catchEndingSignals begins to catch them, those apart that are ignored, as by
// nohup. None is lost before call.
func catchEndingSignals() endingCatcher {
	c := make(endingCatcher, 1)
	for _, s := range endingSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// UntilEnded returns a context that is done when a signal comes that ends the
// program, those apart that are ignored.
func UntilEnded() (ctx context.Context, stop func()) {
	var wanted []os.Signal
	for _, s := range endingSignals {
		if !signal.Ignored(s) {
			wanted = append(wanted, s)
		}
	}
	if len(wanted) == 0 { // NotifyContext takes that for all signals
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), wanted...)
}

// release lets them end the program again. One that was caught does.
func (c endingCatcher) release() {
	signal.Stop(c)
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

// endBy ends the program as the signal does where it is not caught, so that a
// shell sees why.
func endBy(s os.Signal) {
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		select {} // until it arrives
	}
	os.Exit(ExitFailed)
}
