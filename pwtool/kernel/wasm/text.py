"""Reading JSON text in a kernel: spaces, strings, numbers, skipped values, words looked up in dictionaries.

Each function takes the address of a character of the text and returns that of the character after what it read, or 0 if
the text is not what was expected (the engine then reports the error). The text is followed by zeros, which are not part
of any value, so that nothing has to check for its end. Nothing that the engine would refuse is skipped: the grammar is
that of RFC 8259, keys are unique, texts are UTF-8 without lone surrogates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from struct import pack

from pwtool.kernel.layout import WORD
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.kernel import KernelWriter, once
from pwtool.kernel.wasm.module import I64, Function
from pwtool.kernel.wasm.operands import Expression, Global, Local

MAX_DIGITS = 9
MAX_DEPTH = 60
MAX_KEYS = 32
DECODED = 1 << 14
"""The number of bytes for texts with escapes in one record."""
_ONES, _HIGHS = 0x0101010101010101, 0x8080808080808080
_FACTOR = 0x9E3779B97F4A7C15
_QUOTE, _BACKSLASH, _COMMA, _COLON = 0x22, 0x5C, 0x2C, 0x3A
_BRACE, _END_BRACE, _BRACKET, _END_BRACKET = 0x7B, 0x7D, 0x5B, 0x5D


class Text:
    """Functions that read JSON, written on first use."""

    def __init__(self, kernel: KernelWriter) -> None:
        self.kernel = kernel
        variable = kernel.module.variable
        self.string_at, self.string_size = variable(), variable()
        """The last string: the address of its bytes (with escapes replaced), and their number."""
        self.number = variable()
        """The last number, or the value of the last word found in a dictionary."""
        self.decoded_to = variable()
        self.keys_to = variable()
        self.decoded = kernel.layout.reserve(DECODED)
        self.keys = kernel.layout.reserve(MAX_DEPTH * MAX_KEYS * 2 * WORD)
        self._dictionaries: dict[tuple[tuple[str, int], ...], tuple[int, int]] = {}

    def begin(self, code: Code) -> None:
        """Forget all decoded texts."""
        code.global_(self.decoded_to).set(self.decoded)
        code.global_(self.keys_to).set(self.keys)

    # ---- small steps

    def blanks(self, code: Code, at: Local) -> None:
        """Move to the next character that is not a blank."""
        with code.loop() as again, code.when(at.byte() <= 0x20):
            sign = at.byte()
            blank = sign.equals(0x20) | sign.equals(0x0A) | sign.equals(0x0D) | sign.equals(0x09)
            with code.when(blank):
                at.add(1)
                code.branch(again)

    def fail_unless(self, code: Code, condition: Expression) -> None:
        """Give up if a condition does not hold."""
        with code.when(condition.is_zero()):
            code.leave(0)

    def sign(self, code: Code, at: Local, sign: int) -> None:
        """This character, and the blanks after it."""
        self.fail_unless(code, at.byte().equals(sign))
        at.add(1)
        self.blanks(code, at)

    def read(self, code: Code, at: Local, function: Function, *arguments: Expression | int) -> None:
        """Whatever a function reads, and the blanks after it."""
        at.set(code.call(function, at, *arguments))
        self.fail_unless(code, at)
        self.blanks(code, at)

    def literal(self, code: Code, at: Expression, text: bytes) -> Expression:
        """Whether exactly these bytes come next."""
        found: Expression | None = None
        for start in range(0, len(text), 8):
            part = text[start : start + 8]
            value = int.from_bytes(part, "little")
            word = at.long(start)
            if len(part) < 8:
                word = word & ((1 << 8 * len(part)) - 1)
            same = word.equals(value)
            found = same if found is None else code.both(found, same)
        assert found is not None
        return found

    def skip_literal(self, code: Code, at: Local, text: bytes) -> None:
        self.fail_unless(code, self.literal(code, at, text))
        at.add(len(text))
        self.blanks(code, at)

    def each_element(self, code: Code, at: Local) -> AbstractContextManager[None]:
        """For each element of a list, with `at` on its first character; what is inside moves `at` past it."""
        return self._each(code, at, _BRACKET, _END_BRACKET)

    def each_member(self, code: Code, at: Local, to_end: bool = True) -> AbstractContextManager[None]:
        """For each member of an object, with `at` on its key; blanks after the object are skipped with `to_end`."""
        return self._each(code, at, _BRACE, _END_BRACE, to_end)

    @contextmanager
    def _each(self, code: Code, at: Local, begin: int, end: int, to_end: bool = True) -> Iterator[None]:
        self.sign(code, at, begin)
        with code.block() as done:
            code.branch_if(done, at.byte().equals(end))
            with code.loop() as again:
                yield
                with code.when(at.byte().equals(_COMMA)):
                    at.add(1)
                    self.blanks(code, at)
                    code.branch(again)
        if to_end:
            self.sign(code, at, end)
        else:
            self.fail_unless(code, at.byte().equals(end))
            at.add(1)

    # ---- strings

    def _among(self, word: Expression, sign: int) -> Expression:
        """The high bits of the bytes equal to this character; above the first one there may be false matches."""
        other = word ^ (sign * _ONES)
        return (other - _ONES) & (other ^ -1) & _HIGHS

    @once(1)
    def string(self, code: Code) -> None:
        """`(at)`: a string; `string_at` and `string_size` are its text."""
        start = code.arguments[0]
        self.fail_unless(code, start.byte().equals(_QUOTE))
        at, word, found = code.local(start + 1), code.local(kind=I64), code.local(kind=I64)
        with code.loop() as again:
            word.set(at.long())
            low = (word - (0x20 * _ONES)) & (word ^ -1) & _HIGHS
            found.set(self._among(word, _QUOTE) | self._among(word, _BACKSLASH) | low | (word & _HIGHS))
            with code.when(found.equals(0)):
                at.add(8)
                code.branch(again)
            at.set(at + found.trailing_zeros().narrow().shifted_down(3))
            with code.when(at.byte() >= 0x80):
                at.set(code.call(self._character(), at))
                self.fail_unless(code, at)
                code.branch(again)
            with code.when(at.byte().equals(_QUOTE)):
                code.global_(self.string_at).set(start + 1)
                code.global_(self.string_size).set(at - start - 1)
                code.leave(at + 1)
            with code.when(at.byte().equals(_BACKSLASH)):
                code.leave(code.call(self._escaped(), start + 1))
        code.value(0).write()

    @once(1)
    def _character(self, code: Code) -> None:
        """`(at)`: one character of more than one byte (RFC 3629)."""
        at = code.arguments[0]
        first, second = code.local(at.byte()), code.local(at.byte(1))
        for low, high, least, most, size in (
            (0xC2, 0xDF, 0x80, 0xBF, 2), (0xE0, 0xE0, 0xA0, 0xBF, 3), (0xE1, 0xEC, 0x80, 0xBF, 3),
            (0xED, 0xED, 0x80, 0x9F, 3), (0xEE, 0xEF, 0x80, 0xBF, 3), (0xF0, 0xF0, 0x90, 0xBF, 4),
            (0xF1, 0xF3, 0x80, 0xBF, 4), (0xF4, 0xF4, 0x80, 0x8F, 4),
        ):  # fmt: skip
            with code.when((first - low).below(high - low + 1)):
                whole = (second - least).below(most - least + 1)
                for more in range(2, size):
                    whole = code.both(whole, (at.byte(more) & 0xC0).equals(0x80))
                with code.when(whole):
                    code.leave(at + size)
        code.value(0).write()

    @once(1)
    def _escaped(self, code: Code) -> None:
        """`(at)`: the rest of a string from its first character, with its escapes replaced."""
        at = code.arguments[0]
        to, start = code.local(code.global_(self.decoded_to)), code.local(code.global_(self.decoded_to))
        sign, end = code.local(), code.local()
        code.global_(self.string_at).set(start)
        with code.loop() as again:
            self.fail_unless(code, to < self.decoded + DECODED - 16)
            sign.set(at.byte())
            with code.when(sign.equals(_QUOTE)):
                code.global_(self.string_size).set(to - start)
                code.global_(self.decoded_to).set(to)
                code.leave(at + 1)
            self.fail_unless(code, sign >= 0x20)
            with code.when(sign >= 0x80):
                end.set(code.call(self._character(), at))
                self.fail_unless(code, end)
                code.store(to, at.word())
                to.add(end - at)
                at.set(end)
                code.branch(again)
            with code.when(sign.differs(_BACKSLASH)):
                code.store_byte(to, sign)
                to.add(1)
                at.add(1)
                code.branch(again)
            sign.set(at.byte(1))
            for written, meant in zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t', strict=True):
                with code.when(sign.equals(written)):
                    code.store_byte(to, meant)
                    to.add(1)
                    at.add(2)
                    code.branch(again)
            self.fail_unless(code, sign.equals(ord("u")))
            sign.set(code.call(self._hex(), at + 2))
            at.add(6)
            self.fail_unless(code, sign >= 0)
            with code.when((sign & 0xFC00).equals(0xD800)):
                self.fail_unless(code, at.half().equals(0x755C))
                end.set(code.call(self._hex(), at + 2))
                at.add(6)
                self.fail_unless(code, code.both(end >= 0, (end & 0xFC00).equals(0xDC00)))
                sign.set(((sign & 0x3FF) << 10) + (end & 0x3FF) + 0x10000)
            self.fail_unless(code, (sign & 0xFFFFFC00).differs(0xDC00))
            self._put_character(code, to, sign)
            code.branch(again)
        code.value(0).write()

    @once(1)
    def _hex(self, code: Code) -> None:
        """`(at)`: four hexadecimal digits as a number; -1 if they are not digits."""
        at = code.arguments[0]
        value, digit = code.local(0), code.local()
        for place in range(4):
            digit.set(at.byte(place) - 0x30)
            with code.when(digit.below(10).is_zero()):
                digit.set((at.byte(place) | 0x20) - 0x61)
                with code.when(digit.below(6).is_zero()):
                    code.leave(-1)
                digit.add(10)
            value.set((value << 4) | digit)
        value.write()

    def _put_character(self, code: Code, to: Local, sign: Local) -> None:
        """Write a character as UTF-8."""
        with code.block() as done:
            with code.when(sign < 0x80):
                code.store_byte(to, sign)
                to.add(1)
                code.branch(done)
            for limit, size, mark in ((0x800, 2, 0xC0), (0x10000, 3, 0xE0), (1 << 21, 4, 0xF0)):
                with code.when(sign < limit):
                    code.store_byte(to, sign.shifted_down(6 * (size - 1)) | mark)
                    for more in range(1, size):
                        code.store_byte(to, (sign.shifted_down(6 * (size - 1 - more)) & 0x3F) | 0x80, more)
                    to.add(size)
                    code.branch(done)

    @once(3)
    def same(self, code: Code) -> None:
        """`(one, other, size)`: whether two runs of bytes are equal."""
        one, other, size = code.arguments
        with code.until(size < 8):
            with code.when(one.long().differs(other.long())):
                code.leave(0)
            one.add(8)
            other.add(8)
            size.add(-8)
        with code.when(size):
            different = (one.long() ^ other.long()) << (code.value(64) - (size << 3)).wide()
            with code.when(different.differs(0)):
                code.leave(0)
        code.value(1).write()

    def is_text(self, code: Code, text: str) -> Expression:
        """Whether the last string is this text."""
        # An address may name a file whose name is not valid text.
        data = text.encode("utf-8", "surrogatepass")
        size = code.global_(self.string_size).equals(len(data))
        there = code.value(self.kernel.data(data + b"\0" * 8))
        return code.both(size, code.call(self.same(), code.global_(self.string_at), there, len(data)))

    # ---- dictionaries

    def dictionary(self, words: Mapping[str, int]) -> tuple[int, int]:
        """The address of a hash table of words, and its number of places minus one. A place is the key of a word, its
        address, its size and its value; an empty one has size -1.
        """
        key = tuple(words.items())
        if key not in self._dictionaries:
            places = 4
            while places < 2 * len(words):
                places *= 2
            table: list[tuple[int, int, int, int] | None] = [None] * places
            for word, value in words.items():
                data = word.encode()
                at = _hash(data) & places - 1
                while table[at] is not None:
                    at = at + 1 & places - 1
                table[at] = (_key(data), self.kernel.data(data + b"\0" * 8), len(data), value)
            content = b"".join(pack("<QIiiI", *(place or (0, 0, -1, -1)), 0) for place in table)
            self._dictionaries[key] = self.kernel.data(content), places - 1
        return self._dictionaries[key]

    @once(2)
    def look_up(self, code: Code) -> None:
        """`(table, mask)`: the value that a dictionary has for the last string, -1 if it has none."""
        table, mask = code.arguments
        start, size = code.local(code.global_(self.string_at)), code.local(code.global_(self.string_size))
        key, at, place = code.local(kind=I64), code.local(), code.local()
        with code.when(size < 8):
            key.set(start.long() & ((code.value(1, I64) << (size << 3).wide()) - 1))
            code.otherwise()
            key.set(start.long() ^ ((start + size).long_before() * _FACTOR))
        at.set(((key + size.wide()) * _FACTOR).shifted_down(40).narrow())
        with code.loop() as again:
            place.set((at & mask) * 24 + table)
            with code.when(place.word(12) < 0):
                code.leave(-1)
            with code.when(code.both(place.word(12).equals(size), place.long().equals(key))):
                same = code.one_of(size < 8, code.call(self.same(), start, place.word(8), size))
                with code.when(same):
                    code.leave(place.word(16))
            at.add(1)
            code.branch(again)
        code.value(-1).write()

    def word(self, words: Mapping[str, int]) -> Function:
        """`(at)`: a string that is one of these words; `number` is its value, which is not negative."""
        table, mask = self.dictionary(words)

        def write(code: Code) -> None:
            start = code.arguments[0]
            self.fail_unless(code, start.byte().equals(_QUOTE))
            number = code.global_(self.number)
            self._short_word(code, start, words, number)
            start.set(code.call(self.string(), start))
            self.fail_unless(code, start)
            number.set(code.call(self.look_up(), table, mask))
            self.fail_unless(code, number >= 0)
            start.write()

        return self.kernel.once(("word", table), write, 1)

    def _short_word(self, code: Code, start: Local, words: Mapping[str, int], number: Global) -> None:
        """Leave the function with a word of less than 8 bytes without escapes, as most are: its bytes, taken as one
        number, lead to its place in a table without collisions.
        """
        keys = {_key(word.encode()): value for word, value in words.items() if 0 < len(word.encode()) < 8}
        found = _without_collisions(list(keys))
        if found is None:
            return
        factor, bits = found
        places = [(0, -1, 0)] * (1 << bits)
        for word, value in keys.items():
            # Including the position of the quotation mark, so that a zero after a word is not taken for a part of it.
            places[_place(word, factor, bits)] = (word, value, (word.bit_length() + 7) // 8 * 8 + 7)
        table = self.kernel.data(b"".join(pack("<Qii", *place) for place in places))
        key, quote, at = code.local(start.long(1), I64), code.local(kind=I64), code.local()
        quote.set(self._among(key, _QUOTE))
        with code.when(quote.differs(0)):
            # The lowest bit set is the quotation mark: everything below it is the word.
            key.set(key & ((quote ^ (quote - 1)).shifted_down(8)))
            at.set((key * factor).shifted_down(64 - bits).narrow() * 16 + table)
            alike = code.both(at.long().equals(key), at.word(12).equals(quote.trailing_zeros().narrow()))
            with code.when(code.both(alike, at.word(8) >= 0)):
                number.set(at.word(8))
                code.leave(start + quote.trailing_zeros().narrow().shifted_down(3) + 2)

    # ---- numbers

    @once(1)
    def integer(self, code: Code) -> None:
        """`(at)`: a whole number of at most 9 digits, stored in `number`."""
        at = code.arguments[0]
        minus, value, digit, start = code.local(0), code.local(0), code.local(), code.local()
        with code.when(at.byte().equals(0x2D)):
            minus.set(1)
            at.add(1)
        start.set(at)
        with code.loop() as again:
            digit.set(at.byte() - 0x30)
            with code.when(digit.below(10)):
                value.set(value * 10 + digit)
                at.add(1)
                self.fail_unless(code, at - start <= MAX_DIGITS)
                code.branch(again)
        self.fail_unless(code, at.differs(start))
        leading = start.byte().equals(0x30) & (at - start).differs(1)
        more = at.byte().equals(0x2E) | (at.byte() | 0x20).equals(0x65)
        self.fail_unless(code, (leading | more).is_zero())
        code.global_(self.number).set(code.choose(minus, code.value(0) - value, value))
        at.write()

    # ---- skipped values

    @once(2)
    def skip(self, code: Code) -> None:
        """`(at, depth)`: any value that the engine would read."""
        at, depth = code.arguments
        sign = code.local(at.byte())
        self.fail_unless(code, depth < MAX_DEPTH)
        with code.when(sign.equals(_QUOTE)):
            code.leave(code.call(self.string(), at))
        for word in (b"true", b"false", b"null"):
            with code.when(self.literal(code, at, word)):
                code.leave(at + len(word))
        with code.when(sign.equals(_BRACKET)):
            with self.each_element(code, at):
                self.read(code, at, self.skip(), depth + 1)
            # Blanks after it were skipped too, which does not matter to the caller.
            code.leave(at)
        with code.when(sign.equals(_BRACE)):
            keys = code.local(code.global_(self.keys_to))
            with self.each_member(code, at):
                self.read(code, at, self._new_key(), keys)
                self.sign(code, at, _COLON)
                self.read(code, at, self.skip(), depth + 1)
            code.global_(self.keys_to).set(keys)
            code.leave(at)
        code.call(self._skip_number(), at).write()

    @once(2)
    def _new_key(self, code: Code) -> None:
        """`(at, keys)`: a key that the object (whose keys are noted from `keys` on) does not have yet."""
        at, key = code.arguments
        first = code.local(key)
        after = code.local(code.call(self.string(), at))
        self.fail_unless(code, after)
        start, size = code.local(code.global_(self.string_at)), code.local(code.global_(self.string_size))
        # A key with escapes may be the same as one that is written differently.
        self.fail_unless(code, start.equals(at + 1))
        end = code.global_(self.keys_to)
        with code.while_below(key, end, 2 * WORD), code.when(key.word(WORD).equals(size)):
            self.fail_unless(code, code.call(self.same(), key.word(), start, size).is_zero())
        self.fail_unless(code, key - first < MAX_KEYS * 2 * WORD)
        self.fail_unless(code, key < self.keys + MAX_DEPTH * MAX_KEYS * 2 * WORD)
        code.store(key, start)
        code.store(key, size, WORD)
        end.set(key + 2 * WORD)
        after.write()

    @once(1)
    def _skip_number(self, code: Code) -> None:
        """`(at)`: a number without an exponent."""
        at = code.arguments[0]
        start = code.local()
        with code.when(at.byte().equals(0x2D)):
            at.add(1)
        start.set(at)

        def digits() -> None:
            with code.while_((at.byte() - 0x30).below(10)):
                at.add(1)

        digits()
        self.fail_unless(code, at.differs(start))
        self.fail_unless(code, (start.byte().equals(0x30) & (at - start).differs(1)).is_zero())
        self.fail_unless(code, at - start < 28)
        with code.when(at.byte().equals(0x2E)):
            at.add(1)
            start.set(at)
            digits()
            self.fail_unless(code, at.differs(start))
        self.fail_unless(code, (at.byte() | 0x20).differs(0x65))
        at.write()


def _key(data: bytes) -> int:
    """The key of a word in a dictionary: the word itself, if it is shorter than 8 bytes."""
    first = int.from_bytes(data[:8], "little")
    if len(data) < 8:
        return first
    return first ^ (int.from_bytes(data[-8:], "little") * _FACTOR & (1 << 64) - 1)


def _place(key: int, factor: int, bits: int) -> int:
    return (key * factor & (1 << 64) - 1) >> 64 - bits


def _without_collisions(keys: list[int]) -> tuple[int, int] | None:
    """A factor and a number of bits that give all keys different places; None if none is found soon."""
    bits = max(2, (4 * len(keys)).bit_length())
    factor = _FACTOR
    for _ in range(400):
        if len({_place(key, factor, bits) for key in keys}) == len(keys):
            return factor, bits
        factor = factor * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1 | 1
    return None


def _hash(data: bytes) -> int:
    return ((_key(data) + len(data)) * _FACTOR & (1 << 64) - 1) >> 40 & 0xFFFFFF
