// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// padVariants lists, for each number of streams, the pad offsets that a nonce can select.
var padVariants = []string{
	"1 streams, pad at 0", "1 streams, pad at 4", "1 streams, pad at 8", "1 streams, pad at 12",
	"2 streams, pad at 0", "2 streams, pad at 8", "3 streams, pad at 0", "4 streams, pad at 0",
}

// declareKeys declares the keys of all steps.
func (m *message) declareKeys(c *engine.Case) {
	m.keys = c.Buffer("keys", layout.SizeofKeys)
	m.rounds = c.NewLeaf(64, term.LeafInfo{Name: "rounds", Public: true, Max: 2})
	m.keys.Set(layout.KeysPadRounds, c.AddConst(c.Scale(m.rounds, 2), 10))
	m.keys.Set(layout.KeysUhashStreams, c.Const(64, uint64(m.streams)))
	m.declareNH(c, m.keys, layout.KeysUhashNh)
	m.declarePoly(c, m.keys, layout.KeysUhashPoly64)
	m.declareL3(c)
}

func (m *message) declareBlock(c *engine.Case) {
	m.block = []term.Term{c.Input("lo", false), c.Input("hi", false)}
	m.pad = []term.Term{c.Input("pad", false), c.Input("pad", false)}
}

func (m *message) setup(c *engine.Case) {
	*m = *newMessage(c)
	m.declareKeys(c)
	m.tag, m.msg = engine.Writable(c.Buffer("tag", int64(4*m.streams))), c.Bytes("msg", c.N)
	m.state = c.Frame
	c.Head = fmt.Sprintf("whole_summed%d", m.streams) // used only if there is a loop
	m.declareBlock(c)
	c.Arg(m.tag.Base, m.keys.Base, m.block[0], m.block[1], c.Const(64, uint64(m.at)), m.msg.Base, c.N)
	c.MayOverlap(m.tag, m.msg)
}

// unknowns returns an unknown of that name per stream. All paths share them.
func (m *message) unknowns(c *engine.Case, name string) []term.Term {
	return term.Memo(c.Store, [...]any{"unknowns", name}, func() (list []term.Term) {
		for stream := range m.streams {
			list = append(list, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprint(name, stream)}))
		}
		return list
	})
}

// checkHashes checks that each tag word is its value's masked L3-HASH.
func (m *message) checkHashes(c *engine.Case, s engine.View, values []term.Term) error {
	pad := spec.BlockOf(c.Store, m.pad...)
	for stream := range m.streams {
		var mask, hash [4]term.Byte
		c.Store.Bytes(mask[:], m.k2[stream])
		for i := range hash {
			at := int64(4*stream + 3 - i)
			masked := c.Gather([]term.Byte{s.Mem.Byte(m.tag, m.from+at)})
			c.Store.Bytes(hash[i:i+1], c.Xor(masked, c.Xor(c.Alone(mask[i]), c.Alone(pad[m.at+at]))))
		}
		if err := m.checkL3(c, s, hash, values[stream], stream); err != nil {
			return fmt.Errorf("stream %d: %w", stream, err)
		}
	}
	return nil
}

func (m *message) kernel(file, name string, maxLen int64, e encryption) engine.Kernel {
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the tag of msg: L3-HASH of the NH value, masked with the encrypted block",
		Variants: padVariants,
		Range:    engine.Range{Lengths: fmt.Sprintf("0 to %d bytes, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of the pad", maxLen), Unit: 1, Min: 0, Max: maxLen},
		Setup:    m.setup,
		Spec:     func(c *engine.Case, _ int64, _ bool) { c.Checked(m.tag, 0, int64(4*m.streams)) },
		Left: func(c *engine.Case, s engine.View, n int64) error {
			if n <= spec.NHChunk {
				return m.checkHashes(c, s, m.values(c, 0, n))
			}
			return m.checkHashes(c, s, m.unknowns(c, "y reduced"))
		},
		Weakenings: engine.Weakenings{At: engine.Assertions{encryptLabel: func(c *engine.Case, _ engine.View) *engine.Assertion {
			return e.call(c, *m)
		}}},
		Segments: []engine.Kernel{e.segment(file, name)},
	}
}

func sumLong(name string, e encryption) engine.Kernel {
	m := &message{}
	k := m.kernel(sumAMD64, name, 64<<10, e)
	k.Claim = "the tag of msg: L3-HASH of the NH value, or of POLY-64 of the NH values, masked with the encrypted block"
	k.Step, k.Reached, k.Unwiped = spec.NHChunk, spec.NHChunk+1, true
	k.Invariant = func(c *engine.Case) *engine.Assertion {
		begun := slices.Repeat([]term.Term{c.Const(64, spec.Poly64Start)}, m.streams)
		begun = append(begun, m.values(c, 0, spec.NHChunk)...)
		return m.invariant(c, begun, m.values(c, spec.NHChunk, spec.NHChunk))
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.At[fmt.Sprintf("last%d", streams)] = m.checkLastStep
		k.At[fmt.Sprintf("values%d", streams)] = m.replaceValues
		for stream := range streams {
			k.At[fmt.Sprintf("reduced%d_%d", streams, stream)] = func(c *engine.Case, s engine.View) *engine.Assertion {
				return m.checkReduced(c, s, stream)
			}
		}
	}
	return k
}

