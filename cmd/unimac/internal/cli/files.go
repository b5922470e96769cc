// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrDirectory is returned by OpenFile for a directory.
	ErrDirectory = errors.New("is a directory")
	errStdinUsed = errors.New("standard input is already in use")
)

// FileNamed returns a path to the file with the given name. It turns "-" into "./-",
// because a bare "-" means standard input or output.
func FileNamed(name string) string {
	if name == "-" {
		return "." + string(os.PathSeparator) + name
	}
	return name
}

// Open opens the named file for reading. The name "-" means standard input, which can
// be opened only once.
func (c *Call) Open(name string) (io.ReadCloser, error) {
	if name != "-" {
		return OpenFile(name)
	}
	if c.stdinUsed {
		return nil, errStdinUsed
	}
	c.stdinUsed = true
	return io.NopCloser(c.Stdin), nil
}

// OpenFile opens a file for reading. Unlike [os.Open], it rejects directories.
func OpenFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = ErrDirectory
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Reason returns err's message without the operation and path.
func Reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err.Error()
	}
	return err.Error()
}
