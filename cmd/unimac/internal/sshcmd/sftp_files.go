// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/pkg/sftp"
)

// A fileServer does what a client of SFTP asks for.
type fileServer struct {
	tree     fileTree
	readOnly bool
	start    string // what paths that do not begin with "/" are relative to
}

// Fileread opens a file to read.
func (f *fileServer) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	return f.tree.Open(f.tree.name(r.Filepath))
}

// Filewrite opens a file to write.
func (f *fileServer) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	file, err := f.openForWriting(r)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// OpenFile opens a file to read and to write.
func (f *fileServer) OpenFile(r *sftp.Request) (sftp.WriterAtReaderAt, error) {
	file, err := f.openForWriting(r)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (f *fileServer) openForWriting(r *sftp.Request) (*os.File, error) {
	if f.readOnly {
		return nil, fs.ErrPermission
	}
	p, flags := r.Pflags(), os.O_WRONLY
	if p.Read {
		flags = os.O_RDWR
	}
	// Package sftp writes at offsets, which O_APPEND would not let it.
	for flag, wanted := range map[int]bool{os.O_CREATE: p.Creat, os.O_TRUNC: p.Trunc, os.O_EXCL: p.Excl} {
		if wanted {
			flags |= flag
		}
	}
	mode := fs.FileMode(0o666)
	if r.AttrFlags().Permissions {
		mode = r.Attributes().FileMode().Perm()
	}
	return f.tree.OpenFile(f.tree.name(r.Filepath), flags, mode)
}

// Filecmd changes something about a file.
func (f *fileServer) Filecmd(r *sftp.Request) error {
	if f.readOnly {
		return fs.ErrPermission
	}
	name := f.tree.name(r.Filepath)
	switch r.Method {
	case "Setstat":
		return f.setAttributes(name, r)
	case "Rename":
		if _, err := f.tree.Lstat(f.tree.name(r.Target)); err == nil {
			return fs.ErrExist
		}
		return f.tree.Rename(name, f.tree.name(r.Target))
	case "Mkdir":
		return f.tree.Mkdir(name, 0o777)
	case "Remove":
		if info, err := f.tree.Lstat(name); err == nil && info.IsDir() {
			return fs.ErrInvalid
		}
		return f.tree.Remove(name)
	case "Rmdir":
		if info, err := f.tree.Lstat(name); err == nil && !info.IsDir() {
			return fs.ErrInvalid
		}
		return f.tree.Remove(name)
	case "Link":
		return f.tree.Link(name, f.tree.name(r.Target))
	case "Symlink":
		return f.tree.Symlink(r.Filepath, f.tree.name(r.Target))
	}
	return sftp.ErrSSHFxOpUnsupported
}

// PosixRename renames a file in place of another.
func (f *fileServer) PosixRename(r *sftp.Request) error {
	if f.readOnly {
		return fs.ErrPermission
	}
	return f.tree.Rename(f.tree.name(r.Filepath), f.tree.name(r.Target))
}

func (f *fileServer) setAttributes(name string, r *sftp.Request) error {
	has, want := r.AttrFlags(), r.Attributes()
	if has.Size {
		file, err := f.tree.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		err = file.Truncate(int64(want.Size))
		file.Close()
		if err != nil {
			return err
		}
	}
	if has.Permissions {
		if err := f.tree.Chmod(name, want.FileMode().Perm()); err != nil {
			return err
		}
	}
	if has.Acmodtime {
		return f.tree.Chtimes(name, want.AccessTime(), want.ModTime())
	}
	return nil
}

// Filelist lists a folder, or tells of one file.
func (f *fileServer) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	name := f.tree.name(r.Filepath)
	if r.Method == "List" {
		entries, err := f.tree.ReadDir(name)
		if err != nil {
			return nil, err
		}
		var list fileList
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				list = append(list, info)
			}
		}
		return list, nil
	}
	info, err := f.tree.Stat(name)
	return fileList{info}, err
}

// Lstat tells of a file, and of a symbolic link itself.
func (f *fileServer) Lstat(r *sftp.Request) (sftp.ListerAt, error) {
	info, err := f.tree.Lstat(f.tree.name(r.Filepath))
	return fileList{info}, err
}

// Readlink tells where a symbolic link leads.
func (f *fileServer) Readlink(name string) (string, error) { return f.tree.Readlink(f.tree.name(name)) }

// RealPath returns a path without symbolic links, as far as the tree can tell.
func (f *fileServer) RealPath(name string) (string, error) {
	if !path.IsAbs(name) {
		name = path.Join(f.start, name)
	}
	return f.tree.real(name), nil
}

// A fileList is what package sftp takes lists from.
type fileList []fs.FileInfo

// ListAt copies what there is from an offset on.
func (l fileList) ListAt(to []fs.FileInfo, offset int64) (int, error) {
	n := copy(to, slices.Clone(l)[min(offset, int64(len(l))):])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}
