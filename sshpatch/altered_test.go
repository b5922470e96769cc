// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/gocommand"
	"github.com/unimac/unimac/internal/modcopy"
)

// alteration is a change to the source of x/crypto/ssh.
type alteration struct {
	name    string
	always  bool        // run in short tests, too
	replace [][2]string // regular expressions and replacements in every file; each must match
	added   string      // source of an additional file, initialized last
	wrapper bool        // package ssh only forwards to another package
	reason  string      // part of Register's error, or "" if it succeeds
	ciphers string      // part of Accelerate's error, or "" if it succeeds
}

// ciphersElsewhere is like [elsewhere], but for ciphers.
var ciphersElsewhere = [][2]string{
	{`_, ok := cipherModes\[algo\]`, "ok := cipherOf(algo) != nil"},
	{`cipherModes\[([a-zA-Z.]+)\](\.|$| != nil)`, "cipherOf($1)$2"},
	{`\bcipherModes\b`, "ciphersElsewhere"},
}

// elsewhere moves the map of MACs to a variable of another name. Lookups use that
// variable, and an added file declares a new macModes. The type map[string]*macMode
// stays in the program.
var elsewhere = [][2]string{
	{`_, ok := macModes\[algo\]`, "ok := lookup(algo) != nil"},
	{`macModes\[([a-zA-Z.]+)\](\.|$| !=)`, "lookup($1)$2"},
	{`\bmacModes\b`, "elsewhere"},
}

