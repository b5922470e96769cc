// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Errors of [CheckOutput] and [Output.Commit].
var (
	ErrExists     = errors.New("exists already; -f overwrites it")
	ErrNotRegular = errors.New("is not a regular file; only regular files can be replaced")
	errDangling   = errors.New("is a symbolic link that leads to nothing; remove the link, or name the file itself")
)

// An Output is the destination of a command's output. A regular file gets its final
// name only when it is complete. Standard output and devices receive the bytes
// immediately.
type Output struct {
	*Writer
	Path  string   // "-" for standard output
	force bool     // replace an existing file
	file  *os.File // temporary file or device; nil for standard output, and after Discard
	stop  func()   // returned by withCleanUp; nil without a temporary file
}

// CheckOutput returns an error if an output at path cannot be created. Otherwise, it
// returns path with symbolic links resolved. A link to a missing file is an error,
// because the new file could appear in an unexpected place.
func CheckOutput(path string, force bool) (string, error) {
	stdout := path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1"
	if path == "-" || stdout && runtime.GOOS != "windows" {
		return "-", nil
	}
	name, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errDangling
	case err != nil:
		return "", err
	case isDevice(info.Mode()):
		return path, nil
	case info.IsDir():
		return "", ErrDirectory
	case !info.Mode().IsRegular():
		return "", ErrNotRegular
	case !force:
		return "", ErrExists
	case name.Mode()&fs.ModeSymlink != 0:
		return filepath.EvalSymlinks(path)
	}
	return path, nil
}

// CreateOutput creates an output at path, which must have been returned by CheckOutput.
// The caller must call Commit or Discard.
func (c *Call) CreateOutput(path string, force bool) (*Output, error) {
	if path == "-" {
		return &Output{Writer: c.Stdout, Path: path}, nil
	}
	if info, err := os.Stat(path); err == nil && isDevice(info.Mode()) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &Output{Writer: &Writer{W: f}, Path: path, file: f}, nil
	}
	return CreateFile(path, force)
}

// CreateFile is like CreateOutput, but always creates a regular file.
func CreateFile(path string, force bool) (*Output, error) {
	o := &Output{Path: path, force: force}
	stop, err := withCleanUp(func() (cleanUp func(), err error) {
		temp, err := os.CreateTemp(filepath.Dir(path), ".unimac-*")
		if err != nil {
			return nil, err
		}
		o.file, o.Writer = temp, &Writer{W: temp}
		return func() { os.Remove(temp.Name()) }, nil
	})
	o.stop = stop
	return o, err
}

// Direct reports whether written bytes are visible before Commit.
func (o *Output) Direct() bool { return o.stop == nil }

func isDevice(mode fs.FileMode) bool { return mode&(fs.ModeCharDevice|fs.ModeNamedPipe) != 0 }

// Skip writes n zero bytes, or leaves a hole of n bytes in a regular file.
func (o *Output) Skip(n int64) error {
	if !o.Direct() && o.Err == nil {
		if _, o.Err = o.file.Seek(n, io.SeekCurrent); o.Err == nil {
			o.Written += n
			o.Err = o.file.Truncate(o.Written)
		}
		return o.Err
	}
	for zeros := make([]byte, 64<<10); n > 0 && o.Err == nil; {
		written, _ := o.Write(zeros[:min(n, int64(len(zeros)))])
		n -= int64(written)
	}
	return o.Err
}

// Commit completes the output and gives a regular file its final name, or removes the
// temporary file on error.
func (o *Output) Commit() error {
	defer o.Discard()
	if o.Err != nil || o.file == nil {
		return o.Err
	}
	if o.Direct() {
		return o.file.Close()
	}
	if err := cmp.Or(o.file.Sync(), o.file.Close()); err != nil {
		return err
	}
	if err := o.move(); err != nil {
		return err
	}
	// Ignore errors, because some systems cannot sync directories.
	if dir, err := os.Open(filepath.Dir(o.Path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// move gives the temporary file its final name. Without force, it first tries a hard
// link, which fails if a file has been created at o.Path since CheckOutput. A rename
// would replace that file.
func (o *Output) move() error {
	if !o.force {
		err := os.Link(o.file.Name(), o.Path)
		switch {
		case err == nil:
			return nil // Discard removes the temporary name
		case errors.Is(err, fs.ErrExist):
			return ErrExists
		}
	}
	if _, err := CheckOutput(o.Path, o.force); err != nil {
		return err
	}
	return os.Rename(o.file.Name(), o.Path)
}

// Discard removes an uncommitted output. Call it before printing a message. Otherwise,
// if the message goes to a closed pipe, the program ends and leaves the temporary file
// behind.
func (o *Output) Discard() {
	if o.file == nil {
		return
	}
	o.file.Close()
	if !o.Direct() {
		os.Remove(o.file.Name())
		o.stop()
	}
	o.file = nil
}
