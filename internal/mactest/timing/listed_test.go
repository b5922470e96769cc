// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

// arithmetic lists the functions that touch secrets, each with the lines of source in
// it, or inlined in it, that may branch: those of loops, of copies and of clearing, and
// of questions whose answers are lengths, counts or nonces. A line that is new here has
// to be read before it is added: what it asks must not depend on a key, a message or a
// tag.
var arithmetic = map[string][]string{
	"internal/blake2b.compressGeneric": {
		"for i := range m {",
		"for i := range sigma {",
		"var m [16]uint64",
	},
	"internal/blake2b.g": nil,
	"internal/chacha20.(*state).rounds": {
		"*s = state{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15}",
		"for range 10 {",
	},
	"internal/chacha20.quarterRound": nil,
	"multimac.(*Key).New": {
		"if k.size == 0 {",
		"return &MAC{key: k, cascade: cascade{t: k.chain}}",
	},
	"multimac.(*Key).Size": nil,
	"multimac.(*Key).Sum": {
		"for i, input := range inputs {",
		"if i == 0 {",
		"if k.size == 0 {",
		"state := blake2b.New(k.size, t[:k.size])",
		"t := k.chain",
	},
	"multimac.(*Key).SumBatch": {
		"*b = batch{} // nothing secret stays behind",
		"b.key, b.lists, b.tags = k, lists, dst[n:]",
		"c.list, c.taken, c.t = b.next, 0, b.key.chain",
		"for b.fill(); b.live > 0; b.fill() {",
		"for b.live < batchSize && b.next < len(b.lists) {",
		"if k.size == 0 {",
		"if len(lists) == 1 {",
	},
	"multimac.(*Key).Verify": {
		"var want [maxSize]byte",
	},
	"multimac.(*Key).mustBeMade": {
		"if k.size == 0 {",
	},
	"multimac.(*MAC).BlockSize": nil,
	"multimac.(*MAC).Clone": {
		"c := *m",
	},
	"multimac.(*MAC).Next": {
		"c.input = blake2b.New(k.size, c.t[:k.size])",
		"c.input = k.first",
		"if !m.begun {",
		"if c.later {",
	},
	"multimac.(*MAC).Reset": {
		"m.cascade.t = m.key.chain",
	},
	"multimac.(*MAC).Size": nil,
	"multimac.(*MAC).Sum": {
		"c := cascade{}",
		"if !m.begun {",
	},
	"multimac.(*MAC).Verify": {
		"var want [maxSize]byte",
	},
	"multimac.(*MAC).Write": {
		"c.input = blake2b.New(k.size, c.t[:k.size])",
		"c.input = k.first",
		"if !m.begun {",
		"if c.later {",
	},
	"multimac.(*batch).fill": {
		"c.list, c.taken, c.t = b.next, 0, b.key.chain",
		"for b.live < batchSize && b.next < len(b.lists) {",
	},
	"multimac.(*batch).order": {
		"b.work[i], b.work[b.keyed] = b.work[b.keyed], b.work[i]",
		"for i := range b.live {",
		"if c.taken > 0 && c.taken < len(b.lists[c.list]) {",
	},
	"multimac.(*batch).step": {
		"b.inputs[i] = inputs[c.taken]",
		"b.keys[i] = c.t[:size]",
		"b.states[i], b.inputs[i] = b.key.first, inputs[0]",
		"b.states[i], b.inputs[i] = b.key.last, c.t[:size]",
		"b.work[b.live] = c",
		"b.work[i], b.work[b.keyed] = b.work[b.keyed], b.work[i]",
		"c, digest := b.work[i], b.digests[i*size:(i+1)*size]",
		"case c.taken == len(inputs):",
		"case i < b.keyed:",
		"copy(b.tags[c.list*size:], digest)",
		"copy(c.t[:], digest)",
		"for i := range b.live {",
		"for i := range live {",
		"if c.taken == len(b.lists[c.list]) {",
		"if c.taken > 0 && c.taken < len(b.lists[c.list]) {",
	},
	"multimac.(*cascade).appendTag": nil,
	"multimac.(*cascade).begin": {
		"c.input = blake2b.New(k.size, c.t[:k.size])",
		"c.input = k.first",
		"if c.later {",
	},
	"multimac.(*cascade).end": nil,
	"multimac.NewKey": {
		"case Size256, Size384, Size512:",
		"copy(k.chain[:], key1)",
		"for i, key := range [][]byte{key1, key2} {",
		"if len(key1) != len(key2) {",
		"if subtle.ConstantTimeCompare(key1, key2) == 1 {",
		"k := &Key{size: size, first: blake2b.New(size, key1), last: blake2b.New(size, key2)}",
	},
	"multimixer.(*Key).New": {
		"if k.size == 0 {",
		"return &MAC{key: k, prf: k.prf}",
	},
	"multimixer.(*Key).Size": nil,
	"multimixer.(*Key).Sum": {
		"for len(msg) > 0 {",
		"if k.size == 0 {",
		"n := min(len(msg), chunkSize)",
		"prf := k.prf",
		"var s chunk",
	},
	"multimixer.(*Key).Verify": {
		"var want [maxSize]byte",
	},
	"multimixer.(*Key).expand": {
		"if l := k.l.Load(); l != nil {",
		"if n <= len(*l) {",
		"l := make([]byte, n)",
		"n = max(n, 2*len(have))",
		"n = min((n+chacha20.BlockSize-1)/chacha20.BlockSize*chacha20.BlockSize, chunkSize)",
	},
	"multimixer.(*Key).expand.deferwrap1": nil,
	"multimixer.(*Key).first": {
		"if l == nil || n > len(*l) {",
	},
	"multimixer.(*Key).keyStream": {
		`nonce := [chacha20.NonceSizeRFC]byte([]byte("unimac-mm128"))`,
	},
	"multimixer.(*Key).mustBeMade": {
		"if k.size == 0 {",
	},
	"multimixer.(*MAC).BlockSize": nil,
	"multimixer.(*MAC).Clone": {
		"c := *m",
	},
	"multimixer.(*MAC).Reset": {
		"func (m *MAC) Reset() { *m = MAC{key: m.key, prf: m.key.prf} }",
	},
	"multimixer.(*MAC).Size": nil,
	"multimixer.(*MAC).Sum": {
		"c, prf := m.chunk, m.prf",
		"if k.size == 0 {",
	},
	"multimixer.(*MAC).Verify": {
		"var want [maxSize]byte",
	},
	"multimixer.(*MAC).Write": {
		"for len(p) > 0 {",
		"if m.chunk.n == chunkSize {",
		"m.chunk = chunk{}",
		"n := min(len(p), chunkSize-m.chunk.n)",
	},
	"multimixer.(*chunk).finish": {
		"for i, v := range acc {",
		"if c.n == 0 {",
		"if have := c.n % BlockSize; have > 0 {",
		"var digest [DigestSize]byte",
	},
	"multimixer.(*chunk).update": {
		"copy(c.rest[:], p)",
		"if have := c.n % BlockSize; have > 0 {",
		"if have+n < BlockSize {",
		"if whole := len(p) / BlockSize * BlockSize; whole > 0 {",
		"n := copy(c.rest[have:], p)",
	},
	"multimixer.Digest": {
		"for i, v := range acc {",
		"for len(msg) > maxSum {",
		"if len(key) != len(msg) || len(msg) == 0 || len(msg)%BlockSize != 0 {",
		"var acc [8]uint64",
	},
	"multimixer.F128": {
		"func F128(x *[8]uint32) [8]uint64 {",
		"return z",
		"var z [8]uint64",
	},
	"multimixer.NewKey": {
		"case Size128, Size256, Size512:",
		"if len(key) != KeySize {",
		"k := &Key{size: size, key: [KeySize]byte(key)}",
		"k.prf = blake2b.New(size, prfKey[:])",
		`nonce := [chacha20.NonceSizeRFC]byte([]byte("unimac-mm128"))`,
		"var prfKey [prfKeySize]byte",
	},
	"multimixer.appendTag": nil,
	"multimixer.multiply":  nil,
	"multimixer.putDigest": {
		"for i, v := range acc {",
	},
	"multimixer.sum": nil,
	"multimixer.sumGeneric": {
		"for len(msg) >= BlockSize && len(key) >= BlockSize {",
	},
	"multimixer.triples":        nil,
	"multimixer.word":           nil,
	"poly1305.(*MAC).BlockSize": nil,
	"poly1305.(*MAC).Clone": {
		"c := *m",
	},
	"poly1305.(*MAC).Reset": {
		"m.state.h = [3]uint64{}",
	},
	"poly1305.(*MAC).Size": nil,
	"poly1305.(*MAC).Sum": {
		"return append(b, tag[:]...)",
		"var tag [TagSize]byte",
	},
	"poly1305.(*MAC).Verify": {
		"var want [TagSize]byte",
	},
	"poly1305.(*MAC).Write": {
		"if len(p) > 0 {",
		"if m.n < blockSize {",
		"if m.n > 0 {",
		"if whole := len(p) &^ (blockSize - 1); whole > 0 {",
		"m.n = copy(m.block[:], p)",
		"n := copy(m.block[m.n:], p)",
	},
	"poly1305.(*MAC).sum": {
		"if !m.keyed {",
		"s := m.state",
	},
	"poly1305.(*state).setKey": {
		"s.h = [3]uint64{}",
	},
	"poly1305.(*state).tag": {
		"copy(block[:], rest)",
		"if len(rest) > 0 {",
		"var block [blockSize]byte",
	},
	"poly1305.New": {
		"m := &MAC{pad: [TagSize]byte(key[KeySize-TagSize:]), keyed: true}",
	},
	"poly1305.Sum": {
		"if whole > 0 {",
		"var s state",
	},
	"poly1305.Verify": {
		"var want [TagSize]byte",
	},
	"poly1305.blocks": nil,
	"poly1305.blocksGeneric": {
		"for ; len(msg) >= blockSize; msg = msg[blockSize:] {",
		"s.h = [3]uint64{h0, h1, h2}",
	},
	"poly1305.multiply": nil,
	"umac.(*Key).New": {
		"if in != p.in {",
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
		"m := &MAC{key: k}",
		"panic(checkNonce(nonce))",
	},
	"umac.(*Key).Size": nil,
	"umac.(*Key).Sum": {
		"if k.keys == nil {",
		"if len(dst)+n > cap(dst) {",
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
		"panic(checkNonce(nonce))",
	},
	"umac.(*Key).SumBatch": {
		"for _, nonce := range nonces {",
		"for i, msg := range msgs {",
		"if k.keys == nil {",
		"if len(dst)+n > cap(dst) {",
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
		"if len(nonces) != len(msgs) {",
		"panic(checkNonce(nonce))",
	},
	"umac.(*Key).Verify": {
		"if checkNonce(nonce) != nil {",
		"var want [Size128]byte",
	},
	"umac.(*Key).mustBeMade": {
		"if k.keys == nil {",
	},
	"umac.(*Key).sum": nil,
	"umac.(*Key).sumInSteps": {
		"case Size128:",
		"case Size96:",
		"if in != p.in {",
		"if len(tag) == Size32 {",
		"p := pad{stale: true}",
	},
	"umac.(*MAC).BlockSize": nil,
	"umac.(*MAC).Clone": {
		"c := *m",
	},
	"umac.(*MAC).Reset": nil,
	"umac.(*MAC).ResetNonce": {
		"if in != p.in {",
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
		"panic(checkNonce(nonce))",
	},
	"umac.(*MAC).Size": nil,
	"umac.(*MAC).Sum": {
		"case Size128:",
		"case Size96:",
		"if len(dst)+n > cap(dst) {",
		"if len(tag) == Size32 {",
		"if m.l2.n == 0 && sum(tag, m.key.keys, m.pad.in, m.pad.at, m.chunk[:m.n]) {",
		"if m.pad.stale {",
	},
	"umac.(*MAC).Verify": {
		"var want [Size128]byte",
	},
	"umac.(*MAC).Write": {
		"if m.n < chunkSize {",
		"if m.n > 0 {",
		"if whole := len(p) / chunkSize * chunkSize; whole > 0 {",
		"m.n = copy(m.chunk[:], p)",
		"n := copy(m.chunk[m.n:], p)",
	},
	"umac.(*MAC).hash": {
		"if m.l2.n == 0 {",
	},
	"umac.(*kdf).derive": {
		"copy(dst[i:], out[:])",
		"for i := 0; i < len(dst); i += len(out) {",
	},
	"umac.(*l2State).pushLong": {
		"for s, v := range values {",
		"if st.n == poly64Chunks {",
		"if st.n%2 == 0 {",
	},
	"umac.(*l2State).sum": {
		"case 0:",
		"case 1:",
		"case 2:",
		"case st.n <= poly64Chunks:",
		"case st.n == 1:",
		"for s := range u.streams {",
		"if st.n%2 == 1 {",
	},
	"umac.(*l2State).update": {
		"for ; len(msg) > 0; st.n++ {",
		"for len(msg) >= chunkSize && st.n < poly64Chunks {",
		"if st.n < poly64Chunks {",
		"if st.n == 0 {",
		"n := int(min(uint64(len(msg)), (poly64Chunks-st.n)*chunkSize, impl.MaxCall)) / chunkSize",
		"n := min(len(msg), chunkSize)",
		"st.short = newPolyState",
		"var values [maxStreams]uint64",
	},
	"umac.(*l3Key).long": nil,
	"umac.(*l3Key).setK1": {
		"for i := range k.k1 {",
	},
	"umac.(*l3Key).short": nil,
	"umac.(*nhKey).set": {
		"for g := range k[j] {",
		"for i := range k[j][g] {",
		"for j := range streams + 1 {",
	},
	"umac.(*pad).encrypt": nil,
	"umac.(*pad).set": {
		"if in != p.in {",
	},
	"umac.(*poly128Key).set":  nil,
	"umac.(*poly128Key).step": nil,
	"umac.(*poly64Key).set":   nil,
	"umac.(*poly64Key).step":  nil,
	"umac.(*polyState).push": {
		"for s, v := range values {",
	},
	"umac.(*polyState).sum":    nil,
	"umac.(*roundKeys).expand": nil,
	"umac.(*roundKeys).set": {
		"case i%n == 0:",
		"case n == 8 && i%n == 4:",
		"clear(w[:])",
		"for i := n; i < 4*(n+7); i++ {",
		"for i := range n {",
		"for i, word := range w[:4*(n+7)] {",
		"var w [4 * len(r.keys)]uint32",
	},
	"umac.(*uhash).with": {
		"?",
		"case 0:",
		"case 1:",
		"case 2:",
		"case 3:",
	},
	"umac.(*uhashKey).hash": {
		"if len(msg) > chunkSize {",
		"if u.streams == 1 {",
		"if u.streams == 2 {",
		"if u.streams == 3 {",
		"var st l2State",
		"var v [maxStreams]uint64",
	},
	"umac.(*uhashKey).set": {
		"clear(buf[:])",
		"for g := range k[j] {",
		"for i := range k.k1 {",
		"for i := range k[j][g] {",
		"for j := range streams + 1 {",
		"for s := range streams {",
		"var buf [chunkSize + (maxStreams-1)*16]byte",
	},
	"umac.New128": nil,
	"umac.New32":  nil,
	"umac.New64":  nil,
	"umac.New96":  nil,
	"umac.NewKey": {
		"case 16, 24, 32:",
		"case Size32, Size64, Size96, Size128:",
		"clear(padKey)",
		"if err != nil {",
		"k := &Key{keys: new(keys), size: size}",
		"k.pdf, err = aes.NewCipher(padKey)",
		"padKey := derivation.derive(make([]byte, len(key)), 0)",
		`return nil, fmt.Errorf("umac: %w", err)`,
	},
	"umac.checkNonce": {
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
	},
	"umac.geq": nil,
	"umac.grow": {
		"if len(dst)+n > cap(dst) {",
	},
	"umac.inner":     nil,
	"umac.mulAdd128": nil,
	"umac.mulAdd64":  nil,
	"umac.mustNonce": {
		"if len(nonce) < 1 || len(nonce) > MaxNonceSize {",
		"panic(checkNonce(nonce))",
	},
	"umac.newMAC": {
		"if err != nil {",
		"if err := checkNonce(nonce); err != nil {",
	},
	"umac.newPadBlock": {
		"case n > 8:",
		"case n >= 4:",
	},
	"umac.nh": nil,
	"umac.nhGeneric": {
		"copy(padded[:], chunk)",
		"for ; len(chunk) >= groupSize; g++ {",
		"for s := range sum {",
		"if len(chunk) > 0 || g == 0 {",
		"var padded [groupSize]byte",
	},
	"umac.nhGroup": {
		"for s := range sum {",
	},
	"umac.nhPoly": nil,
	"umac.nhPolyGeneric": {
		"for ; len(chunks) > 0; chunks = chunks[chunkSize:] {",
		"var values [maxStreams]uint64",
	},
	"umac.noescape": nil,
	"umac.padOf": {
		"if len(nonce) == 8 { // the usual length, without a call",
	},
	"umac.putTag": {
		"case Size128:",
		"case Size96:",
		"if len(tag) == Size32 {",
	},
	"umac.reduce128": nil,
	"umac.reduce36":  nil,
	"umac.reduce64":  nil,
	"umac.sum":       nil,
	"umac.uhash.with": {
		"case 0:",
		"case 1:",
		"case 2:",
		"case 3:",
	},
}

// library are lines of the standard library that are inlined, and ask for lengths or
// pointers, or are crypto/subtle's loop.
var library = []string{
	"for i := 0; i < len(x); i++ {",
	"func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {",
	"func (x *Pointer[T]) Load() *T { return (*T)(LoadPointer(&x.v)) }",
	"func (x *Pointer[T]) Store(val *T) { StorePointer(&x.v, unsafe.Pointer(val)) }",
	"func (x *Pointer[T]) Swap(new *T) (old *T) { return (*T)(SwapPointer(&x.v, unsafe.Pointer(new))) }",
	"if atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked) {",
	"if err = errorf(format, a...); err != nil {",
	"if len(x) != len(y) {",
	"if n -= cap(s) - len(s); n > 0 {",
	"if n < 0 {",
	"if new != 0 {",
	"new := atomic.AddInt32(&m.state, -mutexLocked)",
	"s = append(s[:cap(s)], make([]E, n)...)[:len(s)]",
}
