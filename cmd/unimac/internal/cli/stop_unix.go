// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// onStop calls before when the program is to stop, as by Ctrl-Z, and what that
// returns when it goes on, until the end.
func onStop(before func() (resume func())) (end func()) {
	if signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	c, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(c, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-c:
				resume := before()
				goOn := make(chan os.Signal, 1)
				signal.Notify(goOn, syscall.SIGCONT)
				syscall.Kill(os.Getpid(), syscall.SIGSTOP) // may return before it stops
				<-goOn
				signal.Stop(goOn)
				resume()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
}
