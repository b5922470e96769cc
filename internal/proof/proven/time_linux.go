// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proven

import (
	"runtime"
	"syscall"
	"time"
)

func processorTime(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime()
	f()
	return threadTime() - begin
}

func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
