// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package xcrypto

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/modcopy"
)

// A seam describes how one package of x/crypto is made to use this module's kernels.
// Upstream declares its kernel functions in one file per architecture. For
// architectures with kernels in this module, build constraints exclude upstream's
// files, and added files declare the functions instead.
type seam struct {
	folder string

	// excluded maps the name of each file to exclude to the declarations that it must
	// contain, or to nil for an assembly file. Some of these files may not exist in
	// every release of x/crypto.
	excluded map[string][]string

	// needed lists declarations in other files that the added files use.
	needed []string

	// renames maps each file name to the functions and methods that must be renamed in
	// that file. The added files declare replacements under the original names, and can
	// call the originals under their new names. Copying fails if a release of x/crypto
	// has none of these files.
	renames map[string][]string

	added map[string]addedFile
}

// An addedFile describes a file in a copy that does not exist upstream.
type addedFile struct {
	template   string // name in folder seams
	constraint string

	// If upstreamFile is set, the added file is a copy of that file, with the function
	// oldName renamed to newName. Otherwise, the added file is made from the template.
	upstreamFile, oldName, newName string
}

//go:embed seams
var templates embed.FS

var seams = []seam{
	{
		folder: "chacha20",
		excluded: map[string][]string{
			"chacha_noasm.go": {"const bufSize", "func (s *Cipher) xorKeyStreamBlocks(dst, src []byte)"},
			"chacha_arm64.go": {"const bufSize", "func xorKeyStreamVX(dst, src []byte, key *[8]uint32, nonce *[3]uint32, counter *uint32)", "func (c *Cipher) xorKeyStreamBlocks(dst, src []byte)"},
			"chacha_arm64.s":  nil,
		},
		needed: []string{
			"field Cipher.key [8]uint32",
			"field Cipher.counter uint32",
			"field Cipher.nonce [3]uint32",
			"const blockSize = 64",
			"func hChaCha20(out, key, nonce []byte) ([]byte, error)",
		},
		renames: map[string][]string{"chacha_generic.go": {"func hChaCha20("}},
		added: map[string]addedFile{
			"unimac.go":          {template: "chacha20.go.txt", constraint: kernelConstraint},
			"unimac_upstream.go": {template: "chacha20_upstream.go.txt", constraint: "!(" + kernelConstraint + ")"},
		},
	},
	{
		folder: "internal/poly1305",
		excluded: map[string][]string{
			"mac_noasm.go": {"type mac"},
			"sum_asm.go":   {"func update(state *macState, msg []byte)", "type mac", "func (h *mac) Write(p []byte) (int, error)", "func (h *mac) Sum(out *[16]byte)"},
			"sum_amd64.go": {"func update(state *macState, msg []byte)", "type mac", "func (h *mac) Write(p []byte) (int, error)", "func (h *mac) Sum(out *[16]byte)"},
			"sum_amd64.s":  nil,
		},
		needed: []string{
			"field macState.h [3]uint64",
			"field macState.r [2]uint64",
			"field macGeneric.buffer [TagSize]byte",
			"field macGeneric.offset int",
			"field macState.s [2]uint64",
		},
		added: map[string]addedFile{"unimac.go": {template: "poly1305.go.txt", constraint: kernelConstraint}},
	},
	{
		folder: "chacha20poly1305",
		excluded: map[string][]string{
			"chacha20poly1305_noasm.go": {
				"func (c *chacha20poly1305) seal(dst, nonce, plaintext, additionalData []byte) []byte",
				"func (c *chacha20poly1305) open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error)",
			},
			"chacha20poly1305_amd64.go": {
				"func chacha20Poly1305Open(dst []byte, key []uint32, src, ad []byte) bool",
				"func chacha20Poly1305Seal(dst []byte, key []uint32, src, ad []byte)",
				"var useAVX2",
				"func setupState(state *[16]uint32, key *[32]byte, nonce []byte)",
				"func (c *chacha20poly1305) seal(dst, nonce, plaintext, additionalData []byte) []byte",
				"func (c *chacha20poly1305) open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error)",
			},
			"chacha20poly1305_amd64.s": nil,
			"chacha20poly1305_generic.go": {
				"func writeWithPadding(p *poly1305.MAC, b []byte)",
				"func writeUint64(p *poly1305.MAC, n int)",
				"func (c *chacha20poly1305) sealGeneric(dst, nonce, plaintext, additionalData []byte) []byte",
				"func (c *chacha20poly1305) openGeneric(dst, nonce, ciphertext, additionalData []byte) ([]byte, error)",
			},
		},
		needed: []string{
			"field chacha20poly1305.key [KeySize]byte",
			"func sliceForAppend(in []byte, n int) (head, tail []byte)",
			"var errOpen",
		},
		added: map[string]addedFile{"unimac.go": {template: "chacha20poly1305.go.txt", constraint: kernelConstraint}},
	},
	{
		folder: "salsa20/salsa",
		needed: []string{
			"func XORKeyStream(out, in []byte, counter *[16]byte, key *[32]byte)",
		},
		renames: map[string][]string{
			"salsa20_amd64.go":   {"func XORKeyStream("},
			"salsa20_noasm.go":   {"func XORKeyStream("},
			"salsa20_loong64.go": {"func XORKeyStream("},
		},
		added: map[string]addedFile{
			"unimac.go":          {template: "salsa20.go.txt", constraint: kernelConstraint},
			"unimac_upstream.go": {template: "salsa20_upstream.go.txt", constraint: "!(" + kernelConstraint + ")"},
		},
	},
	{
		folder: "blake2b",
		excluded: map[string][]string{
			"blake2b_ref.go": {"func hashBlocks(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)"},
			"blake2bAVX2_amd64.go": {
				"func init()",
				"func hashBlocksAVX2(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)",
				"func hashBlocksAVX(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)",
				"func hashBlocksSSE4(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)",
				"func hashBlocks(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)",
			},
		},
		needed: []string{
			"func hashBlocksGeneric(h *[8]uint64, c *[2]uint64, flag uint64, blocks []byte)",
			"const BlockSize = 128",
		},
		added: map[string]addedFile{
			"unimac.go": {template: "blake2b.go.txt", constraint: kernelConstraint},
			// Without AVX2, hashBlocks calls upstream's assembly.
			"unimac_upstream_amd64.go": {upstreamFile: "blake2bAVX2_amd64.go", oldName: "hashBlocks", newName: "hashBlocksUpstream", constraint: kernelConstraint},
			"unimac_upstream_arm64.go": {template: "blake2b_arm64.go.txt", constraint: kernelConstraint},
		},
	},
	{
		folder: "ssh",
		needed: []string{
			"field macMode.keySize int",
			"field macMode.etm bool",
			"field macMode.new func(key []byte) hash.Hash",
			"var macModes map[string]*macMode",
			"field chacha20Poly1305Cipher.lengthKey [32]byte",
			"field chacha20Poly1305Cipher.contentKey [32]byte",
			"field chacha20Poly1305Cipher.buf []byte",
			"method packetCipher.readCipherPacket(seqnum uint32, r io.Reader) ([]byte, error)",
			"method packetCipher.writeCipherPacket(seqnum uint32, w io.Writer, rand io.Reader, packet []byte) error",
		},
		renames: map[string][]string{"cipher.go": {
			"func (c *chacha20Poly1305Cipher) readCipherPacket(",
			"func (c *chacha20Poly1305Cipher) writeCipherPacket(",
		}},
		added: map[string]addedFile{
			"unimac_umac.go":     {template: "ssh_umac.go.txt", constraint: umacConstraint},
			"unimac_cipher.go":   {template: "ssh_cipher.go.txt", constraint: kernelConstraint},
			"unimac_upstream.go": {template: "ssh_upstream.go.txt", constraint: "!(" + kernelConstraint + ")"},
		},
	},
}

