"""SipHash (Aumasson, Bernstein 2012) in Python integers, from the paper."""

MASK = 2**64 - 1


def siphash(key: bytes, message: bytes, rounds: int = 1, last_rounds: int = 3) -> int:
    """Return the 64-bit hash under a key of 16 bytes: SipHash-1-3, unless other rounds are given.

    The rounds are those for a word of the message, and those at the end.
    """

    def rotate(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & MASK

    def sip_round() -> None:
        v[0] = (v[0] + v[1]) & MASK
        v[2] = (v[2] + v[3]) & MASK
        v[1], v[3] = rotate(v[1], 13) ^ v[0], rotate(v[3], 16) ^ v[2]
        v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[1]) & MASK
        v[0] = (v[0] + v[3]) & MASK
        v[1], v[3] = rotate(v[1], 17) ^ v[2], rotate(v[3], 21) ^ v[0]
        v[2] = rotate(v[2], 32)

    k = [int.from_bytes(key[i : i + 8], "little") for i in (0, 8)]
    text = [b"somepseu", b"dorandom", b"lygenera", b"tedbytes"]
    v = [int.from_bytes(word, "big") ^ k[i % 2] for i, word in enumerate(text)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) & 255])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= word
        for _ in range(rounds):
            sip_round()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(last_rounds):
        sip_round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]
