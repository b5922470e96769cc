# SPDX-License-Identifier: BSD-3-Clause
# Copyright 2026 The unimac Authors
"""Seals or opens what comes on standard input: a key and a message,
each after its length. Then each R with a number of 8 bytes asks for so many rounds; the answer is their
nanoseconds and the length of the result. Numbers are little-endian, the length big-endian."""
import sys, time
from cryptography.cobblestone import Cobblestone128Decryptor, Cobblestone128Encryptor

read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
def text():
    return read(int.from_bytes(read(8), "little"))

key = text()
message = text()

def run(make, data):
    work = make(key, context=b"")
    first = work.update(data)
    return first, work.finalize()

make, data = Cobblestone128Encryptor, message
if sys.argv[1] == "open":
    make, data = Cobblestone128Decryptor, b"".join(run(Cobblestone128Encryptor, message))
while read(1) == b"R":
    rounds = int.from_bytes(read(8), "little")
    start = time.perf_counter_ns()
    for _ in range(rounds):
        result = run(make, data)
    spent = time.perf_counter_ns() - start
    write(spent.to_bytes(8, "little") + sum(map(len, result)).to_bytes(8, "big"))
    sys.stdout.buffer.flush()
