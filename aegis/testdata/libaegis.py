# SPDX-License-Identifier: BSD-3-Clause
# Copyright 2026 The unimac Authors

"""Opens with libaegis what the test sealed, and answers with what libaegis seals and codes.

Standard input has a list of cases; standard output gets one of answers.
"""

import json
import sys

import pyaegis

answers = []
for case in json.load(sys.stdin):
    name, size = case["Variant"], case["Size"]
    key, nonce, ad, text, sealed = (bytes.fromhex(case[k]) for k in ("Key", "Nonce", "AD", "Text", "Sealed"))
    aead = getattr(pyaegis, "Aegis" + name)(size)
    opened = aead.decrypt_detached(key, nonce, sealed[:-size], sealed[-size:], ad)
    if bytes(opened) != text:
        sys.exit("%s: %d bytes open to others" % (name, len(text)))
    mac = getattr(pyaegis, "AegisMac" + name)(key, nonce, size)
    mac.update(text)
    ciphertext, tag = aead.encrypt_detached(key, nonce, text, ad)
    answers.append({"Sealed": (bytes(ciphertext) + bytes(tag)).hex(), "Code": bytes(mac.final()).hex()})
json.dump(answers, sys.stdout)
