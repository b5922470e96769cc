// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// inputs opens the files that arguments and lists name, where "-" is standard
// input.
type inputs struct {
	stdin io.Reader
	used  bool
}

var (
	errDirectory = errors.New("is a directory")
	errStdinUsed = errors.New("standard input is already in use")
)

func (in *inputs) open(name string) (io.ReadCloser, error) {
	if name != "-" {
		return openFile(name)
	}
	if in.used {
		return nil, errStdinUsed
	}
	in.used = true
	return io.NopCloser(in.stdin), nil
}

// openFile opens a file for reading. Unlike os.Open, it refuses a directory.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errDirectory
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// reason is the text of an error without the operation and the path, which the
// message around it names.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err.Error()
	}
	return err.Error()
}
