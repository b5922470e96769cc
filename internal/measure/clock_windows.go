// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package measure

import (
	"math/bits"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32  = windows.NewLazySystemDLL("kernel32.dll")
	counter   = kernel32.NewProc("QueryPerformanceCounter")
	frequency = kernel32.NewProc("QueryPerformanceFrequency")
)

// clock returns the time elapsed since some arbitrary instant. It uses
// QueryPerformanceCounter because time.Now may advance only every few milliseconds on
// Windows. Errors are ignored, because these calls do not fail on Windows XP and later.
func clock() time.Duration {
	var ticks, perSecond uint64
	counter.Call(uintptr(unsafe.Pointer(&ticks)))
	frequency.Call(uintptr(unsafe.Pointer(&perSecond)))
	hi, lo := bits.Mul64(ticks, uint64(time.Second))
	nanoseconds, _ := bits.Div64(hi, lo, perSecond)
	return time.Duration(nanoseconds)
}
