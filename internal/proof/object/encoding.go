// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// These functions accept only prefixes and unused bits that Go's assembler emits.

var legacyPrefixes = []byte{0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x67}

func encodingAMD64(l *line, want *expected) error {
	op, _, _ := strings.Cut(l.text, " ")
	b := l.bytes
	prefixes := 0
	for prefixes < len(b) && slices.Contains(legacyPrefixes, b[prefixes]) {
		prefixes++
	}
	// AMD processors truncate the target of a jump after a 0x66 prefix.
	if got, all := string(b[:prefixes]), prefixesOf(op, l.text); !slices.Contains(all, got) {
		return fmt.Errorf("prefixes % x, want % x", got, all[0])
	}
	b = append(slices.Clone(b[prefixes:]), make([]byte, 8)...) // pad with zeros so that no index is out of range
	switch {
	case b[0] == 0x62 && want.evex:
		return evex(b, l.text)
	case b[0] == 0x62:
		return errors.New("encoded in EVEX, which needs AVX-512")
	case want.evex:
		return errors.New("not encoded in EVEX")
	case b[0] == 0xc4 || b[0] == 0xc5:
		return vex(b, op, l.text)
	case b[0]>>4 == 4:
		return rex(b, l)
	}
	return nil
}

var (
	extended = regexp.MustCompile(`%(?:r(?:8|9|1[0-5])[dwb]?|xmm(?:8|9|1[0-5]))\b`)
	lowByte  = regexp.MustCompile(`%(?:sil|dil|bpl|spl)\b`)
	index    = regexp.MustCompile(`,%r(?:8|9|1[0-5])\b`)
	general  = regexp.MustCompile(`(?:^| )%[re]\w+(?:,|$)`) // a general-purpose register outside of an address
	ignoresW = regexp.MustCompile(`^(?:vaesenc|vaesenclast|vpshufb|vpslldq|vpsrldq) `)
	intoMask = regexp.MustCompile(`, %k\d$`)
)

func prefixesOf(op, text string) []string {
	vector := strings.Contains(text, "%xmm")
	switch {
	case op[0] == 'v' || op[0] == 'k':
		return []string{""}
	case strings.Contains(text, "%fs:"): // in the stack check
		return []string{"\x64"}
	case op == "movdqu":
		return []string{"\xf3"}
	case op == "movq" && vector:
		return []string{"\x66", "\xf3"}
	case vector && op != "shufps", strings.HasSuffix(op, "w") && !strings.HasPrefix(op, "movz"):
		return []string{"\x66"}
	}
	return []string{""}
}

// rex rejects REX prefixes with bits that have no effect.
func rex(b []byte, l *line) error {
	const w, r, x, rm = 8, 4, 2, 1
	op, _, _ := strings.Cut(l.text, " ")
	wide, register := strings.HasSuffix(op, "q"), extended.MatchString(l.text)
	opcode, address := b[1], b[2:]
	if opcode == 0x0f {
		opcode, address = b[2], b[3:]
		if opcode == 0x38 || opcode == 0x3a {
			address = b[4:]
		}
	}
	switch {
	case op == "retq" || op == "pushq" || op == "popq":
		wide = false
	case strings.Contains(l.text, "%xmm"):
		wide = op == "pinsrq" || op == "pextrq" || op == "movq" && l.bytes[0] == 0x66 && opcode != 0xd6
	}
	switch p := b[0]; {
	case p == 0x40 && !lowByte.MatchString(l.text), p&w != 0 && !wide, p&x != 0 && !index.MatchString(l.text),
		p&rm != 0 && (!register || noBase(address)), p&r != 0 && (!register || group(b[1], b[2])):
		return fmt.Errorf("prefix REX %#x has bits without purpose", p)
	}
	return nil
}

// noBase reports whether ModRM and SIB bytes encode an address without a base.
func noBase(b []byte) bool { return b[0]&0xc7 == 5 || b[0]&0xc7 == 4 && b[1]&7 == 5 }

