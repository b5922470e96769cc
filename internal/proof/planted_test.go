// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
)

// planted returns a kernel's function with lines inserted after a given line. The given
// line separates words by single spaces.
func planted(t *testing.T, k *engine.Kernel, after, lines string) (*asm.File, *asm.Func) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(k.File))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	inside, done := false, false
	for line := range strings.Lines(string(data)) {
		text.WriteString(line)
		if words := strings.Fields(line); len(words) > 1 && words[0] == "TEXT" {
			inside = words[1] == "·"+k.Func+"(SB),"
		} else if inside && !done && strings.Join(words, " ") == after {
			text.WriteString(lines + "\n")
			done = true
		}
	}
	if !done {
		t.Fatalf("%s contains no line %q", k.Func, after)
	}
	return parse(t, filepath.Base(name), k.Func, text.String())
}

// parse parses a file's text and returns one of its functions.
func parse(t *testing.T, file, name, text string) (*asm.File, *asm.Func) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := asm.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f, f.Func(name)
}

// TestPlanted inserts instructions into kernels and checks that the proof fails. Each
// insertion violates the statement in a place that a proof could overlook.
func TestPlanted(t *testing.T) {
	for _, test := range []struct{ name, kernel, after, lines, err string }{
		{"changes the state before the loop", "nhPolyAVX2", "JZ done", "MOVQ DX, (AX)", "word 0 of the state"},
		{"changes the value before the loop", "nhPolyNEON", "CBZ R4, done", "MOVD R5, 32(R0)", "word 1 of the state"},
		{"returns for another number of rounds", "sumAVX2AES", "MOVQ 3080(CX), DX", "CMPQ DX, $0x0c\nJEQ back\nJMP on\nback:\nRET\non:", "returns inside"},
		{"returns for another number of rounds", "sumNEONAES", "MOVD 3080(R12), R8", "CMP $12, R8\nBNE on\nRET\non:", "returns inside"},
		{"returns for another number of rounds", "sumFourAVX2AES", "padded:", "CMPQ 3080(AX), $0x0c\nJEQ back\nJMP on\nback:\nRET\non:", "do not decide"},
		{"reads another message", "sumFourAVX2AES", "next1:", "MOVQ 24(CX), R10\nMOVB (R10), R10", "msg0+0; msg0 may have only 0"},
		{"reads a message that may be empty", "sumFourAVX2AES", "padded:", "MOVQ 64(CX), R9\nMOVB (R9), R9", "msg1+0; msg1 may have only 0"},
		{"branches on a length after its iteration", "xorLanesAVX512IFMA", "secondDone:", "CMPQ 1800(AX), $0x00\nJNE back\nJMP on\nback:\nRET\non:", "do not decide"},
		{"branches on a register that an iteration changes", "xorLanesAVX512IFMA", "firstDone:", "CMPQ R9, $0x01\nJAE back\nJMP on\nback:\nRET\non:", "branches on an unknown value"},
		{"branches on a register that an iteration changes", "xorLanesAVX512IFMA", "secondDone:", "CMPQ R9, $0x01\nJAE back\nJMP on\nback:\nRET\non:", "branches on an unknown value"},
		{"overwrites text before reading it", "compressXORAVX2", "MOVQ 1432(SP), BX", "MOVQ BX, (BX)", "accesses src[0] after dst[0] is stored"},
		{"stores text twice", "compressXORAVX2", "VMOVDQU Y5, (BX)", "MOVQ BX, (BX)", "accesses dst[0] after dst[0] is stored"},
		{"stores the digest before reading the key", "sumAVX2", "VPXOR Y3, Y3, Y3", "VMOVDQU Y0, (AX)\nVMOVDQU Y0, 32(AX)", "after dst[0] is stored"},
		{"stores the digest before reading the message", "sumNEON", "MOVD msg+16(FP), R2", "MOVD R2, (R0)", "after dst[0] is stored"},
		{"stores the tag before reading the message", "sumAVX2AES", "streams1:", "MOVL CX, (AX)", "after tag[0] is stored"},
		{"branches on a secret to the target of another branch", "sumAVX2AES", "streams1:", "CMPQ (BX), $0x07\nJEQ steps1", "branches on a secret"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := kernel(t, test.kernel)
			f, fn := planted(t, k, test.after, test.lines)
			_, err := k.Sample().ProveFunc(f, fn, engine.Few)
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("proof: got error %v, want %q", err, test.err)
			}
			if err != nil {
				t.Log(err)
			}
		})
	}
}

