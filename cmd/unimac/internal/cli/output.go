// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Errors of outputs.
var (
	ErrExists     = errors.New("exists already; -f overwrites it")
	ErrNotRegular = errors.New("is no regular file, which alone can be replaced")
	errDangling   = errors.New("is a symbolic link that leads to nothing; remove the link, or name the file itself")
)

// An Output is where a command writes its result: a file that appears under its name
// when it is complete, and not at all otherwise; or standard output, or a
// device, which get what is written as it comes.
type Output struct {
	*Writer
	Path  string   // "-" for standard output
	force bool     // replace a file of that name
	file  *os.File // next to Path, or a device; nil for standard output, and after the end
	stop  func()   // ends what guards the file; nil for the others
}

// CheckOutput returns why no output of that name can be created, as far as that is
// known before any work, and the name that symbolic links lead to. Links are followed only to
// a file that exists: no file should appear where nobody sees that the command writes.
func CheckOutput(path string, force bool) (string, error) {
	if path == "-" || isStdout(path) {
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

// CreateOutput begins an output whose name CheckOutput returned. It has to be
// ended by Commit or Discard.
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

// CreateFile is CreateOutput for a file.
func CreateFile(path string, force bool) (*Output, error) {
	o := &Output{Path: path, force: force}
	stop, err := guarded(func() (cleanUp func(), err error) {
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

// Direct reports whether what is written is there before Commit.
func (o *Output) Direct() bool { return o.stop == nil }

// isStdout reports whether a path is a name that systems have for standard output.
func isStdout(path string) bool {
	return runtime.GOOS != "windows" && (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1")
}

// isDevice reports whether a file is a device or a named pipe, which receive the bytes as they
// are written.
func isDevice(mode fs.FileMode) bool { return mode&(fs.ModeCharDevice|fs.ModeNamedPipe) != 0 }

// Skip leaves n bytes of zeros: a hole if the output is a regular file.
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

// Commit makes the file appear. Where it cannot, it leaves none.
func (o *Output) Commit() error {
	defer o.Discard()
	if o.Err != nil || o.file == nil {
		return o.Err
	}
	if o.Direct() {
		return o.file.Close()
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	if err := o.file.Close(); err != nil {
		return err
	}
	if err := o.move(); err != nil {
		return err
	}
	syncDirectory(o.Path)
	return nil
}

// move gives the file its name. Only a link fails where the name is taken by now;
// a file system without links leaves a moment between the question and the answer.
func (o *Output) move() error {
	if !o.force {
		err := os.Link(o.file.Name(), o.Path)
		switch {
		case err == nil:
			return nil // Discard removes the other name
		case errors.Is(err, fs.ErrExist):
			return ErrExists
		}
	}
	if _, err := CheckOutput(o.Path, o.force); err != nil {
		return err
	}
	return os.Rename(o.file.Name(), o.Path)
}

// Discard removes what Commit has not made the output. It comes before any
// message: their reader may be gone, and then the program ends when it writes one.
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

// syncDirectory waits until the name of a file is on the disk. Some systems and
// file systems cannot sync a directory; the file itself is safe all the same.
func syncDirectory(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
}