var alterations = []alteration{
	{name: "none", always: true},
	{
		// If go.dev/issue/76294 and 65269 are implemented, package ssh may only forward
		// to a package of the standard library.
		name:    "wrapper",
		always:  true,
		wrapper: true,
		reason:  "no type map[string]*macMode",
		ciphers: "no type map[string]*cipherMode",
	},
	{
		name: "field appended",
		replace: [][2]string{
			{`(\tnew +func\(key \[\]byte\) hash.Hash\n)`, "$1\ttagSize int\n"},
			{`(?s)(&macMode\{.*?\n\t+\})\}`, "$1, 0}"},
		},
		reason: "fields",
	}, {
		name: "field inserted into padding",
		replace: [][2]string{
			{`(\tetm +bool\n)`, "$1\tfixed bool\n"},
			{`&macMode\{(\d+), (\w+), `, "&macMode{$1, $2, true, "},
		},
		reason: "fields",
	}, {
		name: "fields in another order",
		replace: [][2]string{
			{`(\tkeySize +int\n)(\tetm +bool\n)`, "$2$1"},
			{`&macMode\{(\d+), (\w+), `, "&macMode{$2, $1, "},
		},
		reason: "field 0",
	}, {
		name: "another type of field",
		replace: [][2]string{
			{`\tkeySize +int\n\tetm`, "\tkeySize uint\n\tetm"},
			{`macMode\.keySize`, "int(macMode.keySize)"},
		},
		reason: "field 0",
	}, {
		name: "another parameter",
		replace: [][2]string{
			{`(new +func\()(key \[\]byte\) hash.Hash\n)`, "${1}direction int, $2"},
			{`(&macMode\{\d+, \w+, func\()`, "${1}_ int, "},
			{`(\]|macMode)\.new\(`, "$1.new(0, "},
		},
		reason: "field 2",
	}, {
		name:    "values instead of pointers",
		replace: [][2]string{{`map\[string\]\*macMode`, "map[string]macMode"}, {`&macMode\{`, "macMode{"}, {`macModes\[m\] != nil`, "macModes[m].new != nil"}, {`macMode == nil`, "macMode.new == nil"}},
		reason:  "no type map[string]*macMode",
	}, {
		name:    "another type of key",
		replace: [][2]string{{`map\[string\]\*macMode`, "map[macName]*macMode"}, {`macModes\[([^\]]+)\]`, "macModes[macName($1)]"}},
		added:   "type macName string",
		reason:  "no type map[string]*macMode",
	}, {
		name:    "variable renamed",
		replace: [][2]string{{`\bmacModes\b`, "modesOfMACs"}},
		reason:  "macModes is nil or missing",
	}, {
		name:    "sync.Map",
		replace: elsewhere,
		added: `import "sync"
			var macModes sync.Map
			func init() { for name, mode := range elsewhere { macModes.Store(name, mode) } }
			func lookup(name string) *macMode { mode, _ := macModes.Load(name); m, _ := mode.(*macMode); return m }`,
		reason: "macModes",
	}, {
		name:    "slice",
		replace: elsewhere,
		added: `type namedMode struct { name string; mode *macMode }
			var macModes []namedMode
			func init() { for name, mode := range elsewhere { macModes = append(macModes, namedMode{name, mode}) } }
			func lookup(name string) *macMode {
				for _, m := range macModes { if m.name == name { return m.mode } }
				return nil
			}`,
		reason: "macModes",
	}, {
		name:    "struct with a mutex",
		replace: elsewhere,
		added: `import "sync"
			var macModes struct { mu sync.RWMutex; modes map[string]*macMode }
			func init() { macModes.modes = elsewhere }
			func lookup(name string) *macMode { macModes.mu.RLock(); defer macModes.mu.RUnlock(); return macModes.modes[name] }`,
		reason: "macModes",
	}, {
		name:    "struct with a count",
		replace: elsewhere,
		added: `var macModes struct { n int; modes map[string]*macMode }
			func init() { macModes.modes = elsewhere; macModes.n = len(elsewhere) }
			func lookup(name string) *macMode { return macModes.modes[name] }`,
		reason: "macModes",
	}, {
		name:    "pointer to a struct with a count",
		replace: elsewhere,
		added: `type table struct { n int; modes map[string]*macMode; names []string }
			var macModes = newTable(6)
			//go:noinline
			func newTable(n int) *table { return &table{n: n, modes: elsewhere} }
			func lookup(name string) *macMode { return macModes.modes[name] }`,
		reason: "macModes",
	}, {
		name:    "pointer to a map",
		replace: elsewhere,
		added: `var macModes = &elsewhere
			func lookup(name string) *macMode { return (*macModes)[name] }`,
		reason: "macModes",
	}, {
		name:    "interface",
		replace: elsewhere,
		added: `var macModes any
			func init() { macModes = elsewhere }
			func lookup(name string) *macMode { return macModes.(map[string]*macMode)[name] }`,
		reason: "macModes",
	}, {
		name:    "function",
		replace: elsewhere,
		added: `func macModes(name string) *macMode { return elsewhere[name] }
			func lookup(name string) *macMode { return macModes(name) }`,
		reason: "macModes",
	}, {
		name:    "another meaning of a key size",
		replace: [][2]string{{`&macMode\{32, `, "&macMode{256, "}, {`macMode\.keySize`, "macMode.keySize/8"}},
		reason:  "key of 256 bytes",
	}, {
		// This SetDefaults drops the first four names. Later calls drop the names
		// only if Register removed the entries again.
		name:    "SetDefaults with its own list",
		replace: [][2]string{{`if macModes\[m\] != nil`, `if macModes[m] != nil && !isDropped(m)`}},
		added: `import "strings"
			var dropped int
			func isDropped(name string) bool {
				if strings.HasPrefix(name, "umac-") && dropped < 4 { dropped++; return true }
				return false
			}`,
		reason: "SetDefaults",
	}, {
		name:    "ciphers: field appended",
		replace: [][2]string{{`(\tcreate +func\(key, iv \[\]byte.*\n)`, "$1\ttagSize int\n"}, {`(&cipherMode\{.*)\}$`, "$1, 0}"}},
		ciphers: "fields",
	}, {
		name:    "ciphers: fields in another order",
		replace: [][2]string{{`(\tkeySize +int\n)(\tivSize +int\n)`, "$2$1"}, {`&cipherMode\{(\w+), ([\w.]+), `, "&cipherMode{$2, $1, "}},
		ciphers: "field 0",
	}, {
		name: "ciphers: another parameter",
		replace: [][2]string{
			{`macKey \[\]byte, algs DirectionAlgorithms\) \(packetCipher`, "macKey []byte, algs *DirectionAlgorithms) (packetCipher"},
			{`(, unusedAlgs )(DirectionAlgorithms)`, "$1*$2"},
			{`create\(key, iv, macKey, algs\)`, "create(key, iv, macKey, &algs)"},
		},
		ciphers: "field 2",
	}, {
		name: "ciphers: another list of algorithms",
		replace: [][2]string{
			{`(type DirectionAlgorithms struct \{\n)`, "$1\tlevel int\n"},
		},
		ciphers: "field 2",
	}, {
		name:    "ciphers: an additional method",
		replace: [][2]string{{`(type packetCipher interface \{\n)`, "$1\toverhead() int\n"}},
		added: `func (*streamPacketCipher) overhead() int { return 0 }
			func (*gcmCipher) overhead() int { return 0 }
			func (*cbcCipher) overhead() int { return 0 }
			func (*chacha20Poly1305Cipher) overhead() int { return 0 }`,
		ciphers: "field 2",
	}, {
		name:    "ciphers: a method with another name",
		replace: [][2]string{{`\breadCipherPacket\b`, "zReadCipherPacket"}},
		ciphers: "field 2",
	}, {
		name: "ciphers: a method with another type",
		replace: [][2]string{
			{`(\breadCipherPacket\(seqN?n?um uint)32`, "${1}64"},
			{`(readCipherPacket\()(s.seqNum, r\))`, "${1}uint64(s.seqNum), r)"},
			{`(PutUint32\([a-z.A-Z]*\[8?:\], |return c.readCipherPacketLeaky\(|:= c.readCipherPacketLeaky\()seqNum`, "${1}uint32(seqNum)"},
		},
		ciphers: "field 2",
	}, {
		name:    "ciphers: values instead of pointers",
		replace: [][2]string{{`map\[string\]\*cipherMode`, "map[string]cipherMode"}, {`&cipherMode\{`, "cipherMode{"}, {`cipherModes\[c\] != nil`, "cipherModes[c].create != nil"}, {`cipherMode == nil`, "cipherMode.create == nil"}},
		ciphers: "no type map[string]*cipherMode",
	}, {
		name:    "ciphers: variable renamed",
		replace: [][2]string{{`\bcipherModes\b`, "modesOfCiphers"}},
		ciphers: "cipherModes is nil or missing",
	}, {
		name:    "ciphers: function",
		replace: ciphersElsewhere,
		added: `func cipherModes(name string) *cipherMode { return ciphersElsewhere[name] }
			func cipherOf(name string) *cipherMode { return cipherModes(name) }`,
		ciphers: "cipherModes",
	}, {
		name:    "ciphers: interface",
		replace: ciphersElsewhere,
		added: `var cipherModes any
			func init() { cipherModes = ciphersElsewhere }
			func cipherOf(name string) *cipherMode { return cipherModes.(map[string]*cipherMode)[name] }`,
		ciphers: "cipherModes",
	}, {
		name:    "ciphers: struct with a count",
		replace: ciphersElsewhere,
		added: `var cipherModes struct { n int; modes map[string]*cipherMode }
			func init() { cipherModes.modes = ciphersElsewhere; cipherModes.n = len(ciphersElsewhere) }
			func cipherOf(name string) *cipherMode { return cipherModes.modes[name] }`,
		ciphers: "cipherModes",
	}, {
		name:    "ciphers: another meaning of a key size",
		replace: [][2]string{{`&cipherMode\{64, 0, `, "&cipherMode{512, 0, "}, {`make\(\[\]byte, cipherMode.keySize\)`, "make([]byte, cipherMode.keySize%448)"}},
		ciphers: "key of 512 bytes",
	}, {
		name:    "ciphers: exchanged ChaCha20 keys",
		replace: [][2]string{{`copy\(c.contentKey\[:\], key\[:32\]\)`, "copy(c.contentKey[:], key[32:])"}, {`copy\(c.lengthKey\[:\], key\[32:\]\)`, "copy(c.lengthKey[:], key[:32])"}},
		ciphers: "chacha20-poly1305@openssh.com",
	}, {
		name:    "ciphers: more padding",
		always:  true,
		replace: [][2]string{{`const packetSizeMultiple = 8$`, "const packetSizeMultiple = 16"}},
		ciphers: "chacha20-poly1305@openssh.com: a packet of 1 bytes differs",
	}, {
		name:    "ciphers: another error",
		replace: [][2]string{{`"ssh: MAC failure"`, "\"ssh: bad MAC\""}},
		ciphers: "a forgery returns",
	}, {
		name:    "ciphers: a constructor that panics",
		replace: [][2]string{{`(func newChaCha20Cipher.*\{\n)`, "$1\tif key[0] == 0 && key[1] == 1 { panic(\"boo\") }\n"}},
		ciphers: "boo",
	},
}

