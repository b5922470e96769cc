// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build unix && !aix

package sshcmd

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
)

// characters maps opcodes in RFC 4254, section 8, to control character indexes.
var characters = map[byte]int{
	1: unix.VINTR, 2: unix.VQUIT, 3: unix.VERASE, 4: unix.VKILL, 5: unix.VEOF, 6: unix.VEOL, 7: unix.VEOL2,
	8: unix.VSTART, 9: unix.VSTOP, 10: unix.VSUSP, 12: unix.VREPRINT, 13: unix.VWERASE, 14: unix.VLNEXT, 18: unix.VDISCARD,
}

// modeUTF8 is IUTF8 on Linux, macOS and FreeBSD. Other systems ignore the bit.
const modeUTF8 = 0x4000

// These maps translate opcodes in RFC 4254, section 8, to terminal flags.
var inputFlags = map[byte]uint32{
	30: unix.IGNPAR, 31: unix.PARMRK, 32: unix.INPCK, 33: unix.ISTRIP, 34: unix.INLCR, 35: unix.IGNCR, 36: unix.ICRNL,
	38: unix.IXON, 39: unix.IXANY, 40: unix.IXOFF, 41: unix.IMAXBEL, 42: modeUTF8,
}

var localFlags = map[byte]uint32{
	50: unix.ISIG, 51: unix.ICANON, 53: unix.ECHO, 54: unix.ECHOE, 55: unix.ECHOK, 56: unix.ECHONL, 57: unix.NOFLSH,
	58: unix.TOSTOP, 59: unix.IEXTEN, 60: unix.ECHOCTL, 61: unix.ECHOKE, 62: unix.PENDIN,
}

var outputFlags = map[byte]uint32{70: unix.OPOST, 72: unix.ONLCR, 73: unix.OCRNL, 74: unix.ONOCR, 75: unix.ONLRET}

var controlFlags = map[byte]uint32{90: unix.CS7, 91: unix.CS8, 92: unix.PARENB, 93: unix.PARODD}

// setModes sets the terminal modes requested by a client. It ignores line speeds and
// unsupported modes.
func setModes(fd int, modes string) error {
	if modes == "" || modes[0] == 0 {
		return nil
	}
	t, err := unix.IoctlGetTermios(fd, cli.GetTermios)
	if err != nil {
		return err
	}
	const end, noArguments, disabled = 0, 160, 255
	for ; len(modes) >= 5 && modes[0] != end && modes[0] < noArguments; modes = modes[5:] {
		code, value := modes[0], binary.BigEndian.Uint32([]byte(modes[1:]))
		if at, ok := characters[code]; ok {
			t.Cc[at] = byte(value)
			if value == disabled {
				t.Cc[at] = cli.DisabledCharacter
			}
		}
		setFlag(&t.Iflag, inputFlags[code], value)
		setFlag(&t.Lflag, localFlags[code], value)
		setFlag(&t.Oflag, outputFlags[code], value)
		setFlag(&t.Cflag, controlFlags[code], value)
	}
	return unix.IoctlSetTermios(fd, cli.SetTermios, t)
}

// setFlag sets flag if value is nonzero, and clears it otherwise. For an unsupported
// mode, flag is 0, so nothing changes.
func setFlag[T uint32 | uint64](flags *T, flag, value uint32) {
	if value != 0 {
		*flags |= T(flag)
	} else {
		*flags &^= T(flag)
	}
}
