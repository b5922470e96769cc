// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package clib

// #include "clib.h"
import "C"

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/process"
)

// A Level restricts OpenSSL and intel-ipsec-mb to the instructions of an older processor.
type Level struct {
	Name, Label string
	openSSL     string // value of OPENSSL_ia32cap
	ipsecMB     C.int  // argument of ipsecmb_restrict
}

// Features that the levels disable, as bits in two words of OPENSSL_ia32cap: EDX and
// ECX of CPUID leaf 1, and EBX and ECX of leaf 7.
const (
	avx1    = 1<<(32+28) | 1<<(32+12) | 1<<(32+11) // AVX, FMA and AMD's XOP
	avx2    = 1<<3 | 1<<5 | 1<<8 | 1<<19           // BMI1, AVX2, BMI2 and ADX
	avx512  = 1<<16 | 1<<17 | 1<<21 | 1<<26 | 1<<27 | 1<<28 | 1<<30 | 1<<31 | 1<<(32+1) | 1<<(32+6) | 1<<(32+11) | 1<<(32+12) | 1<<(32+14)
	vectors = 1<<(32+9) | 1<<(32+10) // VAES and VPCLMULQDQ
)

// Levels lists the levels below AVX-512.
var Levels = []Level{
	{"avx2", "AVX2", fmt.Sprintf(":~%#x", uint64(avx512|vectors)), C.IPSECMB_AVX2},
	{"sse41", "SSE4.1", fmt.Sprintf("~%#x:~%#x", uint64(avx1), uint64(avx2|avx512|vectors)), C.IPSECMB_SSE},
}

// peerVariable is the environment variable that RestrictedLoop sets in its processes.
// It contains the level's argument to ipsecmb_restrict.
const peerVariable = "UNIMAC_BENCH_IPSECMB"

// RestrictedLoop starts a process that does the work at a level. It runs this
// executable again, because OpenSSL reads the level when it is loaded. The loop does
// the work n times, fills w.Out and returns the time that the process measured. stop
// ends the process.
func RestrictedLoop(level Level, a Algorithm, w Work) (loop func(n int) time.Duration, stop func(), err error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	return process.Run(w.Out, [][]byte{w.Key, w.Nonce, w.Msg, w.More}, "env", "OPENSSL_ia32cap="+level.openSSL,
		fmt.Sprintf("%s=%d", peerVariable, level.ipsecMB), executable, strconv.Itoa(int(a)), strconv.Itoa(len(w.Out)))
}

// If RestrictedLoop started this process, init runs the requested loops and exits. It
// runs before main, so that RestrictedLoop also works in tests.
func init() {
	level, err := strconv.Atoi(os.Getenv(peerVariable))
	if err != nil {
		return
	}
	C.ipsecmb_restrict(C.int(level))
	if err := serve(os.Args[1:], bufio.NewReader(os.Stdin), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "clib:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve runs a loop for each request that it reads. args are an algorithm and the
// length of its output.
func serve(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, want an algorithm and a length", len(args))
	}
	a, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	w := Work{Out: make([]byte, n)}
	for _, text := range []*[]byte{&w.Key, &w.Nonce, &w.Msg, &w.More} {
		var length [8]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return err
		}
		*text = make([]byte, binary.LittleEndian.Uint64(length[:]))
		if _, err := io.ReadFull(in, *text); err != nil {
			return err
		}
	}
	loop := Loop(Algorithm(a), w)
	for {
		var request [9]byte // R and a number
		if _, err := io.ReadFull(in, request[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		start := time.Now()
		loop(int(binary.LittleEndian.Uint64(request[1:])))
		took := time.Since(start)
		if _, err := out.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(took)), w.Out...)); err != nil {
			return err
		}
	}
}