// TestPlantedLengths makes cryptAVX2 return early for some lengths of the whole
// message, which may exceed the call's part and reach 256 GiB. The proof must fail.
func TestPlantedLengths(t *testing.T) {
	const back = "back\nJMP on\nback:\nRET\non:"
	for _, test := range []struct{ name, variant, lines string }{
		{"message longer than the call", "seal, the first call", "MOVQ n+32(FP), R8\nCMPQ 80(DI), R8\nJNE " + back},
		{"message longer than the call", "open, the first call", "MOVQ n+32(FP), R8\nCMPQ 80(DI), R8\nJA " + back},
		{"message of more than 16 GiB", "seal, the last call", "MOVQ $0x400000000, R8\nCMPQ 80(DI), R8\nJA " + back},
		{"message of odd length", "open, another call", "TESTQ $0x1, 80(DI)\nJNZ " + back},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := kernel(t, "cryptAVX2")
			k.Variants = []string{test.variant}
			f, fn := planted(t, k, "MOVQ $0x00000000, 1720(SP)", "MOVQ m+0(FP), DI\n"+test.lines)
			if _, err := k.ProveFunc(f, fn, engine.Few); err == nil || !strings.Contains(err.Error(), "do not decide") {
				t.Errorf("proof: got error %v, want %q", err, "do not decide")
			}
		})
	}
}

// TestPlantedAddresses makes a kernel store the tag over the key if the message's
// address is nil, low, or the address of the tag or the key. Go may pass any of these
// addresses for an empty message, so the proof must fail.
func TestPlantedAddresses(t *testing.T) {
	for _, test := range []struct{ kernel, tag, key, msg string }{
		{"sumAVX2AES", "AX", "CX", "BX"}, {"sumAVX512AES", "AX", "CX", "BX"}, {"sumSSE41AES", "BX", "SI", "DI"},
	} {
		over := fmt.Sprintf("CMOVQEQ %s, %s", test.key, test.tag)
		for name, lines := range map[string]string{
			"nil":               fmt.Sprintf("TESTQ %s, %s\n%s", test.msg, test.msg, over),
			"a low address":     fmt.Sprintf("CMPQ %s, $0x10000\nCMOVQCS %s, %s", test.msg, test.key, test.tag),
			"the tag's address": fmt.Sprintf("CMPQ %s, %s\n%s", test.msg, test.tag, over),
			"the key's address": fmt.Sprintf("CMPQ %s, %s\n%s", test.msg, test.key, over),
		} {
			t.Run(test.kernel+", "+name, func(t *testing.T) {
				k := kernel(t, test.kernel).Own()
				k.Max, k.Step = 0, 0
				f, fn := planted(t, k, "MOVQ msg+40(FP), "+test.msg, lines)
				s, err := engine.NewSession(k, f, fn, k.Variants[0])
				if err != nil {
					t.Fatal(err)
				}
				defer s.Store.Drop()
				if _, err := s.Prove(engine.All); err == nil || !strings.Contains(err.Error(), "points to no declared object: choose") {
					t.Errorf("proof: got error %v, want %q", err, "points to no declared object: choose")
				}
			})
		}
	}
}

// TestPlantedRows makes nhAVX2 read a row of the NH key that Go leaves empty for one
// stream. The row contains the same words as the correct one only if there are more
// streams, so the proof must fail.
func TestPlantedRows(t *testing.T) {
	k := kernel(t, "nhAVX2")
	k.Variants = k.Variants[:1]
	f, fn := planted(t, k, "VMOVDQU (CX), Y1", "VINSERTI128 $0x01, 1024(CX), Y1, Y1")
	if _, err := k.ProveFunc(f, fn, engine.Few); err == nil || !strings.Contains(err.Error(), "want") {
		t.Errorf("proof: got error %v, want %q", err, "want")
	}
}
