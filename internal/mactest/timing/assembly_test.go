// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/layout/aegis"
	"github.com/unimac/unimac/internal/layout/blake2b"
	"github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/asm"
)

// root is the path of the module's root relative to this folder.
const root = "../../.."

// publicLoads lists, by function, the displacements of loads whose results are public
// although they come from memory: numbers of streams or rounds, and pointers to
// messages.
var publicLoads = map[string][]int{
	"sumNEONAES": sumLoads, "sumAVX2AES": sumLoads, "sumAVX512AES": sumLoads, "sumSSE41AES": sumLoads,
	"sumFourAVX2AES": append([]int{
		umac.MessageMsg, umac.MessageN, // of the first message, whose address advances; all pads are loaded at once
		umac.MessagePadAt, umac.MessagePadAt + umac.SizeofMessage, umac.MessagePadAt + 2*umac.SizeofMessage, umac.MessagePadAt + 3*umac.SizeofMessage,
	}, sumLoads...),
	// The same displacement loads a secret block, which is not used as an address.
	"encryptAVX2AES": {umac.RoundKeysRounds}, "encryptSSE41AES": {umac.RoundKeysRounds},
	"lanes4AVX2": wordsFrom(blake2b.LanesBlocks, 4), "lanes4AVX512": wordsFrom(blake2b.LanesBlocks, 4),
	"lanes8AVX2": wordsFrom(blake2b.LanesBlocks, 8), "lanes8AVX512": wordsFrom(blake2b.LanesBlocks, 8),
	"lanes2NEON": wordsFrom(blake2b.LanesBlocks, 2),
	"sealNEON":   {chacha20poly1305.OnePassBegun}, "openNEON": {chacha20poly1305.OnePassBegun},
	"cryptAVX2": totalLength, "cryptAVX512": totalLength, "cryptSSE41": totalLength,
	"xorLanesAVX512IFMA": {chacha20poly1305.LanesDst, chacha20poly1305.LanesSrc, chacha20poly1305.LanesLength, chacha20poly1305.LanesRowAt},
	"run128SSE41AES":     messages, "run256SSE41AES": messages, "run128NEONAES": messages, "run256NEONAES": messages,
	"run128AVX2AES": messages, "run128X2AVX2VAES": messages, "run128X4AVX512VAES": messages,
	"run256AVX2AES": messages, "run256X2AVX2VAES": messages, "run256X4AVX512VAES": messages,
	"pair256X2AVX512VAES": messages,
}

// sumLoads lists the numbers of streams and of AES rounds.
var sumLoads = []int{umac.KeysUhashStreams, umac.KeysPadRounds}

// totalLength lists the length of the text, relative to the counter, to which the
// kernel's argument points.
var totalLength = []int{chacha20poly1305.MessageLengths + 8 - chacha20poly1305.MessageCounter}

// wordsFrom returns the displacements of n words from at on.
func wordsFrom(at, n int) (all []int) {
	for i := range n {
		all = append(all, at+8*i)
	}
	return all
}

// messages lists the public fields of AEGIS's message: pointers and lengths.
var messages = []int{
	aegis.MessageDst, aegis.MessageSrc, aegis.MessageN, aegis.MessageStride, aegis.MessageAt, aegis.MessageFrom, aegis.MessageTo,
	aegis.MessageKey, aegis.MessageNonce, aegis.MessageContext, aegis.MessageOut, aegis.MessageMode, aegis.MessageSize,
}

// secretArguments lists arguments that are secret. All other arguments are lengths,
// counts, nonces or pointers.
var secretArguments = map[string][]string{"subWordAVX2AES": {"w"}, "subWordSSE41AES": {"w"}}

