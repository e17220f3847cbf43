#!/usr/bin/env python3
"""Writes Sources/Filing/FoldingTable.swift: how filing, search, names and matches see each character.

A filing key is stored on disk, so its rules may not change with an operating system's Unicode tables. This script
asks Python's `unicodedata` once; the answer is committed, and a change of it is a new `TitleKey.ruleVersion`.

    python3 Formats/generate_folding_table.py > Sources/Filing/FoldingTable.swift

Each character above ASCII does one of four things:
  dropped    marks on Latin, Greek, Cyrillic, Hebrew and Arabic letters; apostrophes; invisible characters
  blank      every other punctuation mark, symbol and space
  replaced   by its lower-case base letters ("É" by "e", "ß" by "ss"), by the letter that it is another shape of, or its digit
  kept       everything else, as it is

Two characters that Unicode takes for one, and that folded apart would be others, are `composed` first.

A filing key goes one step further: what makes two letters of one to those who read them, but never decides an order, is
not in it (`filed`). `FilingAlphabet` then gives each letter its bytes.
"""
import re
import sys
import textwrap
import unicodedata as u

# Marks elsewhere (Devanagari vowel signs, for one) are letters to their readers, and stay.
DROPPED_MARKS = [(0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5),
                 (0x5C7, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4),
                 (0x6E7, 0x6E8), (0x6EA, 0x6ED), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
                 (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF)]
# Written inside a word, and no reader looks for them: ' ’ ‘ ‛ ′ ´ ` and the modifier letters that look like them.
APOSTROPHES = set(map(ord, "‘’‛′´`\u1FEF\u1FFD＇｀ʹ\u0374ʺʻʼʽʾʿˈ׳״")) | {0x640}  # the last is the Arabic stretching bar
# Letters that have no canonical decomposition, and whose names do not tell their base letter.
SPECIAL = {"ß": "ss", "æ": "ae", "ǽ": "ae", "ǣ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ſ": "s", "ĸ": "k",
           "ŋ": "n", "ς": "σ", "ŉ": "n", "ĳ": "ij", "ǆ": "dz", "ǳ": "dz", "ǉ": "lj", "ǌ": "nj", "ﬅ": "st", "ﬆ": "st",
           "ẞ": "ss", "ẛ": "s", "ª": "a", "º": "o", "ƿ": "w", "ȣ": "ou", "ꜳ": "aa", "ꜵ": "ao", "ꜷ": "au", "ꜽ": "ay"}
# Compatibility forms that are only another shape of plain letters.
COMPATIBLE = [(0x1C4, 0x1CC), (0x1F1, 0x1F3), (0x2070, 0x209F), (0x2100, 0x214F), (0x2160, 0x217F), (0xFB00, 0xFB06),
              (0xFF21, 0xFF3A), (0xFF41, 0xFF5A)]
# Compatibility forms of Hebrew, Arabic, kana and Han that are only another shape of their letters.
OTHER_SHAPES = [(0xF900, 0xFAFF), (0xFB13, 0xFB17), (0xFB1D, 0xFB28), (0xFB2A, 0xFB4F), (0xFB50, 0xFBB1), (0xFBD3, 0xFBE9),
                (0xFBFC, 0xFBFF), (0xFDF2, 0xFDF2), (0xFE70, 0xFEFC), (0xFF66, 0xFF9F), (0x2F800, 0x2FA1F)]