// checkLastStep checks y before the last chunk and replaces it with an unknown.
func (m *message) checkLastStep(c *engine.Case, s engine.View) *engine.Assertion {
	if !c.Looped {
		return nil
	}
	a := &engine.Assertion{Where: func(s engine.View) error { return m.checkAbsorbed(c, s) }}
	for stream, y := range m.unknowns(c, "y") {
		a.HasUnknown(m.place(stream), y)
	}
	return a
}

// replaceValues replaces the last chunk's values with unknowns wherever they are.
func (m *message) replaceValues(c *engine.Case, s engine.View) *engine.Assertion {
	n, ok := s.Value(s.Length)
	machine.Refuse(!ok || !c.Looped, "there is no chunk before the last")
	values, unknowns := m.values(c, spec.NHChunk, int64(n)-spec.NHChunk), m.unknowns(c, "value")
	a := &engine.Assertion{Where: func(s engine.View) (err error) {
		for stream, got := range s.Of(unknowns...) {
			err = cmp.Or(err, s.Is("the value of a stream", got, values[stream]))
		}
		return err
	}}
	for stream, v := range unknowns {
		// A vector contains the values of two streams.
		at := slices.IndexFunc(vectors, func(name string) bool { return s.At(c.Lane(name, stream%2)) == values[stream] })
		machine.Refuse(at < 0, "no vector contains the value of stream %d", stream)
		a.HasUnknown(c.Lane(vectors[at], stream%2), v)
	}
	return a
}

var vectors = strings.Fields("Z0 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 Z9 Z10 Z11 Z12 Z13 Z14 Z15")

// checkReduced checks the y that the preceding instruction computed, and replaces it.
func (m *message) checkReduced(c *engine.Case, s engine.View, stream int) *engine.Assertion {
	args := c.Fn.Code[s.PC-1].Args
	machine.Refuse(len(args) == 0, "the last step leaves nothing")
	y := m.unknowns(c, "y reduced")[stream]
	a := &engine.Assertion{Where: func(s engine.View) error {
		return m.checkStep(c, s, s.Of(y)[0], stream, m.unknowns(c, "y")[stream], m.unknowns(c, "value")[stream], true)
	}}
	a.HasUnknown(c.Register(args[len(args)-1].Reg), y)
	return a
}

const (
	sumFourName      = "sumFourAVX2AES"
	umacFourMessages = 4
	umacFourValues   = 16 * umacFourMessages // offset of the values in the frame, after the pads
)

type umacFour struct{ messages []message }

// bits returns a pad's index size in bits and its size in bytes.
func (m *message) bits() (bits int, bytes int64) { return max(0, 3-m.streams), 4 * int64(m.streams) }

// setup declares the messages. The bits of c.N select the pad offsets. If own is true,
// each pad offset is a separate input instead.
func (f *umacFour) setup(c *engine.Case, own bool) {
	first, list := newMessage(c), c.Buffer("messages", umacFourMessages*layout.SizeofMessage)
	first.declareKeys(c)
	bits, part := first.bits()
	first.tag, f.messages = engine.Writable(c.Buffer("tags", part*umacFourMessages)), nil
	for i := range int64(umacFourMessages) {
		m, n := *first, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("n%d", i), Public: true, Max: spec.NHChunk})
		m.from, m.msg, m.fields = part*i, c.Bytes(fmt.Sprintf("msg%d", i), n), engine.In(list, layout.SizeofMessage*i)
		m.declareBlock(c)
		m.results = m.unknowns(c, fmt.Sprint("value", i, "."))
		at := c.And(c.Shr(c.N, bits*int(i)), c.Const(64, 1<<bits-1))
		if own && bits > 0 {
			at = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: 1<<bits - 1})
		}
		// Fields with consecutive offsets.
		list.Set(m.fields.At+layout.MessagePadLo, m.block[0], m.block[1], c.Scale(at, uint64(part)), m.msg.Base, n)
		f.messages = append(f.messages, m)
	}
	c.Arg(first.tag.Base, first.keys.Base, list.Base)
}