// excused lists, by function, registers that contain secrets on code paths that never
// use them as addresses. In cryptAVX2, cryptAVX512 and cryptSSE41, they contain
// ChaCha20's state for the key's block, after which a count of 0 skips the addresses.
// This test does not track the value of the count.
var excused = map[string][]string{"cryptAVX2": {"DI", "R13"}, "cryptAVX512": {"R8", "R13"}, "cryptSSE41": {"R10", "R14"}}

// A statement is a line of assembly: an instruction or a label.
type statement struct {
	label    string
	mnemonic string
	operands []string
}

// A taint describes a point in a function: which registers, and whether the flags, are
// independent of secrets.
type taint struct {
	public map[string]bool
	flags  bool
}

var (
	registers   = regexp.MustCompile(`\b(?:[ABCD]X|[ABCD]L|SI|DI|BP|R\d+|[XYZVF]\d+|K\d)\b`)
	memory      = regexp.MustCompile(`^(-?\d+)\(`)
	argument    = regexp.MustCompile(`^(\w+)\(FP\)$`)
	slot        = regexp.MustCompile(`^(?:[\w+-]*)\((?:SP|RSP)\)$`)
	conditional = regexp.MustCompile(`^(J[A-Z]+|B[A-Z]{2}|CBN?ZW?|TBN?Z)$`)
)

// statements returns the instructions and labels of a function.
func statements(fn *asm.Func) (out []statement) {
	labels := make([][]string, len(fn.Code)+1)
	for label, at := range fn.Labels {
		labels[at] = append(labels[at], label)
	}
	for i := range fn.Code {
		for _, label := range labels[i] {
			out = append(out, statement{label: label})
		}
		s := statement{mnemonic: fn.Code[i].Op}
		for k := range fn.Code[i].Args {
			s.operands = append(s.operands, fn.Code[i].Args[k].String())
		}
		out = append(out, s)
	}
	return out
}

// named returns the registers in an operand, under one name for all widths.
func named(operand string) (names []string) {
	for _, r := range registers.FindAllString(operand, -1) {
		switch {
		case strings.ContainsAny(r[:1], "XYZVF"):
			r = "V" + r[1:]
		case len(r) == 2 && r[1] == 'L':
			r = r[:1] + "X"
		}
		names = append(names, r)
	}
	return names
}

func isMemory(operand string) bool {
	return strings.HasSuffix(operand, ")") && !strings.HasPrefix(operand, "$") && !strings.HasPrefix(operand, "(V") &&
		!strings.HasPrefix(operand, "(F") && !isPair(operand)
}

// isPair reports whether the operand is a register pair, as in arm64's LDP.
func isPair(operand string) bool {
	return strings.HasPrefix(operand, "(") && strings.Contains(operand, ",")
}

// isPublic reports whether the value of an operand is independent of secrets.
func (t *taint) isPublic(function, operand string) bool {
	if m := argument.FindStringSubmatch(operand); m != nil {
		return !slices.Contains(secretArguments[function], m[1])
	}
	if strings.Contains(operand, "(SB)") || strings.HasPrefix(operand, "$") {
		return true
	}
	if slot.MatchString(operand) {
		return t.public[operand] // the value stored there
	}
	if isMemory(operand) {
		if r := named(operand); len(r) > 0 && t.public["table "+r[0]] {
			return t.arePublic(r) // a constant
		}
		if m := memory.FindStringSubmatch(operand); m != nil {
			displacement, _ := strconv.Atoi(m[1])
			return slices.Contains(publicLoads[function], displacement)
		}
		return false
	}
	return t.arePublic(named(operand))
}

func (t *taint) arePublic(registers []string) bool {
	for _, r := range registers {
		if !t.public[r] {
			return false
		}
	}
	return true
}