# The nukta of Devanagari and its sisters: many leave it out.
NUKTAS = [0x93C, 0x9BC, 0xA3C, 0xABC, 0xB3C, 0xCBC, 0x110BA]
# The marks of voiced kana, each in three shapes.
VOICING = {0x3099: 0x3099, 0x309A: 0x309A, 0x309B: 0x3099, 0x309C: 0x309A, 0xFF9E: 0x3099, 0xFF9F: 0x309A}
# Letters of their own to those who write them, though Unicode takes them for another with a mark.
OWN = "йїўѓќ"
# What Persian writes as heh with hamza is to Unicode another letter with it.
HEH_WITH_HAMZA = 0x6C0
# One letter in two shapes: final forms, digraphs, what Persian and Urdu write otherwise than Arabic.
SHAPES = {"ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ", "װ": "וו", "ױ": "וי", "ײ": "יי", "ٱ": "ا", "ٲ": "ا", "ٳ": "ا",
          "ٵ": "ا", "ٶ": "و", "ٷ": "ۇ", "ٸ": "ي", "ة": "ت", "ى": "ي", "ی": "ي", "ک": "ك", "ڪ": "ك", "ګ": "گ", "ہ": "ه", "ۃ": "ت",
          "ۂ": "ه", "ۀ": "ه", "ۓ": "ے", "ؠ": "ي", "ػ": "ك", "ؼ": "ك", "ؽ": "ي", "ؾ": "ي", "ؿ": "ي", "և": "եւ",
          "ゟ": "より", "ヿ": "こと"}
LAST = 0x2FA1F  # beyond are tags, and the variation selectors


def is_hangul(c):
    return 0x1100 <= c <= 0x11FF or 0xAC00 <= c <= 0xD7A3


def within(c, ranges):
    return any(first <= c <= last for first, last in ranges)


def folded(c, depth=0):
    """The replacement of one scalar: "" drops it, " " is a blank, None keeps it."""
    char = chr(c)
    if c < 0x80:
        return None if not char.isupper() else char.lower()
    if within(c, DROPPED_MARKS) or c in APOSTROPHES or c in NUKTAS or c in VOICING or 0xFE70 <= c <= 0xFE7F:
        return ""  # the last are the vowel signs of Arabic, each on a blank
    if char in SPECIAL:
        return SPECIAL[char]
    if char in SHAPES:
        return SHAPES[char]
    if is_hangul(c) or char in OWN:
        return None
    if char.lower() in OWN:
        return char.lower()
    if u.category(char) == "Cf":
        return ""
    if u.category(char) == "Nd":
        return None  # `digits` has them
    if u.category(char) == "No":
        digits = u.normalize("NFKD", char).replace("\u2044", " ")
        if digits.replace(" ", "").isascii() and digits.replace(" ", "").isdigit():
            return " " + digits if " " in digits else digits
    if 0x30A1 <= c <= 0x30F6 or c in (0x30FD, 0x30FE):
        return chr(c - 0x60)  # katakana
    if 0xFFA1 <= c <= 0xFFDC:
        return chr(int(u.decomposition(char).split()[-1], 16))  # a half-width letter of Hangul
    # A letter whose capital has another small letter is only another shape of that one: ϑ of θ.
    usual = char.upper().lower()
    if len(usual) == 1 and u.category(char) == "Ll" and usual != char:
        result = folded(ord(usual), depth + 1)
        return usual if result is None else result
    expansion = char
    if char.lower() != char and len(char.lower()) == 1:
        expansion = char.lower()
    if is_one_letter(expansion):
        return None if expansion == char else expansion
    decomposed = u.normalize("NFKD" if within(c, COMPATIBLE + OTHER_SHAPES) else "NFD", expansion)
    if decomposed != char and depth < 4:
        parts = []
        for piece in decomposed:
            replacement = piece if ord(piece) < 0x80 and not piece.isupper() else folded(ord(piece), depth + 1)
            parts.append(piece if replacement is None else replacement)
        result = "".join(parts).strip()
        if any(ord(piece) < 0x80 and not piece.isalnum() for piece in result):
            return " "
        if result and result != char:
            return result
    named = re.match(r"LATIN (?:SMALL|CAPITAL) LETTER ([A-Z])(?: WITH .*)$", u.name(char, ""))
    if named:
        return named.group(1).lower()
    if u.category(char)[0] in "PSZ" or u.category(char) == "Cc":
        return " "
    return None


