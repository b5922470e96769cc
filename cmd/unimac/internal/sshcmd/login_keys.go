// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// loginKeys are the keys that a client logs in with.
type loginKeys struct {
	identity   string                 // the file that a flag names, instead of all others
	identities []string               // those that the configuration names, instead of the usual ones
	pause      func() (resume func()) // around a question to the user
	patience   time.Duration          // with an agent that is asked which keys it has
	problem    error                  // of a key that was to sign

	asked   bool // the agent, with what it answered
	inAgent []ssh.Signer
	noAgent error

	mu     sync.Mutex // of what follows
	agent  net.Conn
	closed bool
}

// errNoKey is the error where there is no key to try.
var errNoKey = errors.New("no key to log in with: name one with -i, or start an agent")

// signers returns the keys to try, those that the user names first. They work until close
// is called.
func (k *loginKeys) signers() (signers []ssh.Signer, err error) {
	if k.identity != "" {
		signer, err := k.readFile(k.identity)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", cli.VisibleName(k.identity), cli.Reason(err))
		}
		return []ssh.Signer{signer}, nil
	}
	var problems []string
	add := func(signer ssh.Signer) {
		if !slices.ContainsFunc(signers, func(s ssh.Signer) bool { return sameKey(s.PublicKey(), signer.PublicKey()) }) {
			signers = append(signers, signer)
		}
	}
	addFiles := func(files ...string) {
		for _, path := range files {
			switch signer, err := k.readFile(path); {
			case err == nil:
				add(signer)
			case !errors.Is(err, os.ErrNotExist) || k.identities != nil:
				problems = append(problems, fmt.Sprintf("%s: %s", filepath.Base(path), cli.Reason(err)))
			}
		}
	}
	addFiles(k.identities...)
	fromAgent, err := k.fromAgent()
	if err != nil {
		problems = append(problems, fmt.Sprintf("agent: %v", err))
	}
	for _, signer := range fromAgent {
		add(signer)
	}
	if k.identities == nil {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			addFiles(inHome(".ssh", name))
		}
	}
	if len(signers) == 0 {
		return nil, errors.New(strings.Join(append([]string{errNoKey.Error()}, problems...), "; "))
	}
	return signers, nil
}

// fromAgent returns the keys of the agent, if there is one. It asks once.
func (k *loginKeys) fromAgent() ([]ssh.Signer, error) {
	if socket := os.Getenv("SSH_AUTH_SOCK"); socket != "" && !k.asked {
		k.asked = true
		k.inAgent, k.noAgent = k.askAgent(socket)
	}
	return k.inAgent, k.noAgent
}

func (k *loginKeys) askAgent(socket string) (signers []ssh.Signer, err error) {
	conn, err := net.DialTimeout("unix", socket, k.patience)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.agent = conn
	if k.closed {
		conn.Close()
	}
	k.mu.Unlock()
	conn.SetDeadline(time.Now().Add(k.patience))
	all, err := agent.NewClient(conn).Signers()
	conn.SetDeadline(time.Time{}) // to sign, it may have to ask the user
	for _, signer := range all {
		if s, ok := signer.(ssh.AlgorithmSigner); ok {
			signer = &agentKey{s, k}
		}
		if signer, err := modern(signer); err == nil {
			signers = append(signers, signer)
		}
	}
	return signers, err
}

// An agentKey is a key of the agent. It keeps why the agent did not sign.
type agentKey struct {
	ssh.AlgorithmSigner
	keys *loginKeys
}

// Sign signs with the algorithm of the key's type.
func (a *agentKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return a.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm signs.
func (a *agentKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := a.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
	if err != nil {
		a.keys.problem = fmt.Errorf("agent: %w", err)
	}
	return signature, err
}

// close ends what the agent is asked, also from another goroutine.
func (k *loginKeys) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.agent != nil {
		k.agent.Close()
	}
}

// readFile reads a private key. One that is encrypted is used by the agent if it has that
// key, or else its passphrase is asked for once the server wants it.
func (k *loginKeys) readFile(path string) (ssh.Signer, error) {
	data, err := cli.ReadSecret(path, maxPrivateKey)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(data)
	missing, encrypted := errors.AsType[*ssh.PassphraseMissingError](err)
	switch {
	case !encrypted && err != nil:
		return nil, err
	case !encrypted:
		return modern(signer)
	}
	public := missing.PublicKey
	if public == nil { // an old format, in which that is encrypted, too
		text, err := os.ReadFile(path + ".pub")
		if err != nil {
			return nil, fmt.Errorf("is encrypted, and without %s.pub nobody can tell which key it is", filepath.Base(path))
		}
		if public, _, _, _, err = ssh.ParseAuthorizedKey(text); err != nil {
			return nil, fmt.Errorf("%s.pub: %w", filepath.Base(path), err)
		}
	}
	inAgent, _ := k.fromAgent()
	for _, signer := range inAgent {
		if sameKey(signer.PublicKey(), public) {
			return signer, nil
		}
	}
	return modern(&encryptedKey{path: path, data: data, public: public, keys: k})
}

// An encryptedKey is a key whose passphrase is asked for when it has to sign.
type encryptedKey struct {
	path   string
	data   []byte
	public ssh.PublicKey
	keys   *loginKeys
	opened ssh.AlgorithmSigner
}

// PublicKey returns the public key.
func (e *encryptedKey) PublicKey() ssh.PublicKey { return e.public }

// Sign signs with the algorithm of the key's type.
func (e *encryptedKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return e.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm signs.
func (e *encryptedKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	if e.opened == nil {
		if err := e.open(); err != nil {
			e.keys.problem = fmt.Errorf("%s: %w", cli.VisibleName(e.path), err)
			return nil, e.keys.problem
		}
	}
	return e.opened.SignWithAlgorithm(rand, data, algorithm)
}

// open asks for the passphrase, three times at most.
func (e *encryptedKey) open() error {
	terminal, err := cli.OpenTerminal()
	if err != nil {
		return errors.New("needs a passphrase, and there is no terminal to ask for it: add the key to an agent with ssh-add")
	}
	defer terminal.Close()
	defer e.keys.pause()()
	for range 3 {
		passphrase, err := terminal.ReadSecret("Passphrase of " + cli.VisibleName(e.path) + ": ")
		if err != nil {
			return err
		}
		signer, err := ssh.ParsePrivateKeyWithPassphrase(e.data, passphrase)
		clear(passphrase)
		if err != nil {
			continue
		}
		opened, ok := signer.(ssh.AlgorithmSigner)
		if !ok || !bytes.Equal(opened.PublicKey().Marshal(), e.public.Marshal()) {
			return errors.New("is another key than its public part says")
		}
		e.opened = opened
		return nil
	}
	return errors.New("no passphrase opens it")
}
