// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errExists     = errors.New("exists already; -f overwrites it")
	errNotRegular = errors.New("is no regular file, which alone can be replaced")
	errTerminal   = errors.New("is a terminal, which sealed data would garble; name a file with -o")
)

// An output is where a command writes its result: standard output, or a file that
// appears under its name when it is complete, and not at all otherwise.
type output struct {
	*checkedWriter
	path  string   // "-" for standard output
	force bool     // replace a file of that name
	temp  *os.File // beside path; nil for standard output and after the end
	stop  func()
}

// checkOutput returns why no output of that name can be created, as far as that is
// known before any work, and the name that symbolic links lead to.
func checkOutput(path string, force bool) (string, error) {
	if path == "-" {
		return path, nil
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	}
	target := path
	if info.Mode()&fs.ModeSymlink != 0 && force {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
		if info, err = os.Stat(target); err != nil {
			return "", err
		}
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "", errDirectory
	case mode&^fs.ModeSymlink&fs.ModeType != 0:
		return "", errNotRegular
	case !force:
		return "", errExists
	}
	return target, nil
}

// createOutput begins an output whose name checkOutput returned. It has to be
// ended by commit or discard.
func (c *call) createOutput(path string, force bool) (*output, error) {
	if path == "-" {
		return &output{checkedWriter: c.stdout, path: path}, nil
	}
	return newFile(path, force)
}

// newFile is createOutput for a file.
func newFile(path string, force bool) (*output, error) {
	o := &output{path: path, force: force}
	signals := catchEndingSignals()
	var err error
	if o.temp, err = os.CreateTemp(filepath.Dir(path), ".unimac-*"); err != nil {
		signals.release()
		return nil, err
	}
	o.checkedWriter = &checkedWriter{w: o.temp}
	temp := o.temp.Name()
	o.stop = signals.call(func() { os.Remove(temp) })
	return o, nil
}

// commit makes the file appear. Where it cannot, it leaves none.
func (o *output) commit() error {
	if o.temp == nil {
		return o.err
	}
	defer o.discard()
	if o.err != nil {
		return o.err
	}
	if err := o.temp.Sync(); err != nil {
		return err
	}
	if err := o.temp.Close(); err != nil {
		return err
	}
	if err := o.move(); err != nil {
		return err
	}
	syncDirectory(o.path)
	return nil
}

// move gives the file its name. Only a link fails where the name is taken by now;
// a file system without links leaves a moment between the question and the answer.
func (o *output) move() error {
	if !o.force {
		err := os.Link(o.temp.Name(), o.path)
		switch {
		case err == nil:
			return nil // discard removes the other name
		case errors.Is(err, fs.ErrExist):
			return errExists
		}
	}
	if _, err := checkOutput(o.path, o.force); err != nil {
		return err
	}
	return os.Rename(o.temp.Name(), o.path)
}

// discard removes what commit has not made the output. It comes before any
// message: who reads those may be gone, and then the program ends by writing one.
func (o *output) discard() {
	if o.temp == nil {
		return
	}
	o.temp.Close()
	os.Remove(o.temp.Name())
	o.stop()
	o.temp = nil
}

// syncDirectory waits until the name of a file is on the disk. Some systems and
// file systems cannot sync a directory; the file itself is safe all the same.
func syncDirectory(path string) {
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
}