var (
	// carries matches instructions whose results depend on the flags.
	carries = regexp.MustCompile(`^(ADC|SBB|SBC|CMOV|SET|CSEL|CSET|CSINC|CINC|CNEG|RCL|RCR|ADCX|ADOX|CCMP)`)

	// comparisons matches instructions that write only flags.
	comparisons   = regexp.MustCompile(`^(CMP[BWLQ]?|CMN|CMNW|CMPW|TST|TSTW|TEST[BWLQ]|BT[BWLQ]|VPTEST|KTEST[BWDQ]|KORTEST[BWDQ]|CCMP|CCMPW)$`)
	comparesARM64 = regexp.MustCompile(`^(CMP|CMN|TST|CCMP|CCMN)W?$`)

	// leavesFlags matches amd64 instructions that do not write flags.
	leavesFlags = regexp.MustCompile(`^(V[^T]|VT[^E]|AES|BLEND|P[AEIMSU]|PXOR|POR|MOV|LEA|MULX|SHLX|SHRX|SARX|RORX|PDEP|PEXT|CMOV|SET|KMOV|BSWAP|NOT|K[^OT])`)

	// clears matches instructions that clear a register if both operands are this
	// register.
	clears = regexp.MustCompile(`^V?P?(XOR|SUB|EOR)`)
)

// flagless reports whether an instruction does not write flags. On arm64, the names of
// instructions that write flags end with S, except for comparisons.
func flagless(arm bool, mnemonic string) bool {
	if arm {
		return !comparesARM64.MatchString(mnemonic) && !strings.HasSuffix(mnemonic, "S")
	}
	return leavesFlags.MatchString(mnemonic)
}

// step updates t for a statement and calls complain for each violation.
func (t *taint) step(arm bool, function string, s statement, complain func(string)) {
	if s.label != "" {
		return
	}
	for _, operand := range s.operands {
		if !isMemory(operand) || strings.HasPrefix(s.mnemonic, "LEA") || strings.HasSuffix(operand, "(SB)") || strings.HasSuffix(operand, "(FP)") {
			continue
		}
		at := slices.DeleteFunc(named(operand), func(r string) bool { return slices.Contains(excused[function], r) })
		if !t.arePublic(at) {
			complain("an address may depend on a secret")
		}
	}
	mnemonic, _, _ := strings.Cut(s.mnemonic, ".")
	if conditional.MatchString(mnemonic) && mnemonic != "JMP" {
		public := t.flags
		if strings.HasPrefix(mnemonic, "CB") || strings.HasPrefix(mnemonic, "TB") {
			public = t.isPublic(function, s.operands[len(s.operands)-2])
		}
		if !public {
			complain("a branch may depend on a secret")
		}
		return
	}
	if len(s.operands) == 0 || mnemonic == "JMP" || mnemonic == "B" || mnemonic == "WORD" {
		return
	}
	compares := comparisons.MatchString(mnemonic)
	all := true
	for i, operand := range s.operands {
		last := i == len(s.operands)-1
		moves := strings.HasPrefix(mnemonic, "MOV") || strings.HasPrefix(mnemonic, "LEA") || strings.HasPrefix(mnemonic, "V") ||
			strings.HasPrefix(mnemonic, "F") || strings.HasPrefix(mnemonic, "KMOV") || len(s.operands) > 2
		if last && !compares && moves {
			continue // only written
		}
		if strings.HasPrefix(mnemonic, "LEA") {
			all = all && t.arePublic(named(operand))
			continue
		}
		all = all && t.isPublic(function, operand)
	}
	if carries.MatchString(mnemonic) {
		all = all && t.flags
	}
	zeroes := clears.MatchString(mnemonic) && len(s.operands) >= 2 &&
		s.operands[0] == s.operands[1] && !isMemory(s.operands[0])
	written := named(s.operands[len(s.operands)-1])
	switch {
	case compares:
		written = nil
	case mnemonic == "MULQ":
		all = all && t.public["AX"]
		written = []string{"AX", "DX"}
	case strings.HasPrefix(mnemonic, "MULX"):
		all = t.isPublic(function, s.operands[0]) && t.public["DX"]
		written = append(named(s.operands[1]), written...)
	case slot.MatchString(s.operands[len(s.operands)-1]):
		written = s.operands[len(s.operands)-1:]
	case isMemory(s.operands[len(s.operands)-1]):
		written = nil
	case mnemonic == "CPUID" || mnemonic == "XGETBV":
		written = []string{"AX", "BX", "CX", "DX"}
	}
	first := s.operands[0]
	table := strings.HasSuffix(first, "(SB)") && (strings.HasPrefix(mnemonic, "LEA") || strings.HasPrefix(first, "$"))
	if r := named(first); len(r) == 1 && (strings.HasPrefix(mnemonic, "MOV") && !isMemory(first) || strings.HasPrefix(mnemonic, "LEA")) {
		table = table || t.public["table "+r[0]]
	}
	advances := strings.HasPrefix(mnemonic, "ADD") || strings.HasPrefix(mnemonic, "SUB")
	for _, r := range written {
		t.public[r] = all || zeroes
		t.public["table "+r] = table || advances && all && t.public["table "+r] // points to constants
	}
	if !flagless(arm, mnemonic) {
		t.flags = all || zeroes
	}
}

