// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/pkg/sftp"
)

// A fileServer does what a client of SFTP asks for.
type fileServer struct {
	tree     fileTree
	readOnly bool
	start    string // what paths that do not begin with "/" are relative to
	modes    *modeReader
	open     *atomicCount // of the files and folders that the connection has open
}

// maxOpen is how many files and folders a connection may have open at once: all clients
// share what the system lets the server open.
const maxOpen = 500

var errManyOpen = errors.New("too many open files")

// newFileServer returns a server of files to a client.
func newFileServer(tree fileTree, start string, readOnly bool, open *atomicCount, client io.ReadWriteCloser) *sftp.RequestServer {
	modes := &modeReader{ReadWriteCloser: client}
	f := &fileServer{tree: tree, readOnly: readOnly, start: start, modes: modes, open: open}
	handlers := sftp.Handlers{FileGet: f, FilePut: f, FileCmd: f, FileList: f}
	return sftp.NewRequestServer(modes, handlers, sftp.WithRSAllocator(), sftp.WithStartDirectory(start))
}

// Fileread opens a file to read.
func (f *fileServer) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	return f.openFile(r, os.O_RDONLY, 0)
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

func (f *fileServer) openForWriting(r *sftp.Request) (*openFile, error) {
	mode := f.modes.fileMode()
	if f.readOnly {
		return nil, fs.ErrPermission
	}
	p, flags := r.Pflags(), os.O_WRONLY
	if p.Read {
		flags = os.O_RDWR
	}
	for flag, wanted := range map[int]bool{os.O_CREATE: p.Creat, os.O_TRUNC: p.Trunc, os.O_EXCL: p.Excl} {
		if wanted {
			flags |= flag
		}
	}
	file, err := f.openFile(r, flags, mode)
	if err != nil || !p.Append {
		return file, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	file.end = info.Size()
	return file, nil
}

func (f *fileServer) openFile(r *sftp.Request, flags int, mode fs.FileMode) (*openFile, error) {
	if !f.open.enter(maxOpen) {
		return nil, errManyOpen
	}
	file, err := f.tree.OpenFile(f.tree.name(r.Filepath), flags|neverWait, mode)
	if err != nil {
		f.open.leave()
		return nil, err
	}
	return &openFile{File: file, open: f.open}, nil
}

// An openFile is a file that a client has open.
type openFile struct {
	*os.File
	end  int64 // where a client begins that appends
	open *atomicCount
}

var errAppend = errors.New("the offset is in front of the end of a file that is opened to append to")

// WriteAt writes at an offset, also to a file that is opened to append to, as package
// sftp may change the order of what comes. OpenSSH's client counts the offset from the
// beginning of the file. One that counts from its end must not change what is there.
func (f *openFile) WriteAt(p []byte, offset int64) (int, error) {
	if offset < f.end {
		return 0, errAppend
	}
	return f.File.WriteAt(p, offset)
}

// Close closes the file.
func (f *openFile) Close() error {
	err := f.File.Close()
	if !errors.Is(err, fs.ErrClosed) {
		f.open.leave()
	}
	return err
}

// Filecmd changes something about a file.
func (f *fileServer) Filecmd(r *sftp.Request) error {
	mode := fs.FileMode(0)
	if r.Method == "Mkdir" {
		mode = f.modes.folderMode()
	}
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
		return f.tree.Mkdir(name, mode)
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
	if want == nil { // there are fewer than there should be
		return sftp.ErrSSHFxBadMessage
	}
	if has.Size {
		file, err := f.tree.OpenFile(name, os.O_WRONLY|neverWait, 0)
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
		if err := f.tree.Chtimes(name, want.AccessTime(), want.ModTime()); err != nil {
			return err
		}
	}
	if has.UidGid {
		return f.tree.Chown(name, int(want.UID), int(want.GID))
	}
	return nil
}

// Filelist lists a folder, or tells of one file.
func (f *fileServer) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	name := f.tree.name(r.Filepath)
	if r.Method == "List" {
		if !f.open.enter(maxOpen) {
			return nil, errManyOpen
		}
		entries, err := f.tree.ReadDir(name)
		if err != nil {
			f.open.leave()
			return nil, err
		}
		list := &openFolder{open: f.open}
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				list.fileList = append(list.fileList, info)
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
	n := copy(to, l[min(offset, int64(len(l))):])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

// An openFolder is a folder that a client has open, with what was in it then.
type openFolder struct {
	fileList
	open *atomicCount
}

// Close forgets it. Package sftp calls it once.
func (f *openFolder) Close() error {
	f.open.leave()
	return nil
}
