// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/unimac/unimac/internal/mactest"
)

// An sftpServer is a file server whose home contains a tree of files.
type sftpServer struct {
	t    *testing.T
	root string
	io.Reader
	io.Writer
}

// startOpenSSHFiles starts OpenSSH's sftp-server.
func startOpenSSHFiles(t *testing.T, args ...string) *sftpServer {
	t.Helper()
	for _, folder := range []string{"/usr/lib/openssh", "/usr/lib/ssh", "/usr/libexec/openssh", "/usr/libexec"} {
		cmd := exec.Command(folder+"/sftp-server", args...)
		cmd.Dir = realTempDir(t)
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil {
			t.Fatalf("creating pipes: %v, %v", err1, err2)
		}
		if cmd.Start() != nil {
			continue
		}
		t.Cleanup(func() {
			in.Close()
			cmd.Wait()
		})
		s := &sftpServer{t, cmd.Dir, out, in}
		s.ask(1, 3)
		return s
	}
	if os.Getenv("CI") != "" {
		t.Fatal("sftp-server is not installed, which CI requires")
	}
	t.Skip("sftp-server is not installed")
	return nil
}

func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startOwnFiles starts the server of unimac ssh serve.
func startOwnFiles(t *testing.T, readOnly bool) *sftpServer {
	t.Helper()
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	s := &sftpServer{t, realTempDir(t), fromServer, in}
	server, err := newFileServer(struct {
		io.Reader
		io.WriteCloser
	}{toServer, out}, s.root, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Serve()
		close(ended)
	}()
	t.Cleanup(func() {
		in.Close()
		<-ended
	})
	s.ask(1, 3)
	return s
}