// meet reduces t to what both taints know to be public, and reports whether t changed.
func (t *taint) meet(other *taint) (changed bool) {
	for r, public := range t.public {
		if public && !other.public[r] {
			t.public[r] = false
			changed = true
		}
	}
	if t.flags && !other.flags {
		t.flags, changed = false, true
	}
	return changed
}

// leaks follows all paths through a function and returns the statements whose branches
// or addresses may depend on secrets.
func leaks(arm bool, function string, body []statement) (found []string) {
	labels := map[string]int{}
	for i, s := range body {
		if s.label != "" {
			labels[s.label] = i
		}
	}
	states := make([]*taint, len(body)) // at the entry and at labels
	states[0] = &taint{public: map[string]bool{}}
	for _, s := range body {
		for _, operand := range s.operands {
			if slot.MatchString(operand) {
				states[0].public[operand] = true // not written yet
			}
		}
	}
	work := []int{0}
	complaints := map[string]bool{}
	visit := func(i int, t *taint) {
		if states[i] == nil {
			states[i] = &taint{maps.Clone(t.public), t.flags}
			work = append(work, i)
		} else if states[i].meet(t) {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		t := &taint{maps.Clone(states[i].public), states[i].flags}
		for ; i < len(body); i++ {
			s := body[i]
			t.step(arm, function, s, func(why string) {
				complaints[fmt.Sprintf("%s: %s %s: %s", function, s.mnemonic, strings.Join(s.operands, ", "), why)] = true
			})
			mnemonic, _, _ := strings.Cut(s.mnemonic, ".")
			if mnemonic == "JMP" || mnemonic == "B" || conditional.MatchString(mnemonic) {
				to, ok := labels[s.operands[len(s.operands)-1]]
				if !ok {
					complaints[fmt.Sprintf("%s: %s: jumps out of the function", function, s.mnemonic)] = true
					break
				}
				visit(to, t)
			}
			if mnemonic == "JMP" || mnemonic == "B" || mnemonic == "RET" {
				break
			}
			if i+1 < len(body) && body[i+1].label != "" {
				visit(i+1, t)
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(complaints))
}

// TestAssembly checks that every branch condition and every address in the assembly is
// computed only from public arguments and constants: lengths, counts and pointers.
// Values loaded from memory, and results computed from them, count as secret.
func TestAssembly(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		arm := strings.HasSuffix(path, "_arm64.s")
		if err != nil || !arm && !strings.HasSuffix(path, "_amd64.s") {
			return err
		}
		file, err := asm.Read(path)
		if err != nil {
			return err
		}
		for _, fn := range file.Funcs {
			checked++
			for _, leak := range leaks(arm, fn.Name, statements(fn)) {
				t.Errorf("%s: %s", path, leak)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("%d functions checked, want at least 20", checked)
	}
}