// TestAltered checks Register and Accelerate in programs with altered copies of
// x/crypto. Each call must succeed or return the expected error, and the program's
// connections must work in both cases.
func TestAltered(t *testing.T) {
	gocommand.Need(t)
	repository, crypto := gocommand.Repository(t), gocommand.CryptoCopy(t)
	tree, err := gocommand.Sources(crypto)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alterations {
		t.Run(a.name, func(t *testing.T) {
			if !a.always {
				mactest.NeedWhole(t)
			}
			t.Parallel()
			program := buildAgainst(t, repository, crypto, "-overlay="+a.apply(t, tree, crypto))
			r := runApplication(t, program)
			r.check(t, a.reason == "")
			switch {
			case a.reason == "" && r.Register != "":
				t.Errorf("Register: %s: %s", r.Register, r.Reason)
			case a.reason != "" && (r.Register != "incompatible" || !strings.Contains(r.Reason, a.reason)):
				t.Errorf("Register: %q, %q; want ErrIncompatible with %q", r.Register, r.Reason, a.reason)
			}
			switch {
			case a.ciphers == "" && r.Accelerate != "":
				t.Errorf("Accelerate: %s: %s", r.Accelerate, r.AccelerateSays)
			case a.ciphers != "" && (r.Accelerate != "incompatible" || !strings.Contains(r.AccelerateSays, a.ciphers)):
				t.Errorf("Accelerate: %q, %q; want ErrIncompatible with %q", r.Accelerate, r.AccelerateSays, a.ciphers)
			}
			if a.name != "none" {
				t.Log(r.Reason, r.AccelerateSays)
			} else {
				r := runApplication(t, program, "GODEBUG=fips140=on")
				r.check(t, false)
				if r.Register != "FIPS" || r.Accelerate != "FIPS" {
					t.Errorf("in FIPS mode: %q, %q; %q, %q", r.Register, r.Reason, r.Accelerate, r.AccelerateSays)
				}
			}
		})
	}
}

