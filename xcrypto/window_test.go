// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
)

// linkReport is the output of testdata/link.
type linkReport struct {
	BytesPerSecond   float64
	UnderWay, Memory int64
}

// buildLink builds testdata/link with the original x/crypto and with a copy.
func buildLink(tb testing.TB, o Options) (plain, copied string) {
	tb.Helper()
	repository := gocommand.Repository(tb)
	dir := gocommand.NewModule(tb, gocommand.Requirements(tb)...)
	gocommand.CopyFile(tb, "main.go", filepath.Join(repository, "xcrypto", "testdata", "link", "main.go"))
	plain, copied = filepath.Join(dir, "plain.exe"), filepath.Join(dir, "copied.exe")
	gocommand.Run(tb, dir, "build", "-ldflags=-s -w", "-o", plain, ".")
	gocommand.Small(tb)
	if err := o.Vendor("xcrypto"); err != nil {
		tb.Fatal(err)
	}
	gocommand.Run(tb, dir, "mod", "edit", "-replace="+gocommand.Crypto+"=./xcrypto")
	gocommand.Run(tb, dir, "build", "-ldflags=-s -w", "-o", copied, ".")
	return plain, copied
}

func runLink(tb testing.TB, program string, args ...string) (r linkReport) {
	tb.Helper()
	command := append(mactest.Emulator(tb), program)
	if len(command) > 1 {
		command = append(command, "-still=15s") // a writer may not be scheduled for seconds
	}
	command = append(command, args...)
	if err := json.Unmarshal([]byte(gocommand.Program(tb, ".", nil, command[0], command[1:]...)), &r); err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestWindow checks that a peer can send the window, and no more, before the data is
// read, and that this takes little more memory than the window.
func TestWindow(t *testing.T) {
	gocommand.Need(t)
	const window = 16 << 20
	plain, copied := buildLink(t, Options{SSHWindow: window, SSHBuffer: 64 << 10})
	for program, window := range map[string]int64{plain: 2 << 20, copied: window} {
		r := runLink(t, program, "-delay=1ms", "-size=4194304")
		if r.UnderWay > window || r.UnderWay < window-64<<10 {
			t.Errorf("%s: sent %d bytes without a reader, want about %d", filepath.Base(program), r.UnderWay, window)
		}
		// Allow for the packets' payloads and their buffers.
		if r.Memory > window*5/4+4<<20 {
			t.Errorf("%s: used %d bytes of memory for a window of %d bytes", filepath.Base(program), r.Memory, window)
		}
	}
}

// BenchmarkLink measures one channel over a link with a delay of 50 ms in each
// direction, with x/crypto/ssh and with a copy whose window is 32 MiB. It reports both
// medians and their ratio:
//
//	go test -run - -bench Link -benchtime 3x ./xcrypto
func BenchmarkLink(b *testing.B) {
	compareLink(b, Options{SSHWindow: 32 << 20, SSHBuffer: 64 << 10}, "-size=134217728")
}

// BenchmarkLoopback is like BenchmarkLink for a channel over loopback with
// chacha20-poly1305@openssh.com and copies with different buffer sizes:
//
//	go test -run - -bench Loopback -benchtime 9x ./xcrypto
func BenchmarkLoopback(b *testing.B) {
	for _, size := range []int{0, 64 << 10, 256 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("buffer=%d", size), func(b *testing.B) {
			compareLink(b, Options{SSHBuffer: size}, "-loopback", "-cipher=chacha20-poly1305@openssh.com", "-size=268435456")
		})
	}
}

// compareLink reports the median speeds of x/crypto/ssh and of a copy, and their ratio.
// It alternates between the two.
func compareLink(b *testing.B, o Options, args ...string) {
	plain, copied := buildLink(b, o)
	var speeds [2][]float64
	for b.Loop() {
		for i, program := range []string{plain, copied} {
			speeds[i] = append(speeds[i], runLink(b, program, args...).BytesPerSecond/1e6)
		}
	}
	for i := range speeds {
		slices.Sort(speeds[i])
	}
	median := len(speeds[0]) / 2
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(speeds[0][median], "upstream-MB/s")
	b.ReportMetric(speeds[1][median], "copy-MB/s")
	b.ReportMetric(speeds[1][median]/speeds[0][median], "ratio")
}