def is_one_letter(char):
    """Whether Unicode writes a letter in two pieces of which neither is a mark that is dropped, as vowels of India; or a voiced kana."""
    pieces = u.normalize("NFD", char)
    if len(pieces) < 2 or u.category(char)[0] not in "LM":
        return False
    return ord(pieces[1]) in VOICING or all(folded(ord(piece)) != "" for piece in pieces)


def composites():
    """The pairs of characters that are composed before they are folded: `composite: first, second`, in every spelling of the two."""
    narrow = {ord(u.normalize("NFKC", chr(c))): c for c in range(0xFF66, 0xFF9E)}
    for c in [*range(0x80, LAST + 1)]:
        pieces = u.decomposition(chr(c)).split()
        if len(pieces) != 2 or pieces[0].startswith("<"):
            continue
        if not (chr(c).lower() in OWN or c == HEH_WITH_HAMZA or is_one_letter(chr(c))):
            continue
        first, second = (int(piece, 16) for piece in pieces)
        marks = [mark for mark, plain in VOICING.items() if plain == second]
        for base in [first, narrow[first]] if first in narrow else [first]:
            for mark in marks or [second]:
                yield c, base, mark


# Filing: marks that give way to the order of the letters below them: Thai and Lao tones.
FILED_DROPPED = [*range(0xE47, 0xE4D), 0xE4E, *range(0xEC8, 0xECD), 0x590]  # the last is no character; Georgian has its place
SMALL_KANA = dict(zip("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")) | dict(
    zip("ㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ", "くしすとぬはひふへほむらりるれろ"))
# The initial consonants of Hangul by the trailing cluster that begins with them.
CLUSTERS = {0x11AA: 0, 0x11AC: 2, 0x11AD: 2, **dict.fromkeys(range(0x11B0, 0x11B7), 5), 0x11B9: 7}


def filed(c):
    """What a filing key has for one scalar: as `folded`, with None for itself."""
    if c in FILED_DROPPED:
        return ""
    plain = folded(c)
    result = "".join(filed_letter(piece) for piece in (chr(c) if plain is None else plain))
    return None if result == chr(c) else result


def filed_letter(char):
    if char in SMALL_KANA:
        return SMALL_KANA[char]
    if 0x3041 <= ord(char) <= 0x30FF:
        plain = u.normalize("NFD", char)[0]
        return plain if plain == char else folded(ord(plain)) or plain
    if 0x3131 <= ord(char) <= 0x318E:
        return hangul(ord(u.normalize("NFKD", char)[0])) or char
    return char


def hangul(jamo):
    """A letter standing alone files as the first syllable it begins, or, a vowel, with the silent initial."""
    if 0x1100 <= jamo <= 0x1112:
        return chr(0xAC00 + (jamo - 0x1100) * 588)
    if 0x1161 <= jamo <= 0x1175:
        return chr(0xAC00 + 11 * 588 + (jamo - 0x1161) * 28)
    return chr(0xAC00 + CLUSTERS[jamo] * 588) if jamo in CLUSTERS else None


def literal(text):
    """The text itself, unless an editor that normalises, or a reader, could mistake it."""
    out = ""
    for char in text:
        plain = u.normalize("NFC", char) == char and u.category(char)[0] in "LN" and u.bidirectional(char) in "L EN ET ON"
        out += char if plain else "\\u{%X}" % ord(char)
    return out


def tokens(key, members, most=48):
    """`key=members`, as often as lines of a bearable length need it."""
    for start in range(0, len(members), most):
        yield "%s=%s" % (literal(key), literal("".join(map(chr, members[start:start + most]))))


def ranges(members):
    out = []
    for c in sorted(members):
        if out and c == out[-1][1] + 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return " ".join("%X" % a if a == b else "%X-%X" % (a, b) for a, b in out)