// hashSegment returns the segment that stores the NH values of one message.
func hashSegment(streams int) engine.Kernel {
	var m message
	var values *machine.Object
	return engine.Kernel{
		File: batchAMD64, Func: sumFourName,
		Range: engine.Range{Unit: 1, Min: 0, Max: spec.NHChunk},
		Setup: func(c *engine.Case) {
			values = engine.Writable(c.Buffer("values", int64(8*streams)))
			m = message{streams: streams, keys: c.Buffer("keys", layout.SizeofKeys), msg: c.Bytes("msg", c.N)}
			m.declareNH(c, m.keys, layout.KeysUhashNh)
			m.fields = engine.In(c.Buffer("message", layout.SizeofMessage), 0)
			m.fields.Object.Set(layout.MessageMsg, m.msg.Base, c.N)
			for range streams {
				m.results = append(m.results, c.Input("value", false))
			}
		},
		Spec: func(c *engine.Case, n int64, _ bool) { c.Expect(values, 0, m.values(c, 0, n)...) },
		Segment: engine.Segment{
			From: fmt.Sprint("streams", streams), To: fmt.Sprint("next", streams),
			Enter: func(c *engine.Case) *engine.Assertion { return m.beforeHash(c, engine.In(values, 0)) },
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{Where: func(s engine.View) error {
					n, _ := s.Value(s.Length)
					return represent(s, "the NH values", m.results, m.values(c, 0, int64(n)))
				}}
				for stream, result := range m.results {
					a.HasUnknown(engine.In(values, int64(8*stream)), result)
				}
				return a
			},
		},
	}
}

// beforeHash returns the assertion about registers where the segment begins.
func (m *message) beforeHash(c *engine.Case, values engine.Place) *engine.Assertion {
	at := func(p engine.Place) term.Term { return c.AddConst(p.Object.Base, uint64(p.At)) }
	in := c.Register
	return &engine.Assertion{Has: []engine.Has{in("AX").Has(m.keys.Base), in("R8").Has(at(m.fields)), in("SI").Has(at(values))}}
}

// callHash calls the segment for the next message.
func (f *umacFour) callHash(c *engine.Case, s engine.View) *engine.Assertion {
	i := umacFourMessages - int(c.Known(s.At(c.Register("DI"))))
	machine.Refuse(i < 0 || i >= umacFourMessages, "register DI is not the number of remaining messages")
	m, values := &f.messages[i], engine.In(c.Frame(), umacFourValues+32*int64(i))
	a := m.beforeHash(c, values)
	a.Call = &engine.Call{
		To: fmt.Sprint("next", m.streams), Name: fmt.Sprint("message ", i), Cases: []engine.Entry{{}}, Results: m.results,
		Buffers: map[string]engine.Place{
			"keys": engine.In(m.keys, 0), "pieces": engine.In(m.nhKey, 0), "message": m.fields, "msg": engine.In(m.msg, 0), "values": values,
		},
	}
	return a
}

