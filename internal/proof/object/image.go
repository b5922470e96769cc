// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"slices"
)

// An image holds the PT_LOAD segments, which are all that the loader reads.
type image []segment

type segment struct {
	elf.ProgHeader
	bytes []byte // Filesz bytes; the loader fills the rest with zeros
}

// readImage rejects programs whose memory or sections could differ from the segments.
func readImage(f *elf.File, page uint64) (image, error) {
	var m image
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Filesz > p.Memsz || p.Vaddr+p.Memsz < p.Vaddr || p.Vaddr%page != p.Off%page {
			return nil, fmt.Errorf("the segment at %#x cannot be mapped", p.Vaddr)
		}
		s := segment{ProgHeader: p.ProgHeader, bytes: make([]byte, p.Filesz)}
		if _, err := io.ReadFull(p.Open(), s.bytes); err != nil {
			return nil, fmt.Errorf("the segment at %#x: %w", p.Vaddr, err)
		}
		// The loader maps whole pages, so segments must not share one.
		for _, other := range m {
			if first(p.Vaddr, page) < last(other.Vaddr+other.Memsz, page) && first(other.Vaddr, page) < last(p.Vaddr+p.Memsz, page) {
				return nil, fmt.Errorf("the segments at %#x and %#x overlap", other.Vaddr, p.Vaddr)
			}
		}
		m = append(m, s)
	}
	if err := relocated(f); err != nil {
		return nil, err
	}
	return m, m.checkSections(f)
}

// first and last round an address down and up to a page boundary.
func first(at, page uint64) uint64 { return at &^ (page - 1) }
func last(at, page uint64) uint64  { return first(at+page-1, page) }

// relocated returns an error if the dynamic loader must change the code.
func relocated(f *elf.File) error {
	flags, err1 := f.DynValue(elf.DT_FLAGS)
	text, err2 := f.DynValue(elf.DT_TEXTREL)
	if len(text) > 0 || slices.ContainsFunc(flags, func(v uint64) bool { return elf.DynFlag(v)&elf.DF_TEXTREL != 0 }) {
		return errors.New("relocations change the code when the program is loaded")
	}
	return errors.Join(err1, err2)
}

// checkSections compares sections with segments, because debuggers show the sections.
func (m image) checkSections(f *elf.File) error {
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		shown, err := s.Data()
		if err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		if loaded, _ := m.at(s.Addr, uint64(len(shown))); string(loaded) != string(shown) {
			return fmt.Errorf("section %s differs from the segment that is loaded at %#x", s.Name, s.Addr)
		}
	}
	return nil
}

// at returns n bytes at an address and their segment's flags, or nil.
func (m image) at(at, n uint64) ([]byte, elf.ProgFlag) {
	for _, s := range m {
		if from := at - s.Vaddr; at >= s.Vaddr && from <= uint64(len(s.bytes)) && n <= uint64(len(s.bytes))-from {
			return s.bytes[from : from+n], s.Flags
		}
	}
	return nil, 0
}