def lines(text, width=108):
    return "\n".join("        " + line for line in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


replaced, dropped, blank = {}, [], []
for c in [*range(0x80, LAST + 1), *range(0xE0100, 0xE01F0)]:
    if 0xD800 <= c <= 0xDFFF or u.category(chr(c)) in ("Cn", "Co"):
        continue
    result = folded(c)
    if result is None or result == chr(c):
        continue
    if result == "":
        dropped.append(c)
    elif result == " ":
        blank.append(c)
    else:
        replaced.setdefault(result.replace(" ", "_"), []).append(c)

own, own_dropped = {}, []
for c in range(0x80, LAST + 1):
    if 0xD800 <= c <= 0xDFFF or (u.category(chr(c)) in ("Cn", "Co") and c not in FILED_DROPPED) or u.category(chr(c)) == "Nd":
        continue
    plain, result = folded(c), filed(c)
    if result == (chr(c) if plain is None else plain) or (result is None and plain in (None, chr(c))):
        continue
    if result == "":
        own_dropped.append(c)
    else:
        own.setdefault((chr(c) if result is None else result).replace(" ", "_"), []).append(c)

# Marks that stay, by their canonical class: those of one letter are the same in any order but among equals.
classes = {}
for c in range(0x80, LAST + 1):
    if u.combining(chr(c)) and folded(c) is None:
        classes.setdefault(u.combining(chr(c)), []).append(c)
mark_lines = "\n".join("        %X %s" % (number, line.strip()) for number, members in sorted(classes.items())
                       for line in lines(ranges(members), 100).split("\n"))

pairs = sorted(composites())
for composite, first, second in pairs:
    # One piece takes the place of another without moving what is behind it.
    assert first >= 0x400 and len(chr(composite).encode()) == len(chr(first).encode()), hex(composite)
pair_groups = " ".join("%s=%s%s" % tuple(literal(chr(c)) for c in pair) for pair in pairs)
own_groups = " ".join(token for key, members in sorted(own.items()) for token in tokens(key, members))
groups = " ".join(token for key, members in sorted(replaced.items()) for token in tokens(key, members))
zeros = [c for c in range(0x80, LAST + 1) if u.category(chr(c)) == "Nd" and u.decimal(chr(c)) == 0]
sys.stdout.write(f'''// Made by Formats/generate_folding_table.py from Unicode {u.unidata_version}; change that, never this.

/// What filing, search, names and matches see in place of each character above ASCII. One that is not here stands for itself.
///
/// The tables belong to `TitleKey.ruleVersion`: keys on disk were made with them.
enum FoldingTable {{
    static let unicodeVersion = "{u.unidata_version}"
    /// {sum(map(len, replaced.values()))} characters by what stands for them; `_` is a blank: `replacement=characters`.
    static let replaced = """
{lines(groups)}
        """

    /// {sum(map(len, classes.values()))} marks that are kept, by their canonical class, which each line begins with.
    static let markClasses = """
{mark_lines}
        """

    /// {len(pairs)} pairs of characters that are one, from U+0400 on: `composite=first second`, without the blank.
    static let composed = """
{lines(pair_groups)}
        """

    /// The zeros of {len(zeros)} scripts, in hexadecimal; the digits one to nine follow each.
    static let zeros = """
{lines(" ".join("%X" % c for c in zeros))}
        """

    /// {len(dropped)} characters that leave no trace, as hexadecimal ranges.
    static let dropped = """
{lines(ranges(dropped))}
        """

    /// {len(blank)} characters that count as one blank, as hexadecimal ranges.
    static let blank = """
{lines(ranges(blank))}
        """

    /// {sum(map(len, own.values()))} characters for which filing keys have other letters than the tables above.
    static let filed = """
{lines(own_groups)}
        """

    /// {len(own_dropped)} more characters that leave no trace in filing keys.
    static let filedDropped = """
{lines(ranges(own_dropped))}
        """
}}
''')