// left checks the tags. The bits of pads select the pad offsets.
func (f *umacFour) left(c *engine.Case, s engine.View, pads int64) error {
	for i, m := range f.messages {
		bits, part := m.bits()
		m.at = part * (pads >> (bits * i) & (1<<bits - 1))
		if err := m.checkHashes(c, s, m.results); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

func sumFour() engine.Kernel {
	f, e := &umacFour{}, encryption{"AX", []string{"Z1", "Z2", "Z3", "Z4"}}
	k := engine.Kernel{
		File: batchAMD64, Func: sumFourName, Variants: []string{"1 streams", "2 streams", "3 streams", "4 streams"},
		Claim: "the tags of four messages: L3-HASH of the NH values, masked with the encrypted blocks",
		// The length is the number that selects the pads.
		Range: engine.Range{Lengths: "0 to 1024 bytes each, for 1 to 4 streams, 10, 12 and 14 rounds, and all places of the pads", Unit: 1, Min: 0, Max: 1<<(2*umacFourMessages) - 1},
		Setup: func(c *engine.Case) { f.setup(c, false) },
		Calls: func(c *engine.Case) { f.setup(c, true) },
		Spec: func(c *engine.Case, _ int64, _ bool) {
			c.Checked(f.messages[0].tag, 0, int64(4*f.messages[0].streams*umacFourMessages))
		},
		Left:     f.left,
		Segments: []engine.Kernel{e.segment(batchAMD64, sumFourName)},
		Weakenings: engine.Weakenings{At: engine.Assertions{encryptLabel: func(c *engine.Case, _ engine.View) *engine.Assertion {
			return e.call(c, f.messages...)
		}}},
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.Segments = append(k.Segments, hashSegment(streams))
		k.At[fmt.Sprint("streams", streams)] = f.callHash
	}
	return k
}

var aesRounds = []string{"10 rounds", "12 rounds", "14 rounds"}

func roundsOf(c *engine.Case) int { return 10 + 2*slices.Index(aesRounds, c.Variant) }

// An encryption describes code that encrypts a block in each of several registers.
type encryption struct {
	keys   string   // register that contains the address of the keys
	blocks []string // vector registers
}

// The encryption begins at encryptLabel and ends at encryptedLabel.
const encryptLabel, encryptedLabel = "encrypt", "padded"

// before returns the assertion that the registers contain the blocks to encrypt.
func (e encryption) before(c *engine.Case, messages ...message) *engine.Assertion {
	a := &engine.Assertion{Has: []engine.Has{c.Register(e.keys).Has(messages[0].keys.Base)}}
	for i, m := range messages {
		a.Has = append(a.Has, c.Lane(e.blocks[i], 0).Has(m.block[0]), c.Lane(e.blocks[i], 1).Has(m.block[1]))
	}
	return a
}

// call calls the segment for the blocks of messages with the same keys.
func (e encryption) call(c *engine.Case, messages ...message) *engine.Assertion {
	a := e.before(c, messages...)
	a.Call = &engine.Call{To: encryptedLabel, Buffers: map[string]engine.Place{"keys": engine.In(messages[0].keys, 0)}}
	for i, variant := range aesRounds {
		inputs := map[term.Term]engine.Values{messages[0].rounds: engine.One(uint64(i))}
		a.Call.Cases = append(a.Call.Cases, engine.Entry{Variant: variant, Inputs: inputs})
	}
	for _, m := range messages {
		a.Call.Results = append(a.Call.Results, m.pad...)
	}
	return a
}

// segment returns the segment that encrypts the blocks.
func (e encryption) segment(file, name string) engine.Kernel {
	messages := make([]message, len(e.blocks))
	return engine.Kernel{
		File: file, Func: name, Variants: aesRounds,
		Setup: func(c *engine.Case) {
			keys := c.Buffer("keys", layout.SizeofKeys)
			keys.Set(layout.KeysPadRounds, c.Const(64, uint64(roundsOf(c))))
			for i := range messages {
				messages[i].keys = keys
				messages[i].declareBlock(c)
			}
		},
		Spec: func(*engine.Case, int64, bool) {},
		Segment: engine.Segment{
			From: encryptLabel, To: encryptedLabel,
			Enter: func(c *engine.Case) *engine.Assertion { return e.before(c, messages...) },
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{Where: func(s engine.View) (err error) {
					for i, m := range messages {
						b := encrypted(c, m.block, m.keys, layout.KeysPadKeys)
						want := []term.Term{c.Gather(b[:8]), c.Gather(b[8:])}
						err = cmp.Or(err, represent(s, fmt.Sprint("encrypted block ", i), m.pad, want))
					}
					return err
				}}
				for i, m := range messages {
					a.HasUnknown(c.Lane(e.blocks[i], 0), m.pad[0])
					a.HasUnknown(c.Lane(e.blocks[i], 1), m.pad[1])
				}
				return a
			},
		},
	}
}

// encrypted returns the encryption of two words with the keys at keys[at:].
func encrypted(c *engine.Case, words []term.Term, keys *machine.Object, at int64) spec.Block {
	return spec.AESEncrypt(c.Store, spec.BlockOf(c.Store, words...), keys, at, roundsOf(c))
}

func encryptAMD64(name string) engine.Kernel {
	const size = 8 * 16
	var blocks, keys *machine.Object
	return engine.Kernel{
		File: sumAMD64, Func: name,
		Claim:    "each of eight blocks is encrypted by AES, in its place",
		Variants: aesRounds,
		Setup: func(c *engine.Case) {
			blocks, keys = engine.Writable(c.Buffer("blocks", size)), c.Buffer("keys", layout.SizeofRoundKeys)
			keys.Set(layout.RoundKeysRounds, c.Const(64, uint64(roundsOf(c))))
			c.Arg(blocks.Base, keys.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for at := int64(0); at < size; at += 16 {
				block := encrypted(c, blocks.Words(at, 2, 8, 8), keys, layout.RoundKeysKeys)
				c.ExpectBytes(blocks, at, block[:]...)
			}
		},
	}
}

func subWord(file, name string) engine.Kernel {
	var w term.Term
	var to *machine.Object
	var at int64
	k := engine.Kernel{
		File: file, Func: name,
		Claim: "returns AES's S-box of each byte of w",
		Setup: func(c *engine.Case) { w, to, at = c.Arg32("w"), c.Arguments, c.Result(4) },
		Spec: func(c *engine.Case, _ int64, _ bool) {
			var b [4]term.Byte
			c.Store.Bytes(b[:], w)
			c.SubBytes(b[:], b[:])
			c.ExpectBytes(to, at, b[:]...)
		},
	}
	if file == sumARM64 {
		k.Claim = "w is AES's S-box of each of its bytes"
		k.Setup = func(c *engine.Case) {
			to = engine.Writable(c.Buffer("w", 4))
			w = to.Load(0, 4)
			c.Arg(to.Base)
		}
	}
	return k
}