var addedToKernels = map[string]addedFile{
	"blake2b/xcrypto.go": {template: "blake2b_kernel.go.txt", constraint: kernelConstraint},
	"packet/xcrypto.go":  {template: "packet_kernel.go.txt", constraint: kernelConstraint},
}

func (s seam) apply(tree modcopy.Tree) error {
	files := tree.Below(s.folder)
	all, err := tree.Declared(s.folder, func(name string) bool { _, ok := s.excluded[name]; return ok })
	if err != nil {
		return err
	}
	for _, declaration := range s.needed {
		if !slices.Contains(all, declaration) {
			return fmt.Errorf("no %s", declaration)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.added)) {
		if _, ok := files[name]; ok {
			return fmt.Errorf("%s exists already", name)
		}
		if err := s.added[name].add(tree, path.Join(s.folder, name)); err != nil {
			return err
		}
	}
	if err := s.rename(tree); err != nil {
		return err
	}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(s.excluded)) {
		content, ok := files[name]
		if !ok {
			continue
		}
		if known := s.excluded[name]; known != nil {
			found++
			if err := checkExcluded(name, content, known); err != nil {
				return err
			}
		}
		if tree[path.Join(s.folder, name)], err = constrain(content, "!("+kernelConstraint+")"); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(s.excluded) > 0 && found < 2 {
		return fmt.Errorf("found %d of the files that declare its kernels, want at least 2", found)
	}
	return nil
}

func (s seam) rename(tree modcopy.Tree) error {
	found := 0
	for _, name := range slices.Sorted(maps.Keys(s.renames)) {
		file := path.Join(s.folder, name)
		if _, ok := tree[file]; !ok {
			continue
		}
		found++
		for _, function := range s.renames[name] {
			if err := substitute(tree, file, function, strings.TrimSuffix(function, "(")+"Upstream("); err != nil {
				return err
			}
		}
	}
	if len(s.renames) > 0 && found == 0 {
		return fmt.Errorf("found none of %q", slices.Sorted(maps.Keys(s.renames)))
	}
	return nil
}

// checkExcluded returns an error unless the file contains exactly the known
// declarations. If the file contained any other declaration, excluding the file would
// remove that declaration from the package.
func checkExcluded(name string, content []byte, known []string) error {
	declared, err := modcopy.Declarations(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !slices.Equal(declared.Brief, known) {
		return fmt.Errorf("%s declares %q", name, declared.Brief)
	}
	return nil
}

func (a addedFile) add(tree modcopy.Tree, name string) error {
	var source []byte
	if a.upstreamFile != "" {
		from := path.Join(path.Dir(name), a.upstreamFile)
		original, ok := tree[from]
		if !ok {
			return fmt.Errorf("no %s", from)
		}
		renamed := strings.Replace(string(original), "func "+a.oldName+"(", "func "+a.newName+"(", 1)
		_, begin, end, err := constraintOf([]byte(renamed))
		if err != nil {
			return err
		}
		source = []byte(renamed[:begin] + "// This file was made by github.com/unimac/unimac/xcrypto. It is a copy of " + a.upstreamFile + "\n// in which " + a.oldName + " is renamed.\n\n" + renamed[end:])
	} else {
		template, err := templates.ReadFile("seams/" + a.template)
		if err != nil {
			return err
		}
		source = template
	}
	constrained, err := constrain(source, a.constraint)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	tree[name] = constrained
	return nil
}