// ask sends a request, in whose fields ROOT is replaced by the root. It returns the
// type of the answer and its fields after the request ID.
func (s *sftpServer) ask(kind byte, fields ...any) (answer byte, rest []byte) {
	s.t.Helper()
	for i, field := range fields {
		if text, ok := field.(string); ok {
			fields[i] = strings.Replace(text, "ROOT", s.root, 1)
		}
	}
	if _, err := s.Write(sftpPacket(kind, fields...)); err != nil {
		s.t.Fatal(err)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(s, head); err != nil {
		s.t.Fatalf("request %d %q: %v", kind, fields, err)
	}
	rest = make([]byte, binary.BigEndian.Uint32(head)-5)
	if _, err := io.ReadFull(s, rest); err != nil {
		s.t.Fatal(err)
	}
	return head[4], rest
}

// describe returns an answer in a form that can be compared.
func (s *sftpServer) describe(answer byte, rest []byte) string {
	switch answer {
	case 101:
		return fmt.Sprint("status ", binary.BigEndian.Uint32(rest))
	case 102:
		return "handle"
	case 103:
		return fmt.Sprintf("data %q", rest[4:])
	case 104:
		var names []string
		n := binary.BigEndian.Uint32(rest)
		for rest = rest[4:]; n > 0; n-- {
			var entry struct {
				Name, Long string
				Flags      uint32
				Rest       []byte `ssh:"rest"`
			}
			if err := ssh.Unmarshal(rest, &entry); err != nil {
				s.t.Fatal(err)
			}
			for bit, size := range map[uint32]int{1: 8, 2: 8, 4: 4, 8: 8} {
				if entry.Flags&bit != 0 {
					entry.Rest = entry.Rest[size:]
				}
			}
			if rest = entry.Rest; entry.Name != "." && entry.Name != ".." { // package sftp omits these names
				names = append(names, strings.Replace(entry.Name, s.root, "ROOT", 1))
			}
		}
		if slices.Sort(names); names == nil {
			return "status 1" // end of the folder
		}
		return fmt.Sprintf("names %q", names)
	case 105:
		mode := binary.BigEndian.Uint32(rest[20:])
		if mode&0o170000 == 0o040000 {
			return fmt.Sprintf("folder %o", mode)
		}
		return fmt.Sprintf("file %o of %d bytes", mode, binary.BigEndian.Uint64(rest[4:]))
	}
	return fmt.Sprintf("answer %d %q", answer, rest)
}

// do sends a request and returns the answer. If the request opens a file or folder, do
// also sends requests for the handle.
func (s *sftpServer) do(kind byte, fields ...any) string {
	answer, rest := s.ask(kind, slices.Clone(fields)...)
	text := s.describe(answer, rest)
	if kind == 200 && answer == 201 {
		return "volume"
	}
	if answer != 102 {
		return text
	}
	handle := string(rest[4:])
	for _, request := range [][]any{
		{byte(8), 1, handle}, {byte(5), 1, handle, uint64(0), 100}, {byte(12), 1, handle}, {byte(6), 1, handle, uint64(1), "data"}, {byte(5), 1, handle, uint64(1), 100},
		{byte(10), 1, handle, 1, uint64(2)}, {byte(10), 1, handle, 4, 0o640}, {byte(10), 1, handle, 8, 1000, 2000}, {byte(8), 1, handle}, {byte(12), 1, handle},
		{byte(4), 1, handle}, {byte(4), 1, handle}, {byte(5), 1, handle, uint64(0), 100}, {byte(6), 1, handle, uint64(0), "x"}, {byte(8), 1, handle}, {byte(12), 1, handle},
	} {
		answer, rest := s.ask(request[0].(byte), request[1:]...)
		text += "; " + s.describe(answer, rest)
	}
	return text
}

// plant creates the tree of files and links.
func (s *sftpServer) plant() {
	s.t.Helper()
	entries, err := os.ReadDir(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(s.root, entry.Name())); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.Chmod(s.root, 0o755); err != nil {
		s.t.Fatal(err)
	}
	for _, folder := range []string{"dir", "dir/sub", "real", "real/sub", "empty"} {
		if err := os.Mkdir(filepath.Join(s.root, folder), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, file := range []string{"a", "x", "dir/file", "dir/x", "dir/sub/deep", "real/x", "real/sub/x"} {
		writeFile(s.t, filepath.Join(s.root, file), "content of "+file)
	}
	for link, target := range map[string]string{
		"link": "real/sub", "absolute": s.root + "/real/sub", "loop": "loop", "loop1": "loop2", "loop2": "loop1", "dangling": "none",
		"lost": "none/none", "tofile": "a", "todir": "dir", "chain": "link", "dir/up": "..", "dir/back": "../real", "slash": "real/", "dot": ".",
	} {
		if err := os.Symlink(target, filepath.Join(s.root, link)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// snapshot returns a description of the tree.
func (s *sftpServer) snapshot() string {
	s.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(path, s.root), info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		} else if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", strings.Replace(target, s.root, "ROOT", 1))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// linkPaths are paths in the tree.
var linkPaths = []string{
	"x", "link", "link/", "link/x", "link/..", "link/../x", "link/../../x", "link/../../none", "absolute/../x", "loop", "loop/", "loop/x", "loop/..", "loop1",
	"dangling", "dangling/", "dangling/x", "dangling/..", "lost", "tofile", "tofile/", "tofile/x", "tofile/..", "tofile/../x", "a/", "a/..", "a/../x", "a/.", "todir", "todir/../x",
	"none", "none/", "none/x", "none/..", "none/../x", "", ".", "./link/./../x", "dir//file", "dir/back/../x", "dir/back/sub/../x", "chain/../x", "chain", "dir/up", "dir/up/x", "dir/up/none", "slash/../x", "dot/x",
	"empty", "empty/", "empty/none", "dir", "dir/", strings.Repeat("n", 256), strings.Repeat("dot/", 1500) + "x", strings.Repeat("dot/", 30) + "x", strings.Repeat("dot/", 50) + "x",
}

// TestSFTPLikeOpenSSH sends requests with many paths to OpenSSH's sftp-server and to
// this package's server. The answers and the resulting trees must be equal.
func TestSFTPLikeOpenSSH(t *testing.T) {
	t.Parallel()
	requests := map[string]func(path string) (byte, []any){
		"stat":           func(p string) (byte, []any) { return 17, []any{1, p} },
		"lstat":          func(p string) (byte, []any) { return 7, []any{1, p} },
		"realpath":       func(p string) (byte, []any) { return 16, []any{1, p} },
		"readlink":       func(p string) (byte, []any) { return 19, []any{1, p} },
		"opendir":        func(p string) (byte, []any) { return 11, []any{1, p} },
		"open nothing":   func(p string) (byte, []any) { return 3, []any{1, p, 0, 0} },
		"open read":      func(p string) (byte, []any) { return 3, []any{1, p, 1, 0} },
		"open write":     func(p string) (byte, []any) { return 3, []any{1, p, 2, 0} },
		"open create":    func(p string) (byte, []any) { return 3, []any{1, p, 0x0b, 0} },
		"open truncate":  func(p string) (byte, []any) { return 3, []any{1, p, 0x1a, 4, 0o600} },
		"open exclusive": func(p string) (byte, []any) { return 3, []any{1, p, 0x2a, 5, uint64(9), 0o751} },
		"open append":    func(p string) (byte, []any) { return 3, []any{1, p, 0x07, 0} },
		"mode":           func(p string) (byte, []any) { return 9, []any{1, p, 4, 0o751} },
		"size":           func(p string) (byte, []any) { return 9, []any{1, p, 1, uint64(3)} },
		"times":          func(p string) (byte, []any) { return 9, []any{1, p, 8, 1000, 2000} },
		"mode and times": func(p string) (byte, []any) { return 9, []any{1, p, 12, 0o700, 1000, 2000} },
		"remove":         func(p string) (byte, []any) { return 13, []any{1, p} },
		"rmdir":          func(p string) (byte, []any) { return 15, []any{1, p} },
		"mkdir":          func(p string) (byte, []any) { return 14, []any{1, p, 0} },
		"mkdir mode":     func(p string) (byte, []any) { return 14, []any{1, p, 4, 0o1751} },
		"rename":         func(p string) (byte, []any) { return 18, []any{1, p, "new"} },
		"rename file to": func(p string) (byte, []any) { return 18, []any{1, "a", p} },
		"rename dir to":  func(p string) (byte, []any) { return 18, []any{1, "real", p} },
		"rename link to": func(p string) (byte, []any) { return 18, []any{1, "chain", p} },
		"symlink":        func(p string) (byte, []any) { return 20, []any{1, p, "new"} },
		"symlink at":     func(p string) (byte, []any) { return 20, []any{1, "../a", p} },
		"posix-rename":   func(p string) (byte, []any) { return 200, []any{1, "posix-rename@openssh.com", p, "new"} },
		"posix file to":  func(p string) (byte, []any) { return 200, []any{1, "posix-rename@openssh.com", "a", p} },
		"posix dir to":   func(p string) (byte, []any) { return 200, []any{1, "posix-rename@openssh.com", "real", p} },
		"hardlink":       func(p string) (byte, []any) { return 200, []any{1, "hardlink@openssh.com", p, "new"} },
		"hardlink at":    func(p string) (byte, []any) { return 200, []any{1, "hardlink@openssh.com", "a", p} },
		"statvfs":        func(p string) (byte, []any) { return 200, []any{1, "statvfs@openssh.com", p} },
		"nothing":        func(p string) (byte, []any) { return 200, []any{1, "nothing@openssh.com", p} },
	}
	paths := linkPaths
	for _, path := range linkPaths {
		if path != "" {
			paths = append(paths, "ROOT/"+path)
		}
	}
	for _, readOnly := range []bool{false, true} {
		t.Run(fmt.Sprint("read-only ", readOnly), func(t *testing.T) {
			var args []string
			if readOnly {
				args = []string{"-R"}
			}
			theirs, ours := startOpenSSHFiles(t, args...), startOwnFiles(t, readOnly)
			theirs.plant()
			ours.plant()
			planted := theirs.snapshot()
			if ours.snapshot() != planted {
				t.Fatal("the trees differ before the first request")
			}
			compared, stride := 0, 5
			if mactest.Whole() {
				stride = 1
			} else if testing.Short() {
				stride = 25
			}
			for name, request := range requests {
				for i, path := range paths {
					if (i+len(name))%stride != 0 {
						continue
					}
					kind, fields := request(path)
					got, want := ours.do(kind, fields...), theirs.do(kind, fields...)
					if compared++; got != want {
						t.Errorf("%s %.60q: got\n%s\nwant\n%s", name, path, got, want)
					}
					gotTree, wantTree := ours.snapshot(), theirs.snapshot()
					if gotTree != wantTree {
						t.Errorf("%s %.60q: got tree\n%s\nwant\n%s", name, path, gotTree, wantTree)
					}
					if gotTree != planted || wantTree != planted {
						ours.plant()
						theirs.plant()
					}
				}
			}
			t.Logf("compared %d requests", compared)
		})
	}
}
