// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/sftp"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func copyCommand() *cli.Command {
	return &cli.Command{
		Name:  "copy",
		Args:  "[FLAGS] SRC… DST",
		Short: "copy files and folders to or from an SSH server",
		Long: `Copies each file SRC to DST by SFTP, with its mode, here as far as the umask allows.
A file on a server is written [USER@]HOST:PATH, where PATH is relative to the home
there, which is ~ as well; all on a server must be on the same one, and either all SRC
are, or DST is. A SRC on a server may be a pattern with *, ? and [a-z], quoted for the
shell here: then it is all files there that match, except those that begin with a dot
where the pattern does not. Where DST is a folder, the files keep their names. What is
there and no regular file, such as a device, stays as it is.

A file appears at DST when all of it has arrived, in place of one that is there.
Until then it is a file next to it whose name begins with ".unimac-" and ends with
".part". It is removed when the copy fails or is interrupted; where it cannot be, as
after the connection has ended, a message tells its name.

With -r, a SRC may be a folder, which is copied with all that it holds: into DST if
that is a folder, else as DST. Its files keep their times, too. Where SRC has symbolic
links, the files that they lead to are copied; those to folders are errors.
What comes from a server stays below the folder that is made here, whatever names the
server sends and whatever links are there.

What "unimac ssh exec -h" says of keys and configuration holds here, too.`,
		Examples: []string{
			"unimac ssh copy debian.iso user@example.org:",
			"unimac ssh copy -p 2222 localhost:notes.txt localhost:todo.txt /tmp",
			"unimac ssh copy 'example.org:logs/*.gz' .",
			"unimac ssh copy -r photos example.org:backup",
		},
		New: newCopy,
	}
}

func newCopy(c *cli.Call) func() int {
	k := newConnector(c)
	recursive := c.Flags.Bool("r", false, "copy folders, with all that they hold")
	return func() int {
		if len(c.Args) < 2 {
			return c.Usagef("want files and where to copy them to")
		}
		plan, err := planCopy(c.Args)
		if err == nil {
			err = k.check(&plan.server)
		}
		if err != nil {
			return c.Usagef("%v", err)
		}
		conn, err := k.connect(plan.server)
		if err != nil {
			return sshError(c, err)
		}
		client, err := sftp.NewClient(conn.Client, sftp.UseConcurrentWrites(true), sftp.UseConcurrentReads(true))
		if err != nil {
			defer conn.Close()
			return sshError(c, conn.why(err))
		}
		// The connection first: a server need not end its side of the channel.
		defer client.Close()
		defer conn.Close()
		return (&copier{call: c, conn: conn, plan: plan, recursive: *recursive, here: localSide{allFiles{}}, there: &remoteSide{client, conn.moved}}).run()
	}
}

// A copyPlan is what the arguments of copy ask for.
type copyPlan struct {
	server  target
	sources []string // paths, without the server
	to      string
	upload  bool
}

// planCopy reads the arguments.
func planCopy(args []string) (*copyPlan, error) {
	p := new(copyPlan)
	servers := make([]string, len(args))
	for i, arg := range args {
		server, name := splitRemote(arg)
		servers[i] = server
		if server != "" {
			name = atHome(name)
		}
		if i < len(args)-1 {
			p.sources = append(p.sources, name)
		} else {
			p.to, p.upload = name, server != ""
		}
	}
	last := len(args) - 1
	server := servers[last] + servers[0]
	for _, s := range servers[:last] {
		switch {
		case p.upload && s != "":
			return nil, errors.New("files go from here to a server, or from a server to here: not between servers")
		case !p.upload && s == "":
			return nil, errors.New("nothing names a server: write [USER@]HOST:PATH")
		case !p.upload && s != server:
			return nil, errors.New("the files are on several servers")
		}
	}
	var err error
	p.server, err = parseTarget(server)
	return p, err
}

// splitRemote splits [USER@]HOST:PATH. The server of a path that is here is "".
func splitRemote(arg string) (server, name string) {
	colon := strings.Index(arg, ":")
	if end := strings.Index(arg, "]:"); end >= 0 && strings.Contains(arg[:end], "[") {
		colon = end + 1
	}
	slash := strings.IndexAny(arg, "/"+string(os.PathSeparator))
	if colon <= 0 || slash >= 0 && slash < colon || filepath.VolumeName(arg) != "" {
		return "", arg
	}
	return arg[:colon], arg[colon+1:]
}

// atHome returns a path on a server without a ~ for the home there, which SFTP does not
// know and to which paths are relative anyway.
func atHome(name string) string {
	if name == "~" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return strings.TrimLeft(rest, "/")
	}
	return name
}

// copyError says for which file an error is, without what a peer could write to
// the terminal.
func copyError(name string, err error) error {
	if status, ok := errors.AsType[*sftp.StatusError](err); ok {
		err = errors.New(strings.TrimPrefix(status.Error(), "sftp: "))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file or folder")
	}
	return fmt.Errorf("%s: %s", cli.VisibleName(name), cli.Visible(cli.Reason(err)))
}