// group reports whether ModRM is missing or ModRM's reg field extends the opcode.
func group(first, second byte) bool {
	if first == 0x0f {
		return second == 0x18 || second >= 0x71 && second <= 0x73 || second >= 0xc8 && second <= 0xcf
	}
	return first>>4 == 0xb || first&^3 == 0x80 || first&^1 == 0xc0 || first&^1 == 0xc6 || first&^3 == 0xd0 || first&0xf6 == 0xf6
}

// vex checks VEX fields that the disassembly does not show.
func vex(b []byte, op, text string) error {
	last, opcode, address, three := b[1], b[2], b[3:], b[0] == 0xc4
	if three {
		last, opcode, address = b[2], b[3], b[4:]
	}
	shift := opcode >= 0x71 && opcode <= 0x73 && (!three || b[1]&31 == 1)
	switch {
	case three && b[1]&0x40 == 0 && !index.MatchString(text):
		return errors.New("VEX.X has no purpose")
	case three && b[1]&0x20 == 0 && noBase(address):
		return errors.New("VEX.B has no purpose")
	case three && last&0x80 != 0 && op[0] == 'v' && !slices.Contains([]string{"vpermq", "vmovq", "vpinsrq", "vpextrq"}, op):
		return errors.New("VEX.W has no purpose")
	case b[1]&0x80 == 0 && (shift || op == "vzeroupper"):
		return errors.New("VEX.R has no purpose")
	case last>>3&15 != 15 && !shift && operands(text) < 3:
		return errors.New("VEX.vvvv names a register, want none")
	case (last&4 != 0) != strings.Contains(text, "%ymm"):
		return errors.New("VEX.L is wrong for the registers")
	}
	return nil
}

// evex checks EVEX fields that the disassembly does not show.
func evex(b []byte, text string) error {
	opcode, modrm := b[4], b[5]
	shift := opcode >= 0x71 && opcode <= 0x73 && b[1]&7 == 1
	size := b[3] >> 5 & 3
	switch {
	case b[1]&8 != 0 || b[2]&4 == 0:
		return errors.New("reserved bits of EVEX are changed")
	case b[1]&0x40 == 0 && !index.MatchString(text) && (modrm < 0xc0 || general.MatchString(text)):
		return errors.New("EVEX.X has no purpose")
	case b[1]&0x20 == 0 && noBase(b[5:]):
		return errors.New("EVEX.B has no purpose")
	case b[2]&0x80 != 0 && ignoresW.MatchString(text):
		return errors.New("EVEX.W has no purpose")
	case b[1]&0x90 != 0x90 && (shift || intoMask.MatchString(text)):
		return errors.New("EVEX.R has no purpose")
	case (b[2]>>3&15 != 15 || b[3]&8 == 0) && !shift && operands(text) < 3 && !index.MatchString(text):
		return errors.New("EVEX.vvvv names a register, want none")
	case size == 3 || !strings.Contains(text, []string{"%xmm", "%ymm", "%zmm"}[size]):
		return errors.New("EVEX.L'L is wrong for the registers")
	}
	return nil
}

// operands returns the number of operands, not counting a constant.
func operands(text string) (n int) {
	_, list, _ := strings.Cut(text, " ")
	for _, o := range operand.FindAllString(list, -1) {
		if !strings.HasPrefix(strings.TrimSpace(o), "$") {
			n++
		}
	}
	return n
}

// operand matches an operand, which may contain commas in parentheses.
var operand = regexp.MustCompile(`(?:[^,()]|\([^()]*\))+`)

// encodingARM64 checks two hidden fields: Ra of UMULH and DUP's unused element bits.
func encodingARM64(l *line, _ *expected) error {
	switch word, op := binary.LittleEndian.Uint32(l.bytes), l.text[:strings.IndexByte(l.text+" ", ' ')]; {
	case op == "umulh" && word>>10&31 != 31:
		return errors.New("field Ra is not ones")
	case op == "dup" && !strings.Contains(l.text, "[") && word>>16&31&(word>>16&31-1) != 0:
		return errors.New("field imm5 has bits without purpose")
	}
	return nil
}