// buildAgainst builds testdata/application with x/crypto replaced by a folder. The
// program is stripped, to show that Register does not need symbols.
func buildAgainst(t *testing.T, repository, crypto string, flags ...string) (program string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		gocommand.CopyFile(t, filepath.Join(dir, name), filepath.Join(repository, name))
	}
	gocommand.Run(t, dir, "mod", "edit", "-replace="+modcopy.Crypto+"="+crypto)
	program = filepath.Join(dir, "application.exe")
	flags = append([]string{"build", "-ldflags=-s -w", "-modfile=" + filepath.Join(dir, "go.mod"), "-o", program}, flags...)
	gocommand.Run(t, repository, append(flags, "./sshpatch/testdata/application")...)
	return program
}

// TestReleases is like TestAltered with releases that differ from the current one. Up
// to v0.38.0, the supported MACs are the default ones. CI downloads the releases;
// elsewhere, those in the module cache are tested. The oldest release is always tested.
func TestReleases(t *testing.T) {
	gocommand.Need(t)
	repository := gocommand.Repository(t)
	for i, version := range []string{"v0.1.0", "v0.17.0", "v0.31.0", "v0.38.0", "v0.45.0"} {
		t.Run(version, func(t *testing.T) {
			if i > 0 {
				mactest.NeedWhole(t)
			}
			r := runApplication(t, buildAgainst(t, repository, gocommand.Release(t, version)))
			r.check(t, true)
			if r.Register != "" {
				t.Errorf("Register: %s: %s", r.Register, r.Reason)
			}
			if r.Accelerate != "" {
				t.Errorf("Accelerate: %s: %s", r.Accelerate, r.AccelerateSays)
			}
		})
	}
}

// apply alters package ssh and returns a file for the -overlay flag of go build. With
// it, the x/crypto in the folder crypto is the altered one, although its files do not
// change and other packages are built only once.
func (a alteration) apply(t *testing.T, tree modcopy.Tree, crypto string) (overlay string) {
	t.Helper()
	altered := maps.Clone(tree)
	matched := make([]bool, len(a.replace))
	for name, source := range tree {
		if path.Dir(name) != "ssh" {
			continue
		}
		for i, r := range a.replace {
			pattern := regexp.MustCompile("(?m)" + r[0])
			if pattern.Match(source) {
				matched[i] = true
				source = pattern.ReplaceAll(source, []byte(r[1]))
			}
		}
		altered[name] = source
	}
	for i, ok := range matched {
		if !ok {
			t.Fatalf("no file matches %s", a.replace[i][0])
		}
	}
	if a.wrapper {
		wrap(t, altered)
	}
	if a.added != "" {
		altered["ssh/zz_added.go"] = []byte("package ssh\n" + a.added)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for name := range tree {
		if altered[name] == nil {
			replace[filepath.Join(crypto, name)] = "" // removes the file
		}
	}
	for name, content := range altered {
		if !bytes.Equal(content, tree[name]) {
			replace[filepath.Join(crypto, name)] = writeFile(t, filepath.Join(dir, fmt.Sprint(len(replace), ".go")), content)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, filepath.Join(dir, "overlay.json"), list)
}
