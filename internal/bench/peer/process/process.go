// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package process runs peers that are separate programs.
package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// ErrAbsent means that a peer cannot run on this machine.
var ErrAbsent = errors.New("absent")

// Run starts a program and writes the texts, each preceded by its length, to its
// standard input. The loop makes the program do the work n times, sets answer to the
// last result and returns the time that the program measured. stop ends the process.
//
// To request a loop, Run writes the byte R and n. The program replies with the time in
// nanoseconds and the answer. Numbers have 8 bytes in little-endian order.
func Run(answer []byte, texts [][]byte, program string, args ...string) (loop func(n int) time.Duration, stop func(), err error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	for _, text := range texts {
		if _, err := in.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)); err != nil {
			stop()
			return nil, nil, fmt.Errorf("%s: %w", program, err)
		}
	}
	return func(n int) time.Duration {
		reply := make([]byte, 8+len(answer))
		_, err := in.Write(binary.LittleEndian.AppendUint64([]byte{'R'}, uint64(n)))
		if err == nil {
			_, err = io.ReadFull(out, reply)
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", program, err))
		}
		copy(answer, reply[8:])
		return time.Duration(binary.LittleEndian.Uint64(reply))
	}, stop, nil
}
