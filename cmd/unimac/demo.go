// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash"
	"io"
	mathrand "math/rand/v2"
	"os"
	"text/tabwriter"

	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Args:  "[FILE…]",
		Short: "show all of it at work, on your files or data of its own",
		Long: `Authenticates each FILE, or data of its own without FILE, with every MAC there
is, under a new random key, verifies the tags, and shows that a changed bit is
noticed. It seals and opens the data with every AEAD, of which it takes the first
MiB, and in every format of "unimac seal", and shows the same. Then it sends the data through an
SSH connection that is authenticated by UMAC, from this machine to itself, compares
what arrives, and measures the speed, and that of hmac-sha2-256.`,
		Examples: []string{"unimac demo", "unimac demo debian.iso"},
		New:      newDemo,
	}
}

func newDemo(c *cli.Call) func() int {
	return func() int {
		status := cli.ExitOK
		var sources []*source
		// Nothing begins unless all files are there.
		for _, file := range c.Args {
			s, err := fileSource(file)
			if err != nil {
				return c.Errorf("%s: %s", cli.Name(file), cli.Reason(err))
			}
			sources = append(sources, s)
		}
		if len(c.Args) == 0 {
			sources = append(sources, ownData(ownDataSize))
		}
		for _, s := range sources {
			if err := demoMACs(c.Stdout, s, append(algorithms[:len(algorithms):len(algorithms)], blake2bAlgorithm)); err != nil {
				status = c.Errorf("%s: %s", s.name, cli.Reason(err))
			}
			if err := demoSealing(c.Stdout, s, sealers); err != nil {
				status = c.Errorf("%s: %s", s.name, cli.Reason(err))
			}
		}
		if err := demoSSH(c.Stdout, sources); err != nil {
			status = c.Errorf("SSH: %s", cli.Reason(err))
		}
		if status == cli.ExitOK {
			io.WriteString(c.Stdout, nextCommands)
		}
		return status
	}
}

// nextCommands is what the demo ends with.
const nextCommands = `
To try next, with a file of yours:

	unimac keygen key
	unimac sum -k key FILE >SUMS
	unimac check -k key SUMS
`

// blake2bAlgorithm is a MAC that sum has no need of.
var blake2bAlgorithm = &algorithm{name: "blake2b-256", keySize: 32, tagSize: 32, new: func(key, _ []byte) (hash.Hash, error) {
	return blake2b.New256(key)
}}

// A source is data that can be read any number of times.
type source struct {
	name string
	size int64
	open func() (io.ReadCloser, error)
}

// ownDataSize is the size of the data that demo makes: large enough for a speed
// to mean something, and across in a fraction of a second.
const ownDataSize = 32 << 20

func ownData(size int) *source {
	data := make([]byte, size)
	mathrand.NewChaCha8([32]byte{}).Read(data)
	return &source{
		name: fmt.Sprintf("%d MiB of data made for this", size>>20),
		size: int64(size),
		open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

func fileSource(path string) (*source, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, cli.ErrDirectory
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file, and has to be read more than once")
	}
	open := func() (io.ReadCloser, error) { return cli.OpenFile(path) }
	return &source{cli.Name(path), info.Size(), open}, nil
}

// demoMACs prints a line for each algorithm: the tag of the data, what a
// receiver says to the data, and what to the data with one bit changed.
func demoMACs(w io.Writer, s *source, algorithms []*algorithm) error {
	fmt.Fprintf(w, "%s, %d bytes\n", s.name, s.size)
	var master masterKey
	rand.Read(master[:])
	return demoTable(w, "MAC\tTAG", algorithms, func(a *algorithm) (name, columns string, sent, changed bool, err error) {
		tag, sent, changed, err := demoMAC(s, a, &master)
		return a.name, a.name + "\t" + shownTag(tag), sent, changed, err
	})
}

// demoTable prints a row for each way to protect data: its columns, and whether data are
// accepted as sent, and changed. It fails unless all ways tell right from wrong.
func demoTable[T any](w io.Writer, head string, ways []T, try func(T) (name, columns string, sent, changed bool, err error)) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer func() {
		tw.Flush()
		fmt.Fprintln(w)
	}()
	fmt.Fprintf(tw, "%s\tRECEIVED AS SENT\tONE BIT CHANGED\n", head)
	var failed error
	for _, way := range ways {
		name, columns, sent, changed, err := try(way)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !sent || changed {
			failed = fmt.Errorf("%s does not tell right from wrong", name)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", columns, verdict(sent), verdict(changed))
	}
	return failed
}

// shownTag returns a tag, of which the table has room for 16 bytes.
func shownTag(tag []byte) string {
	const room = 16
	if len(tag) > room {
		return fmt.Sprintf("%x…", tag[:room])
	}
	return fmt.Sprintf("%x", tag)
}

// demoMAC returns the tag of the data, and whether it is accepted for the data
// as it is and with one bit changed. The tag of the changed data stays here:
// shown next to the other, under the same nonce, it would help a forger.
func demoMAC(s *source, a *algorithm, master *masterKey) (tag []byte, sent, changed bool, err error) {
	nonce := a.newNonce()
	tag, err = s.sum(a, master, nonce, func(r io.Reader) io.Reader { return r })
	if err != nil {
		return nil, false, false, err
	}
	again, err := s.sum(a, master, nonce, func(r io.Reader) io.Reader { return r })
	if err != nil {
		return nil, false, false, err
	}
	other, err := s.sum(a, master, nonce, func(r io.Reader) io.Reader {
		if s.size == 0 {
			return bytes.NewReader([]byte{0}) // no bit to change: one byte more
		}
		return &changedReader{r: r, at: s.size / 2}
	})
	sent = subtle.ConstantTimeCompare(tag, again) == 1
	changed = subtle.ConstantTimeCompare(tag, other) == 1
	return tag, sent, changed, err
}

// sum returns the tag of the data as it is after change.
func (s *source) sum(a *algorithm, master *masterKey, nonce []byte, change func(io.Reader) io.Reader) (tag []byte, err error) {
	err = s.read(func(r io.Reader) error {
		tag, err = a.sum(master, a.name, nonce, change(r))
		return err
	})
	return tag, err
}

// read opens the data for f.
func (s *source) read(f func(io.Reader) error) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	return f(r)
}

func verdict(accepted bool) string {
	if accepted {
		return "accepted"
	}
	return "rejected"
}

// changedReader changes one bit of the byte at an offset.
type changedReader struct {
	r  io.Reader
	at int64
}

func (c *changedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.at >= 0 && c.at < int64(n) {
		p[c.at] ^= 1
	}
	c.at -= int64(n)
	return n, err
}
