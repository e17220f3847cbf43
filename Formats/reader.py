#!/usr/bin/env python3
"""A second reader of BookDB stores, written from the pages beside it and from nothing else.

    python3 reader.py verify STORE ...   every checksum and every promise; ends with 1 when one is broken
    python3 reader.py list STORE         every entry: tree <TAB> key <TAB> facets <TAB> value, in hexadecimal
    python3 reader.py dump FILE          a snapshot file or log segment, byte by byte, as DUMP.md describes

It is slow and plain on purpose: what a page says in a table or a sentence is one table or a few lines here. It opens files
for reading only, takes no lock, and needs Python 3.8 and nothing besides.
"""

import os
import re
import sys
from struct import calcsize, error as StructError, pack, unpack_from

PAGE, FORMAT = 4096, 1
KEY_LIMIT, VALUE_LIMIT, TRANSACTION_LIMIT, NUMBER_LIMIT = 512, 1 << 24, 1 << 29, 1 << 62
HOT_LIMIT, TREE_LIMIT, TREE_NUMBER_LIMIT, FACET_LIMIT, COLUMN_LIMIT, NAME_LIMIT = 1024, 4096, (1 << 24) - 1, 16, 8, 64
AMOUNT_LIMIT, LEVEL_LIMIT, ENTRY_LIMIT, BLOCK_SIZE = 4, 12, 1024, 1 << 14


class Damage(Exception):
    """Bytes that are not what was written: where, and what is wrong."""

    def __init__(self, file, offset, finding):
        super().__init__("%s, byte %d: %s" % (file, offset, finding))
        self.finding = finding


class Refused(Exception):
    """Not damaged, but nothing to read: no store, or a newer format."""


class UnknownFeatures(Refused):
    """Of a newer version, in bytes whose checksum is right."""


def require_features(file, bits):
    """README.md: of the features that a reader has to know, this one knows none."""
    if bits:
        words = "%s has features of a newer BookDB, %08x, and cannot be read without them; it is not damaged"
        raise UnknownFeatures(words % (file, bits))


def require(holds, finding):
    if not holds:
        raise ValueError(finding)


def is_text(name):
    """Whether these bytes may be a tree's name."""
    try:
        return bool(name.decode()) and 0 not in name
    except UnicodeDecodeError:
        return False


def report_stray(path, data, start, end, where, report):
    """Reports the first byte of a stretch of zeros that is none."""
    stray = next((at for at in range(start, min(end, len(data))) if data[at]), None)
    if stray is not None:
        report(Damage(path, stray, "a byte %s is not zero" % where))


# README.md: integers and checksums


def reader(form):
    return lambda data, at: unpack_from(form, data, at)[0]


u8, u16, u32, u64, i64 = reader("<B"), reader("<H"), reader("<I"), reader("<Q"), reader("<q")


def crc_of_byte(value):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


CRC_TABLE = [crc_of_byte(byte) for byte in range(256)]


def crc32c(*pieces):
    """The checksum of the pieces, one behind the other."""
    table, value = CRC_TABLE, 0xFFFFFFFF
    for piece in pieces:
        for byte in piece:
            value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


# LZ4-BLOCK.md


def lz4(data, count):
    """The `count` bytes that a block decodes to, or None when it does not."""
    result, position = bytearray(), 0

    def length(nibble):
        nonlocal position
        more = nibble == 15
        while more:
            nibble, more, position = nibble + data[position], data[position] == 255, position + 1
        return nibble

    try:
        while True:
            token, position = data[position], position + 1
            literals = length(token >> 4)
            result += data[position : position + literals]
            position += literals
            if position >= len(data) or len(result) > count:
                return bytes(result) if position == len(data) and len(result) == count else None
            offset, position = u16(data, position), position + 2
            match = length(token & 15) + 4
            if not 0 < offset <= len(result) or len(result) + match > count:
                return None
            for _ in range(match):
                result.append(result[-offset])
    except (IndexError, StructError):
        return None


# SNAPSHOT.md: columns, of which a tree's are the bytes that are their codes

SUM, BOUNDS, HIGHEST, LOWEST, FINGERPRINT, HASH_SUM = 0x10, 0x20, 0x30, 0x40, 0x50, 0x60
HASHES = FINGERPRINT, HASH_SUM
NO_AMOUNT, NO_BOUNDS = -(1 << 63), ((1 << 63) - 1, -(1 << 63))


def kind_of(code):
    return code & 0xF0


def are_columns(codes, placement):
    """Whether a tree of this placement may have these columns."""
    amounts = [code for code in codes if code not in HASHES]
    known = all(kind_of(code) in (SUM, BOUNDS, HIGHEST, LOWEST) and code & 15 < AMOUNT_LIMIT for code in amounts)
    summed = all(SUM + (code & 15) in codes for code in amounts if kind_of(code) in (HIGHEST, LOWEST))
    return known and summed and len(set(codes)) == len(codes) <= COLUMN_LIMIT and (placement == 0 or not amounts)


def hash_of(key):
    mask = (1 << 64) - 1
    z = int.from_bytes(key[-8:], "big") + 0x9E3779B97F4A7C15 & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def content_hash(data, seed=0):
    """The hash of some bytes, behind what the seed is the hash of."""
    mask = (1 << 64) - 1

    def folded(one, other):
        product = one * other
        return product >> 64 ^ product & mask ^ one ^ other

    state = seed ^ 0x2D358DCCAA6C78A5
    for at in range(0, len(data), 16):
        first, second = unpack_from("<2Q", data[at : at + 16].ljust(16, b"\0"))
        state = folded(first ^ 0x8BB84B93962EACC9, second ^ state)
    return folded(state ^ 0x4B33A62ED433D4A3, len(data) ^ 0x4D5A2DA51DE1AA47)


def has_amounts(codes):
    return any(code not in HASHES for code in codes)


def column_of(code, slot):
    """What a column holds of one entry."""
    if code == FINGERPRINT:
        return hash_of(slot.key)
    if code == HASH_SUM:
        return content_hash(slot.key, slot.cold[3] if slot.cold else content_hash(slot.value))
    value = b"" if slot.cold else slot.value
    at = 8 * (code & 15)
    amount = i64(value, at) if at + 8 <= len(value) else NO_AMOUNT
    if kind_of(code) == BOUNDS:
        return NO_BOUNDS if amount == NO_AMOUNT else (amount, amount)
    return 0 if amount == NO_AMOUNT else amount


def joined(codes, columns, behind):
    """What the columns hold of entries and of those behind them, from what they hold of both; None is of no entries."""
    if columns is None:
        return behind
    both, before = [], dict(zip(codes, columns))
    for code, one, other in zip(codes, columns, behind):
        if kind_of(code) == BOUNDS:
            both.append((min(one[0], other[0]), max(one[1], other[1])))
        elif kind_of(code) in (HIGHEST, LOWEST):
            furthest = max if kind_of(code) == HIGHEST else min
            both.append(furthest(one, before[SUM + (code & 15)] + other))
        else:
            both.append(one + other)
    return both


def decoded(code, element):
    """What a column's sixteen bytes in a branch say."""
    if kind_of(code) == BOUNDS:
        return unpack_from("<qq", element)
    return int.from_bytes(element, "little", signed=code not in HASHES)


# SNAPSHOT.md: the home of a tree, with whose keys its own end, and the lead, what comes before those


def is_home(home, lead, number, columns, placement):
    """Whether the tree of this number may have that home, or has none."""
    return not lead or 1 <= home <= TREE_NUMBER_LIMIT and home != number and not columns and placement == 0


def lead_size(lead, key):
    """How long the lead of a key is; None when it has none."""
    size = lead if lead < 0x80 else key.find(0) + 1 + (lead & 0x7F) if 0 in key else len(key)
    return size if 0 < size < len(key) else None


# SNAPSHOT.md: superblock and catalogue. In a table, the third column is how DUMP.md shows a field: a number, "crc", "text",
# "bytes", or what gives its words.


def lead_words(data, at=0):
    lead = data[at]
    through_zero = "through zero" + (" and %d bytes" % (lead & 0x7F) if lead & 0x7F else "")
    return through_zero if lead & 0x80 else plural(lead, "byte") if lead else "none"


SUPERBLOCK = [
    (0, 8, "text", "magic"), (8, 4, u32, "format version"), (12, 4, u32, "page bytes"), (16, 16, "text", "store identifier"),
    (32, 8, u64, "generation"), (40, 8, u64, "commit"), (48, 8, u64, "file bytes"), (56, 4, u32, "pages"), (60, 4, u32, "trees"),
    (64, 8, u64, "cold region at"), (72, 8, u64, "cold bytes"), (80, 8, u64, "created, ms since 1970"),
    (88, 8, u64, "log from segment"), (96, 4, "crc", "log checksum"), (100, 4, "crc", "catalogue checksum"),
    (104, 4, u32, "compatible features"), (108, 4, u32, "read-only features"), (112, 4, u32, "incompatible features"),
    (116, 1, u8, "trailer bytes of a page"), (117, 1, u8, "trailer bytes of a block"),
    (118, 3974, "bytes", "reserved"), (4092, 4, "crc", "checksum"),
]
TREE_SIZE, COLUMNS_AT, NAME_AT, HOME_AT, RESERVED_AT, SUPERBLOCK_SUM_AT = 160, 56, 64, 128, 118, 4092
TREES_A_PAGE = PAGE // TREE_SIZE
TREE = [
    (0, 4, u32, "tree"), (4, 1, u8, "  facets"), (5, 1, u8, "  placement"), (6, 1, u8, "  height"), (7, 1, lead_words, "  lead"),
    (8, 4, u32, "  root page"), (12, 4, "crc", "  root checksum"), (16, 4, u32, "  leaf pages"), (20, 4, u32, "  branch pages"),
    (24, 8, u64, "  entries"), (32, 8, u64, "  key bytes"), (40, 8, u64, "  value bytes"), (48, 8, u64, "  bytes in use"),
]
TREE_HOME = [(HOME_AT, 4, u32, "  home"), (132, 4, u32, "  symbols page"), (136, 24, "bytes", "  reserved")]


class Tree:
    def __init__(self, data, at):
        self.at = at
        self.number, self.facets, self.placement, self.height, self.lead = unpack_from("<I4B", data, at)
        self.root, self.checksum = unpack_from("<2I", data, at + 8)
        self.leaves, self.branches, *self.totals = unpack_from("<2I4Q", data, at + 16)
        self.columns = data[at + COLUMNS_AT : at + NAME_AT].rstrip(b"\0")
        self.name = data[at + NAME_AT : at + HOME_AT].split(b"\0")[0]
        self.home = u32(data, at + HOME_AT) if self.lead else 0
        self.symbols, self.symbols_copy = u32(data, at + 132), 0
        self.shape = self.facets, len(self.columns)
        require(1 <= self.number <= TREE_NUMBER_LIMIT and self.facets <= FACET_LIMIT and self.placement <= 1, "a tree is none")
        require(are_columns(self.columns, self.placement), "a tree's columns are none")
        require(is_text(self.name), "a tree's name is no text")
        require(is_home(self.home, self.lead, self.number, self.columns, self.placement), "a tree's home is none")
        require(max(self.totals) < NUMBER_LIMIT, "a tree's totals are too large")


class Superblock:
    """A superblock; with `read_catalogue`, a head. The first one's catalogue follows it, the spare's lies before it."""

    def __init__(self, file, data, at):
        self.at, self.page = at, data[at : at + PAGE]
        page = self.page
        try:
            require(len(page) == PAGE, "the file ends within the superblock")
            require(page[:8] == b"BOOKDBSN", "this is no superblock")
            if u32(page, 8) > FORMAT:
                raise Refused("%s has format %d; this reader knows formats up to %d" % (file, u32(page, 8), FORMAT))
            computed, said = crc32c(page[:SUPERBLOCK_SUM_AT]), u32(page, SUPERBLOCK_SUM_AT)
            require(computed == said, "the superblock's checksum is %08x, it says %08x" % (computed, said))
            require_features(file, u32(page, 112))
            self.read(page)
        except ValueError as error:
            raise Damage(file, at, str(error))

    def read(self, page):
        require(u32(page, 8) == FORMAT and u32(page, 12) == PAGE, "the format is unknown")
        self.store, self.generation, self.commit, self.size, self.pages, self.count = unpack_from("<16s3Q2I", page, 16)
        self.cold_at, self.cold_size, self.created, self.sequence, self.log_checksum = unpack_from("<4QI", page, 64)
        self.catalogue_checksum, self.checksum = u32(page, 100), u32(page, SUPERBLOCK_SUM_AT)
        self.has_features, self.page_trailer, self.block_trailer = any(page[104:112]), page[116], page[117]
        require(max(self.generation, self.commit, self.sequence) < NUMBER_LIMIT, "its numbers are too large")
        require(self.count <= TREE_LIMIT, "there are more trees than a store has")
        self.head_pages = 1 + -(-self.count // TREES_A_PAGE)
        self.head_size = self.head_pages * PAGE
        self.catalogue_at = self.at + PAGE - (self.head_size if self.at else 0)
        self.cold_end = self.cold_at + self.cold_size
        fits = self.head_pages <= self.pages and self.pages * PAGE <= self.cold_at
        fits = fits and self.cold_end + self.head_size <= self.size and self.size % PAGE == 0
        require(fits, "the regions do not fit the file")

    def tree_places(self):
        """Where each tree begins in the file, if it is long enough."""
        places = [divmod(index, TREES_A_PAGE) for index in range(self.count)]
        return [self.catalogue_at + page * PAGE + index * TREE_SIZE for page, index in places]

    def read_catalogue(self, file, data):
        """Reads the trees; raises when the catalogue is not sound."""
        at, size = max(0, self.catalogue_at), self.head_size - PAGE
        self.catalogue = data[at : at + size]
        try:
            require(at == self.catalogue_at and len(self.catalogue) == size, "the catalogue does not fit the file")
            computed, said = crc32c(self.catalogue), self.catalogue_checksum
            require(computed == said, "the catalogue's checksum is %08x, its superblock says %08x" % (computed, said))
            self.trees, numbers, roots = [], set(), set()
            for at in self.tree_places():
                tree = Tree(data, at)
                require(tree.number not in numbers, "two trees have one number")
                require(not tree.root or tree.root not in roots, "two trees have one root")
                is_page = not tree.root or self.head_pages <= tree.root < self.pages
                require(is_page, "the root of a tree is no page of this file")
                is_page = not tree.symbols or self.head_pages <= tree.symbols < self.pages
                require(is_page, "the symbols of a tree are on no page of this file")
                self.trees.append(tree)
                numbers.add(tree.number)
                roots.add(tree.root)
            coded = [tree for tree in self.trees if tree.symbols]
            require(self.head_pages + len(coded) <= self.pages, "there is no room for copies of symbols")
            for index, tree in enumerate(coded):
                tree.symbols_copy = self.pages - len(coded) + index
        except ValueError as error:
            raise Damage(file, at, str(error))

    def chain(self, segment):
        """The checksum that the first segment behind this snapshot continues."""
        return self.checksum if segment.generation == self.generation else self.log_checksum

    def report_stray(self, file, data, report):
        """Reports bytes that must be zero and are not."""
        stretches, ends = [], self.tree_places()[1:] + [self.catalogue_at + self.head_size - PAGE]
        for tree, end in zip(self.trees, ends):
            home = tree.at + HOME_AT
            stretches += [(tree.at + NAME_AT + len(tree.name), home), (home + (4 if tree.lead else 0), home + 4), (home + 8, end)]
        # A feature may keep what it needs there.
        if self.has_features:
            return
        report_stray(file, data, self.at + RESERVED_AT, self.at + SUPERBLOCK_SUM_AT, "kept free in the superblock", report)
        for start, end in stretches:
            report_stray(file, data, start, end, "kept free in the catalogue", report)


# SNAPSHOT.md: pages

PAGE_HEADER = [
    (4, 2, u16, "capacity"), (6, 2, u16, "prefix length"), (8, 2, u16, "prefix offset"), (10, 1, u8, "level"),
    (11, 1, u8, "columns"), (12, 4, u32, "bytes in use"), (16, 4, u32, "tree"), (20, 4, u32, "reserved"),
    (24, 4, u32, "page number"), (28, 4, "crc", "seal"),
]
PERMUTATION_HEADER = [
    (32, 4, u32, "root page of the home"), (36, 4, "crc", "checksum of the home's root"), (40, 4, u32, "home"),
    (44, 4, u32, "first leaf of the home"), (48, 2, u16, "radix"), (50, 2, u16, "groups"), (52, 4, u32, "bits of a place"),
]
PACKED_HEADER = [
    (32, 2, u16, "bytes of a key"), (34, 2, u16, "bytes of a value"), (36, 2, u16, "own bytes of an entry"),
    (38, 2, u16, "of its key"), (40, 4, u32, "symbols page"), (44, 4, u32, "reserved"),
]
LEAF, BRANCH, PERMUTATION, PACKED, SYMBOLS = 1, 2, 4, 6, 8
PACKED_AT, PACKED_LIMIT, OF_SEVERAL_LENGTHS = 48, 128, 0xFFFF
SYMBOLS_AT, LENGTHS_AT, SYMBOLS_END, ESCAPE = 40, 2088, 2344, 255
COLD_WORD, SEAL_AT, SLOTS_AT, ARRAYS_AT, REFERENCE_SIZE = 0x8001, 28, 32, 56, 24
SHARED_END, UNSHARED_LIMIT, LEAD_LIMIT = 0x4000, 8192, 255


def seal(superblock, page):
    place = superblock.store + pack("<Q", superblock.generation)
    return crc32c(place, page[:SEAL_AT], bytes(4), page[SEAL_AT + 4 :])


def require_length(size, value):
    """Of a value that lies in a leaf, `value` being the beginning of a sentence on it."""
    require(size <= HOT_LIMIT, value + "has %d bytes, more than one in a leaf" % size)


def is_page(number, superblock):
    """Whether there may be a page of a tree there."""
    return superblock.head_pages <= number < superblock.pages if superblock else number > 0


class Symbols:
    """A page of symbols taken apart. `finding` says why one cannot be."""

    def __init__(self, data):
        self.data, self.finding, self.symbols = data, None, []
        try:
            self.read(data)
        except (ValueError, StructError) as error:
            self.finding = str(error)

    def read(self, data):
        kind, facets, count, capacity, size, prefix, level, columns, used, self.tree, reserved = unpack_from("<BB4HBB3I", data)
        require(kind == SYMBOLS, "kind %d is no page of symbols" % kind)
        require(0 < count == capacity < 256, "%d symbols are not what a page has" % count)
        require(used == SYMBOLS_END, "%d bytes in use are not those of a page of symbols" % used)
        require(not any([facets, size, prefix, level, columns, reserved]), "a page of symbols has a field of a page of entries")
        self.entries = u64(data, SLOTS_AT)
        for code in range(256):
            length, symbol = data[LENGTHS_AT + code], data[SYMBOLS_AT + 8 * code : SYMBOLS_AT + 8 * code + 8]
            require(1 <= length <= 8 if code < count else length == 0, "symbol %d has %d bytes" % (code, length))
            require(not any(symbol[length:]), "symbol %d is longer than it says" % code)
            self.symbols.append(symbol[:length])

    def value(self, codes):
        value, index = bytearray(), 0
        while index < len(codes):
            if codes[index] == ESCAPE:
                index += 1
                value += codes[index : index + 1]
            else:
                value += self.symbols[codes[index]]
            index += 1
        return bytes(value[:HOT_LIMIT])


class Slot:
    """An entry or a child. Bytes `at`..<`end` of the page are its own; `size` and `head` are those of the key's suffix.

    In a permutation page an entry has a `lead` instead, and a `home`, the page and the index there; its `key` is None until the
    snapshot has put it together. Of a value that shares its end, `shared` is where that lies, and how many bytes it has.
    """

    shared = None


class Group:
    """Entries `start`..<`stop` of a permutation page, which have one lead and one value. Bytes `at`..<`end` are its own."""


class Page:
    """A page taken apart. `finding` says why one cannot be; nothing else may be used then."""

    def __init__(self, data, superblock):
        self.data, self.finding = data, None
        try:
            self.read(data, superblock)
        except (ValueError, StructError) as error:
            self.finding = str(error)

    def read(self, data, superblock):
        kind, self.facets, self.count, capacity, size, self.prefix_at = unpack_from("<BB4H", data)
        self.kind, self.is_permutation, self.is_packed = kind, kind == PERMUTATION, kind == PACKED
        self.level, self.columns, self.used, self.tree = unpack_from("<BBIQ", data, 10)
        self.leaf, self.shape = kind != BRANCH, (self.facets, self.columns)
        require(kind in (LEAF, BRANCH, PERMUTATION, PACKED), "kind %d is no page" % kind)
        require(self.facets <= FACET_LIMIT, "%d facets are more than a tree has" % self.facets)
        require(self.columns <= COLUMN_LIMIT, "%d columns are more than a tree has" % self.columns)
        require(self.count == capacity > 0, "%d entries in %d slots" % (self.count, capacity))
        require((self.level == 0) == self.leaf and self.level <= LEVEL_LIMIT, "level %d does not fit kind %d" % (self.level, kind))
        # The four reserved bytes count as the number's upper half.
        require(1 <= self.tree <= TREE_NUMBER_LIMIT, "there is no tree %d" % self.tree)
        if self.is_permutation:
            return self.read_permutation(data, size, superblock)
        if self.is_packed:
            return self.read_packed(data, size, superblock)
        element = (10 if self.facets else 8) if self.leaf else 24 + 16 * self.columns + 4 * self.facets
        arrays = SLOTS_AT + element * self.count
        self.read_prefix(data, size, arrays, arrays)
        self.slots = [self.slot(index, arrays, superblock) for index in range(self.count)]
        require(size + sum(slot.end - slot.at for slot in self.slots) <= self.used - arrays, "entries overlap")
        require(self.leaf or self.slots[0].size == 0, "the first child has a separator")
        previous = None
        for index, slot in self.keyed():
            require(slot.key, "entry %d has no key" % index)
            head = int.from_bytes(slot.suffix[:4].ljust(4, b"\0"), "big")
            require(slot.head == head, "the head of key %d is not its own" % index)
            ascends = previous is None or slot.key > previous
            require(ascends, "key %d does not sort after the one before it" % index)
            require(not self.leaf or slot.facets >> self.facets == 0, "entry %d has facets the tree does not count" % index)
            previous = slot.key
        unshared = self.used + sum(slot.shared[1] - 3 for slot in self.slots if slot.shared)
        require(unshared <= UNSHARED_LIMIT, "entries that share ends come to %d bytes without" % unshared)

    def read_prefix(self, data, size, arrays, reach):
        """Arrays end at `arrays`, and what is read of them at `reach`."""
        fits = arrays <= self.used <= PAGE and reach <= PAGE
        require(fits, "%d entries do not fit the %d bytes in use" % (self.count, self.used))
        require(size == 0 or arrays <= self.prefix_at <= self.used - size, "the prefix lies outside the page")
        self.prefix = data[self.prefix_at : self.prefix_at + size]

    def read_packed(self, data, size, superblock):
        """Packed pages: what all entries share, and of each what it has of its own."""
        key_size, value_size, own, own_key, self.symbols, reserved = unpack_from("<4H2I", data, SLOTS_AT)
        count, self.packs_values = self.count, value_size != OF_SEVERAL_LENGTHS
        entry_size = key_size + value_size if self.packs_values else key_size
        require(count <= ENTRY_LIMIT, "%d entries are more than a leaf has" % count)
        known = key_size > 0 and 1 <= entry_size <= PACKED_LIMIT
        require(known, "%d bytes, %d of them of the key, are not packed" % (entry_size, key_size))
        require(own_key <= own <= entry_size, "%d own bytes, %d of them of the key, are not those of an entry" % (own, own_key))
        facet_size = (count + 63) // 64 * 8
        self.ends_at, self.own_size = PACKED_AT + facet_size * self.facets, own
        self.shared_at = self.ends_at + (0 if self.packs_values else 2 * count)
        self.places_at = self.shared_at + entry_size
        self.entries_at = self.places_at + own
        end = self.entries_at + own * count
        fits = end <= self.used <= PAGE and end + 8 <= PAGE and (end == self.used or not self.packs_values)
        require(fits, "%d entries do not fit the %d bytes in use" % (count, self.used))
        require(size == self.prefix_at == 0, "a packed page has no prefix")
        is_known = not superblock or self.symbols < superblock.pages
        require(is_known, "page %d, of its symbols, is no page of this file" % self.symbols)
        require(not self.symbols or not self.packs_values, "values are packed and have symbols")
        require(reserved == 0, "%d is reserved" % reserved)
        self.prefix = b""
        facets = [int.from_bytes(data[at : at + facet_size], "little") for at in range(PACKED_AT, self.ends_at, facet_size)]
        for facet, members in enumerate(facets):
            require(members >> count == 0, "facet %d has entries that are not there" % facet)
        shared, places = data[self.shared_at : self.places_at], data[self.places_at : self.entries_at]
        for number, place in enumerate(places):
            fits = (number == 0 or place > places[number - 1]) and place < entry_size
            require(fits and (place < key_size) == (number < own_key), "own byte %d belongs nowhere" % number)
            require(shared[place] == 0, "byte %d is shared, and is not" % place)
        self.slots = []
        for index in range(count):
            slot, entry = Slot(), bytearray(shared)
            slot.at = self.entries_at + own * index
            slot.end = slot.at + own
            for number, place in enumerate(places):
                entry[place] = data[slot.at + number]
            slot.key, slot.value, slot.cold = bytes(entry[:key_size]), bytes(entry[key_size:]), None
            slot.facets = sum((members >> index & 1) << facet for facet, members in enumerate(facets))
            ascends = index == 0 or self.slots[-1].key < slot.key
            require(ascends, "key %d does not sort after the one before it" % index)
            self.slots.append(slot)
        if not self.packs_values:
            self.read_values(data, end)

    def read_values(self, data, start):
        """Of a packed page whose values have several lengths: one behind the other."""
        for index, slot in enumerate(self.slots):
            end = u16(data, self.ends_at + 2 * index)
            require(start <= end <= self.used, "the value of entry %d lies outside the page" % index)
            require_length(end - start, "the value of entry %d " % index)
            slot.value_at, slot.value, slot.stored_size = start, data[start:end], end - start
            start = end
        require(start == self.used, "%d bytes in use are of no entry" % (self.used - start))

    def read_permutation(self, data, size, superblock):
        """Permutation pages: what can be told without the home tree."""
        *self.home_root, self.home, self.first, self.radix, groups, bits = unpack_from("<4I2HI", data, SLOTS_AT)
        count = self.count
        require(count <= ENTRY_LIMIT, "%d entries are more than a leaf has" % count)
        require(self.columns == 0, "a page with places has no columns")
        require(1 <= bits <= 32, "places have 1 to 32 bits, not %d" % bits)
        require(1 <= self.radix <= ENTRY_LIMIT, "no leaf has up to %d entries" % self.radix)
        require(1 <= groups <= count, "%d entries in %d groups" % (count, groups))
        require(is_page(self.home_root[0], superblock), "the home tree's root is no page of this file")
        facet_size = (count + 63) // 64 * 8
        self.starts_at = ARRAYS_AT + facet_size * self.facets
        self.offsets_at, self.places_at = self.starts_at + 2 * groups, self.starts_at + 4 * groups
        self.arrays_end = arrays = self.places_at + (count * bits + 7) // 8
        self.read_prefix(data, size, arrays, self.places_at + (count * bits + 7) // 8 + 8)
        # An array of bits is one long number.
        facets_at = range(ARRAYS_AT, self.starts_at, facet_size)
        facets = [int.from_bytes(data[at : at + facet_size], "little") for at in facets_at]
        for facet, members in enumerate(facets):
            require(members >> count == 0, "facet %d has entries that are not there" % facet)
        number = int.from_bytes(data[self.places_at : arrays], "little")
        require(number >> count * bits == 0, "a bit behind the places is not zero")
        self.places = [number >> bits * index & (1 << bits) - 1 for index in range(count)]
        self.read_groups(data, arrays, groups)
        self.slots = []
        for group in self.groups:
            for index in range(group.start, group.stop):
                slot, place = Slot(), self.places[index]
                ascends = index == group.start or place > self.places[index - 1]
                require(ascends, "entry %d does not sort after the one before it" % index)
                slot.lead, slot.value, slot.cold, slot.key = group.lead, group.value, None, None
                slot.facets = sum((members >> index & 1) << facet for facet, members in enumerate(facets))
                slot.home = self.first + place // self.radix, place % self.radix
                self.slots.append(slot)
        last = self.first + max(self.places) // self.radix
        are_pages = is_page(self.first, superblock) and is_page(last, superblock)
        require(are_pages, "place %d is on no page of this file" % max(self.places))

    def read_groups(self, data, arrays, count):
        starts = unpack_from("<%dH" % count, data, self.starts_at) + (self.count,)
        offsets, previous = unpack_from("<%dH" % count, data, self.offsets_at), None
        spans = [(self.prefix_at, self.prefix_at + len(self.prefix))] if self.prefix else []
        self.groups = [Group() for _ in offsets]
        for index, (group, at) in enumerate(zip(self.groups, offsets)):
            group.start, group.stop, group.at = starts[index], starts[index + 1], at
            follows = starts[index - 1] < group.start < self.count if index else group.start == 0
            require(follows, "group %d begins at entry %d" % (index, group.start))
            fits = arrays <= at <= self.used - 2 and at + 2 + data[at] + data[at + 1] <= self.used
            require(fits, "group %d lies outside the page" % index)
            middle = at + 2 + data[at]
            group.end = middle + data[at + 1]
            group.lead, group.value = self.prefix + data[at + 2 : middle], data[middle : group.end]
            spans.append((at, group.end))
            require(group.lead, "group %d has no lead" % index)
            require(len(group.lead) <= LEAD_LIMIT, "the lead of group %d is longer than one may be" % index)
            this = group.lead, self.places[group.start]
            ascends = not index or (previous, self.places[group.start - 1]) < this
            require(ascends, "group %d does not sort after the one before it" % index)
            previous = group.lead
        spans.sort()
        require(all(one[1] <= other[0] for one, other in zip(spans, spans[1:])), "groups overlap")

    def keyed(self):
        """The slots that have a key, and which they are: not the first child's."""
        return list(enumerate(self.slots))[0 if self.leaf else 1 :]

    def slot(self, index, arrays, superblock):
        data, slot = self.data, Slot()
        slot.at, slot.size, slot.head = unpack_from("<HHI", data, SLOTS_AT + 8 * index)
        start = slot.at + (2 if self.leaf else 0)
        slot.end = end = start + slot.size
        require(len(self.prefix) + slot.size <= KEY_LIMIT, "the key of entry %d is longer than a key may be" % index)
        require(arrays <= slot.at and end <= self.used, "entry %d lies outside the page" % index)
        slot.suffix = data[start:end]
        slot.key = self.prefix + slot.suffix
        after = SLOTS_AT + 8 * self.count
        if self.leaf:
            word, value = u16(data, slot.at), "the value of entry %d " % index
            require(word < 0x8000 or word == COLD_WORD, value + "is of a kind no page holds")
            own, shares = word & ~SHARED_END, word < 0x8000 and word & SHARED_END
            slot.end += REFERENCE_SIZE if word == COLD_WORD else own + (3 if shares else 0)
            require(slot.end <= self.used, value + "lies outside the page")
            slot.value, slot.facets = data[end : slot.end], u16(data, after + 2 * index) if self.facets else 0
            if shares:
                slot.shared = at, size = unpack_from("<HB", data, end + own)
                require(size and arrays <= at and at + size <= self.used, value + "ends outside the page")
                slot.value = data[end : end + own] + data[at : at + size]
            slot.cold = unpack_from("<QIIQ", slot.value) if word == COLD_WORD else None
            require_length(len(slot.value), value)
            if slot.cold and superblock:
                require(slot.cold[0] < superblock.cold_size, value + "lies outside the cold region")
        else:
            child = u64(data, after + 8 * index)
            slot.child, after = child >> 1, after + 8 * self.count
            require(child & 1 and is_page(slot.child, superblock), "child %d is no page of this file" % index)
            places = [after + 16 * (self.count * column + index) for column in range(self.columns)]
            slot.columns, after = [data[at : at + 16] for at in places], after + 16 * self.columns * self.count
            slot.checksum, *slot.counts = [u32(data, after + 4 * (self.count * row + index)) for row in range(2 + self.facets)]
        return slot


class Block:
    """A block of the cold region. `next` is None when its lengths do not fit, `raw` when it does not decode."""

    def __init__(self, data, superblock, start):
        self.at, self.start, self.finding, self.next, self.raw = superblock.cold_at + start, start, None, None, None
        try:
            self.read(data, superblock)
        except ValueError as error:
            self.finding = str(error)

    def read(self, data, superblock):
        at = self.at
        require(0 <= self.start <= superblock.cold_size - 16, "the block lies outside the cold region")
        magic, stored, raw, checksum = unpack_from("<4s3I", data, at)
        require(magic == b"BDCB", "this is no cold block")
        value = stored - superblock.block_trailer
        fits = at + 16 + stored <= superblock.cold_end and value >= 0
        fits = fits and max(1, value) <= raw <= min(256 * max(1, value), VALUE_LIMIT + BLOCK_SIZE)
        require(fits, "the block's lengths %d and %d do not fit" % (stored, raw))
        self.stored, self.next = data[at + 16 : at + 16 + stored], self.start + 16 + stored
        self.is_plain = value == raw
        self.raw = self.stored[:value] if self.is_plain else lz4(self.stored[:value], raw)
        place = pack("<Q", self.start) + superblock.store + pack("<Q", superblock.generation)
        computed = crc32c(data[at : at + 12], place, self.stored)
        require(computed == checksum, "the block's checksum is %08x, it says %08x" % (computed, checksum))
        require(self.raw is not None, "the block does not decompress to %d bytes" % raw)


class Snapshot:
    """A snapshot file. `superblock` is that of the first head that serves, or None; `problem` says why not. `serving` are those
    that do.

    Without a `generation`, which a file's name says, that is not looked at.
    """

    def __init__(self, path, generation=None):
        self.path, self.blocks, self.superblock, self.problem, self.serving = path, {}, None, None, []
        # Pages that places led to; of trees that were walked whole, each leaf and its entries; what permutation pages say.
        self.proved, self.leaves, self.places, self.coded = {}, {}, [], {}
        with open(path, "rb") as file:
            self.data = file.read()
        self.spare_at = max(0, len(self.data) // PAGE - 1) * PAGE
        for at in (0, self.spare_at):
            try:
                found = Superblock(path, self.data, at)
                if generation not in (None, found.generation):
                    words = "the superblock is of generation %d, the file's name says %d"
                    raise Damage(path, at, words % (found.generation, generation))
                if found.size != len(self.data):
                    words = "the file has %d bytes, its superblock says %d" % (len(self.data), found.size)
                    raise Damage(path, min(len(self.data), found.size), words)
                found.read_catalogue(path, self.data)
                self.serving.append(found)
            except UnknownFeatures as error:
                self.problem = error
                break
            except (Damage, Refused) as error:
                self.problem = self.problem or error
        self.superblock = self.serving[0] if self.serving else None

    def page(self, number):
        return self.data[number * PAGE : (number + 1) * PAGE]

    def block(self, start):
        if start not in self.blocks:
            self.blocks[start] = Block(self.data, self.superblock, start)
        return self.blocks[start]

    def value(self, slot):
        if not slot.cold:
            return slot.value
        start, offset, count, _ = slot.cold
        block = self.block(start)
        if block.finding or offset + count > len(block.raw):
            raise Damage(self.path, block.at, block.finding or "a value points outside its cold block")
        return block.raw[offset : offset + count]

    def symbols(self, number, tree):
        """The page of a tree's symbols: its seal proves it."""
        if (number, tree) not in self.coded:
            data = self.page(number)
            self.coded[number, tree] = page = Symbols(data)
            if u32(data, SEAL_AT) != seal(self.superblock, data):
                page.finding = "the page's seal is not of this generation"
            elif u32(data, 24) != number:
                page.finding = "the page says that it is page %d" % u32(data, 24)
            elif not page.finding and page.tree != tree:
                page.finding = "the page is of tree %d" % page.tree
        return self.coded[number, tree]

    def symbols_or_copy(self, page):
        """The symbols of a packed page, or their copy, for a dump; None where neither can be read. Without a superblock nobody
        knows what the seal should be."""
        if not self.superblock:
            found = Symbols(self.page(page.symbols))
            misfit("page %d does not hold the symbols of its values" % page.symbols if found.finding else None)
            return None if found.finding else found
        places = [page.symbols] + [tree.symbols_copy for tree in self.superblock.trees if tree.number == page.tree and tree.symbols]
        finding = None
        for place in places:
            found = self.symbols(place, page.tree)
            if not found.finding:
                misfit(finding)
                return found
            finding = "page %d, of its symbols: %s" % (place, found.finding)
        misfit("page %d does not hold the symbols of its values" % page.symbols)
        return None

    def decode(self, page):
        """Reads the values of a packed page that are written in symbols. Gives what keeps it from doing so."""
        if not page.is_packed or not page.symbols:
            return None
        symbols = self.symbols(page.symbols, page.tree)
        if not symbols.finding:
            for slot in page.slots:
                slot.value = symbols.value(slot.value)
        return symbols.finding

    def proved_page(self, number):
        """A page that another tree leads to: its seal proves it."""
        if number not in self.proved:
            data = self.page(number)
            self.proved[number] = page = Page(data, self.superblock)
            if u32(data, SEAL_AT) != seal(self.superblock, data):
                page.finding = "the page's seal is not of this generation"
            elif u32(data, 24) != number:
                page.finding = "the page says that it is page %d" % u32(data, 24)
        return self.proved[number]

    def home_key(self, page, slot):
        """The key in whose stead a permutation page has a place."""
        number, index = slot.home
        leaf = self.proved_page(number)
        require(not leaf.finding, "a place leads to page %d: %s" % (number, leaf.finding))
        fits = leaf.kind == LEAF and leaf.tree == page.home and index < leaf.count
        require(fits, "a place leads to page %d, which does not hold it" % number)
        return leaf.slots[index].key

    def put_keys_together(self, page, tree, note):
        """Gives the entries of a permutation page their keys; one that cannot be told stays None."""
        if not tree.home or page.home != tree.home:
            note("its places are those of tree %d" % page.home)
        for home in self.superblock.trees:
            if home.number == page.home and [home.root, home.checksum] != page.home_root:
                words = "its home begins at page %d with checksum %08x, the page says page %d with checksum %08x"
                note(words % (home.root, home.checksum, *page.home_root))
        previous = b""
        for index, slot in enumerate(page.slots):
            try:
                key = slot.lead + self.home_key(page, slot)
                require(len(key) <= KEY_LIMIT, "the key of entry %d is longer than a key may be" % index)
                is_lead = lead_size(tree.lead, key) == len(slot.lead)
                require(is_lead, "the lead of key %d is not what comes before a key of its home" % index)
                require(key > previous, "key %d does not sort after the one before it" % index)
                slot.key = previous = key
            except ValueError as error:
                note(str(error))

    def verify_homes(self, report):
        """What permutation pages say of all leaves of their homes, where those could be read."""
        for number, tree, home, first, radix in self.places:
            if home not in self.leaves:
                continue
            pages, most = [page for page, _ in self.leaves[home]], max(count for _, count in self.leaves[home])
            promises = [
                (pages[0] == first, "the first leaf of its home is page %d, the page says %d" % (pages[0], first)),
                (most <= radix, "a leaf of its home has %d entries, more than the radix %d" % (most, radix)),
                (pages == sorted(pages), "the leaves of its home do not lie in the order of their keys"),
            ]
            for finding in [finding for holds, finding in promises if not holds]:
                report(Damage(self.path, number * PAGE, "tree %d, page %d: %s" % (tree, number, finding)))

    def walk(self, tree, report, reached, report_totals=None):
        """Yields the slot of each entry, in order. Reports what is not as it must be, and goes on behind it."""
        found = {"levels": 0, "leaves": 0, "branches": 0, "entries": 0, "key bytes": 0, "value bytes": 0, "used": 0}

        def visit(number, checksum, level, low, high):
            """Gives how many entries there are, all and per facet, and what the columns hold; None where that cannot be told."""

            def note(finding):
                problems.append(finding)
                report(Damage(self.path, number * PAGE, "tree %d, page %d: %s" % (tree.number, number, finding)))

            if number in reached:
                return note("the page is reached twice")
            reached.add(number)
            data = self.page(number)
            if crc32c(data) != checksum:
                return note("checksum is %08x, its parent says %08x" % (crc32c(data), checksum))
            page = Page(data, self.superblock)
            if page.finding or page.shape != tree.shape or level not in (None, page.level):
                return note(page.finding or "the page belongs to another tree or level")
            if page.tree != tree.number:
                note("the page says that it is of tree %d" % page.tree)
            if u32(data, SEAL_AT) != seal(self.superblock, data):
                note("the seal is not its own")
            if u32(data, 24) != number:
                note("the page says that it is page %d" % u32(data, 24))
            trailer_at = PAGE - self.superblock.page_trailer
            if page.used > trailer_at:
                note("the %d bytes in use leave no room for the trailer" % page.used)
            elif any(data[page.used : trailer_at]):
                note("bytes behind the %d in use are not zero" % page.used)
            found["leaves" if page.leaf else "branches"] += 1
            found["used"] += page.used
            found["levels"] = max(found["levels"], page.level + 1)
            counts, columns = [0] * (1 + tree.facets), None
            if page.leaf:
                leaves.append((number, page.count))
            if page.is_packed and (tree.home or tree.placement or has_amounts(tree.columns)):
                note("leaves of the tree are not packed")
            finding = self.decode(page)
            if finding:
                problems.append(finding)
                # That of the tree has been looked at before.
                if page.symbols != tree.symbols:
                    words = "tree %d, page %d: %s" % (tree.number, page.symbols, finding)
                    report(Damage(self.path, page.symbols * PAGE, words))
                return None
            if page.is_packed and page.symbols and page.symbols != tree.symbols:
                note("its symbols are those of page %d, not the tree's" % page.symbols)
            if page.is_permutation:
                self.places.append((number, tree.number, page.home, page.first, page.radix))
                self.put_keys_together(page, tree, note)
            for index, slot in page.keyed():
                if slot.key is None:
                    continue
                if slot.key < low or high is not None and slot.key >= high:
                    note("key %d sorts outside the page's range" % index)
            for index, slot in enumerate(page.slots):
                if page.leaf:
                    below = [1] + [slot.facets >> facet & 1 for facet in range(tree.facets)]
                    held = [column_of(code, slot) for code in tree.columns]
                    if slot.cold and has_amounts(tree.columns):
                        note("entry %d lies elsewhere, and the tree has amounts" % index)
                    lead = len(slot.lead) if page.is_permutation else lead_size(tree.lead, slot.key)
                    found["key bytes"] += lead or len(slot.key)
                    found["value bytes"] += slot.cold[2] if slot.cold else len(slot.value)
                    if slot.key is not None:
                        yield slot
                else:
                    first, above = slot.key if index else low, page.slots[index + 1].key if index + 1 < page.count else high
                    said = [decoded(code, element) for code, element in zip(tree.columns, slot.columns)]
                    found_below = yield from visit(slot.child, slot.checksum, page.level - 1, first, above)
                    below, held = found_below or (slot.counts, said)
                    if below != slot.counts:
                        note("child %d has %s entries, all and per facet, the page says %s" % (index, below, slot.counts))
                    for code, one, other in zip(tree.columns, held, said):
                        if one != other:
                            note("child %d has %s in column %x, the page says %s" % (index, one, code, other))
                counts = [one + other for one, other in zip(counts, below)]
                columns = joined(tree.columns, columns, held)
            return counts, columns

        problems, leaves = [], []
        if tree.symbols:
            problems += self.verify_symbols(tree, report, reached)
        if tree.root:
            found_below = yield from visit(tree.root, tree.checksum, None, b"", None)
            found["entries"] = found_below[0][0] if found_below else 0
        if leaves and not problems:
            self.leaves[tree.number] = leaves
        if not problems and list(found.values()) != [tree.height, tree.leaves, tree.branches] + tree.totals:
            words = "tree %d is not what the catalogue says: %s" % (tree.number, found)
            (report_totals or report)(Damage(self.path, tree.at, words))

    def verify_symbols(self, tree, report, reached):
        """Both pages of a tree's symbols. Gives what was found."""
        pages, problems, trailer_at = [], [], PAGE - self.superblock.page_trailer
        for number in (tree.symbols, tree.symbols_copy):
            page = self.symbols(number, tree.number)
            finding = page.finding
            if number in reached:
                finding = "the page is reached twice"
            elif not finding and any(page.data[SYMBOLS_END:trailer_at]):
                finding = "bytes behind the %d in use are not zero" % SYMBOLS_END
            elif not finding and pages and (pages[0].symbols, pages[0].entries) != (page.symbols, page.entries):
                finding = "the copy of the symbols is not the same as page %d" % tree.symbols
            reached.add(number)
            if finding:
                problems.append(finding)
                report(Damage(self.path, number * PAGE, "tree %d, page %d: %s" % (tree.number, number, finding)))
            elif not page.finding:
                pages.append(page)
        return problems

    def has_roots(self, superblock):
        return all(not tree.root or crc32c(self.page(tree.root)) == tree.checksum for tree in superblock.trees)

    def verify(self, report):
        """Everything under "Always true"."""
        superblock, findings, reached, references = self.superblock, [], set(range(self.superblock.head_pages)), []
        for at in (0, self.spare_at):
            try:
                found = Superblock(self.path, self.data, at)
                if found.page != superblock.page:
                    report(Damage(self.path, at, "the superblock differs from the other one, by which the file was read"))
                found.read_catalogue(self.path, self.data)
                if found.catalogue != superblock.catalogue:
                    words = "the catalogue differs from the other one, by which the file was read"
                    report(Damage(self.path, found.catalogue_at, words))
                found.report_stray(self.path, self.data, report)
            except Refused:
                report(Damage(self.path, at, "the superblock names another format than the other one"))
            except Damage as damage:
                report(damage)
        for tree in superblock.trees:
            references += [slot.cold for slot in self.walk(tree, findings.append, reached, report) if slot.cold]
        self.verify_homes(findings.append)
        for number in range(superblock.head_pages, superblock.pages):
            # Below a branch that cannot be read, nothing tells which pages are reached, and a feature may have pages of its own.
            if not findings and not superblock.has_features and number not in reached and any(self.page(number)):
                report(Damage(self.path, number * PAGE, "the page holds bytes but belongs to no tree"))
        for finding in findings:
            report(finding)
        self.verify_cold(report, references)
        if superblock.cold_at != superblock.pages * PAGE:
            report(Damage(self.path, superblock.pages * PAGE, "the cold region does not begin behind the last page"))
        padding_end = len(self.data) - superblock.head_size
        report_stray(self.path, self.data, superblock.cold_end, padding_end, "behind the cold region", report)

    def verify_cold(self, report, references):
        start, starts, is_whole = 0, set(), True
        while start < self.superblock.cold_size:
            block = self.block(start)
            starts.add(start)
            if block.finding:
                report(Damage(self.path, block.at, block.finding))
                is_whole = False
                # Behind a block that cannot be read, the values that lie in others tell where those begin.
                start = min([place for place, *_ in references if place > start], default=self.superblock.cold_size)
            else:
                start = block.next
        for start, offset, count, said in references if is_whole else []:
            if start not in starts:
                report(Damage(self.path, self.superblock.cold_at + start, "a value lies in a block, and none begins here"))
                continue
            block, uses = self.block(start), [reference[1:3] for reference in references if reference[0] == start]
            if offset + count > len(block.raw):
                report(Damage(self.path, block.at, "a value points outside its cold block"))
            elif content_hash(block.raw[offset : offset + count]) != said:
                words = "the value at %d has the hash %016x, its reference says %016x"
                report(Damage(self.path, block.at, words % (offset, content_hash(block.raw[offset : offset + count]), said)))
            if len(block.raw) > BLOCK_SIZE and uses != [(0, len(block.raw))]:
                report(Damage(self.path, block.at, "the block is too large for other than one value"))


# LOG.md

SEGMENT = [
    (0, 8, "text", "magic"), (8, 4, u32, "format version"), (12, 4, "crc", "salt"), (16, 16, "text", "store identifier"),
    (32, 8, u64, "sequence"), (40, 8, u64, "behind commit"), (48, 4, "crc", "previous checksum"), (52, 8, u64, "generation"),
    (60, 4, "crc", "checksum"),
]
FRAME = [
    (0, 4, "text", "magic"), (4, 4, u32, "stored bytes"), (8, 4, u32, "raw bytes"), (12, 4, u32, "flags"), (16, 8, u64, "commit"),
    (24, 8, u64, "watermark"), (32, 4, "crc", "salt"), (36, 4, "crc", "previous checksum"),
    (40, 8, u64, "time, ms since 1970"), (48, 1, u8, "trailer bytes"), (49, 1, u8, "compatible features"),
    (50, 2, u16, "incompatible features"), (52, 4, "crc", "checksum"),
]
# Between the code and the tree; the count of the key, or name, and in a put that of the value.
OPERATIONS = {1: ("put", "<HHI"), 2: ("remove", "<H"), 3: ("declare", "<B8sBHBI"), 4: ("clear", "<")}
NOTES = range(64, 128)


def tree_number(data, at):
    """The tree's number that begins there, and where it ends; None when there is none, or a longer form of one."""
    number, count = 0, 0
    for byte in data[at : at + 4]:
        number, count = number | (byte & 0x7F) << 7 * count, count + 1
        if byte < 0x80:
            is_short = byte > 0 or count == 1
            return (number, at + count) if is_short and 1 <= number <= TREE_NUMBER_LIMIT else None
    return None


class Frame:
    """A frame; `is_sound` tells whether there is one, and nothing else may be used where there is none, but for `claim`: what is
    stored by a head that is right, whether or not the checksum is."""

    def __init__(self, data, at, salt):
        self.start, self.is_sound, self.claim = at, False, 0
        if at + 56 > len(data):
            return
        magic, self.stored, raw, flags, self.commit, self.watermark, its_salt, self.previous = unpack_from("<4s3I2Q2I", data, at)
        payload, self.checksum = data[at + 56 : at + 56 + self.stored], u32(data, at + 52)
        fits = len(payload) == self.stored <= TRANSACTION_LIMIT and raw <= min(TRANSACTION_LIMIT, 256 * max(1, self.stored)) and max(self.commit, self.watermark) < 1 << 62
        if magic != b"BDFR" or its_salt != salt or not fits:
            return
        self.claim = self.stored
        if crc32c(data[at : at + 52], payload) == self.checksum:
            self.is_sound, self.is_mark, self.is_known, self.features = True, bool(flags & 2), flags < 4, u16(data, at + 50)
            size = self.stored - data[at + 48]
            payload = payload[: max(0, size)]
            if flags & 1:
                decoded = lz4(payload, raw) if raw > 0 else None
            else:
                decoded = payload if raw == size else None
            self.payload = decoded if size >= 0 else None
            self.body_end, self.end = at + 56 + self.stored, at + (56 + self.stored + 7) // 8 * 8

    def operations(self):
        """Yields ("put", tree, key, facets, value), ("remove", tree, key), ("clear", tree, b""),
        ("declare", tree, name, facets, columns, placement, lead, home) and ("note", code, bytes)."""
        require(self.payload is not None, "the payload does not decompress")
        data, at, finding = self.payload, 0, "the rest of the payload is no operation"
        while at < len(data):
            if data[at] in NOTES:
                require(at + 5 <= len(data) and at + 5 + u32(data, at + 1) <= len(data), finding)
                start, at = at, at + 5 + u32(data, at + 1)
                yield "note", data[start], data[start + 5 : at]
                continue
            require(data[at] in OPERATIONS, finding)
            name, form = OPERATIONS[data[at]]
            place = tree_number(data, at + 1 + calcsize(form))
            require(place, finding)
            (tree, start), numbers = place, unpack_from(form, data, at + 1)
            if name == "clear":
                at = start
                yield name, tree, b""
                continue
            middle = start + (numbers[3] if name == "declare" else numbers[0])
            at = middle + (numbers[2] if name == "put" else 0)
            key, value = data[start:middle], data[middle:at]
            limit = NAME_LIMIT if name == "declare" else KEY_LIMIT
            require(at <= len(data) and 1 <= len(key) <= limit and len(value) <= VALUE_LIMIT, finding)
            if name == "declare":
                facets, columns, placement, lead = numbers[0], numbers[1].rstrip(b"\0"), numbers[2], numbers[4]
                home = numbers[5] if lead else 0
                require(is_text(key) and facets <= FACET_LIMIT and placement <= 1, finding)
                require(are_columns(columns, placement) and is_home(home, lead, tree, columns, placement), finding)
                yield name, tree, key, facets, columns, placement, lead, home
            else:
                yield (name, tree, key, numbers[1], value) if name == "put" else (name, tree, key)

    def check(self):
        """All operations; raises when the payload is anything else."""
        try:
            return list(self.operations())
        except ValueError:
            raise ValueError("holds no operations")


class Segment:
    """A log segment: `frames` that are sound and follow, and the `kind` of end behind them."""

    def __init__(self, path, known):
        self.path, self.finding, self.frames, self.behind_gap = path, None, [], []
        with open(path, "rb") as file:
            self.data = data = file.read()
        try:
            require(len(data) >= 64, "the file ends within its header")
            require(data[:8] == b"BOOKDBLG", "this is no log segment")
            computed, said = crc32c(data[:60]), u32(data, 60)
            require(computed == said, "the header's checksum is %08x, it says %08x" % (computed, said))
            if u32(data, 8) > FORMAT:
                raise Refused("%s has format %d; this reader knows formats up to %d" % (path, u32(data, 8), FORMAT))
            require(u32(data, 8) == FORMAT, "format %d is unknown" % u32(data, 8))
            self.read(data, known)
        except ValueError as error:
            self.finding = str(error)

    def read(self, data, known):
        """Follows the chain, then judges what is behind it by the table under "The end of a log"."""
        self.store, self.sequence, self.base, self.previous, self.generation = unpack_from("<16s2QIQ", data, 16)
        require(max(self.sequence, self.base, self.generation) < NUMBER_LIMIT, "its numbers are too large")
        self.salt = salt = crc32c(self.store, pack("<Q", self.sequence))
        self.commit, self.checksum, self.end, self.watermark = self.base, self.previous, 64, max(known, self.base)
        frame = self.next()
        while frame:
            self.frames.append(frame)
            self.commit, self.checksum, self.end = frame.commit, frame.checksum, frame.end
            frame = self.next()
        self.rest = len(data[self.end :].rstrip(b"\0"))
        at, left = data.find(b"BDFR", self.end), 64 * len(data)
        while at >= 0 and left >= 0:
            frame = Frame(data, at, salt)
            self.behind_gap += [frame] if frame.is_sound else []
            left -= 0 if frame.is_sound else 56 + frame.claim
            at = data.find(b"BDFR", frame.body_end if frame.is_sound else at + 1)
        self.is_given_up = left < 0
        self.watermark = max([self.watermark] + [frame.watermark for frame in self.frames + self.behind_gap])
        ends = "clean" if self.rest == 0 else "reordered" if self.behind_gap else "torn"
        self.kind = "rotten" if self.watermark > self.commit or self.is_given_up else ends

    def next(self):
        """The frame that follows what was read so far, or None: right there, or a closing mark on the next page."""
        page = -(-self.end // PAGE) * PAGE
        for frame in [Frame(self.data, at, self.salt) for at in (self.end, page)]:
            follows = frame.is_sound and frame.previous == self.checksum
            if follows and frame.commit == self.commit + (not frame.is_mark) and (frame.is_mark or frame.start == self.end):
                return frame

    def lost(self):
        if self.is_given_up:
            return "what follows commit %d is no log" % self.commit
        return "%s durable once and cannot be read" % commits(self.commit + 1, self.watermark)

    def breach(self, following):
        """Why this segment is not the whole of what came before the one that follows it, or None."""
        if self.commit < following.base:
            return "%s in this segment and cannot be read" % commits(self.commit + 1, following.base)
        if (self.commit, self.checksum) != (following.base, following.previous):
            words = "the last frame, of commit %d with checksum %08x, is not the one that segment %d continues, "
            words += "commit %d with checksum %08x"
            return words % (self.commit, self.checksum, following.sequence, following.base, following.previous)
        return "%d bytes behind the last frame belong to no commit" % self.rest if self.rest else None

    def verify(self, report, is_newest):
        """What no replay looks at."""
        if u32(self.data, 12) != self.salt:
            words = "the salt is %08x, of this store and segment it would be %08x" % (u32(self.data, 12), self.salt)
            report(Damage(self.path, 12, words))
        end = 64
        for frame in self.frames:
            words = "the frame of commit %d" % frame.commit
            report_stray(self.path, self.data, end, frame.start, "between two frames", report)
            end = frame.end
            if not frame.is_known:
                report(Damage(self.path, frame.start, words + " has flags that are not of format 1"))
            if not is_newest or (not frame.is_mark and frame.commit <= self.watermark):
                report_stray(self.path, self.data, frame.body_end, frame.end, "that pads " + words, report)


def commits(first, last):
    return "commit %d was" % first if first == last else "commits %d to %d were" % (first, last)


class Trees(dict):
    """What a replay makes of the trees that a catalogue declares: {number: {key: (facets, value)}}."""

    def __init__(self, superblock):
        super().__init__((tree.number, {}) for tree in superblock.trees)
        self.declared = {}
        for tree in superblock.trees:
            self.declared[tree.number] = tree.name, tree.facets, tree.columns, tree.placement, tree.lead, tree.home

    def replay(self, frame):
        for name, tree, key, *rest in frame.check():
            if name == "note":
                continue
            if name == "declare":
                require(self.declared.setdefault(tree, (key, *rest)) == (key, *rest), "declares a tree as other than it is")
                require(len(self.declared) <= TREE_LIMIT, "declares more trees than a store has")
                self.setdefault(tree, {})
                continue
            require(tree in self, "changes tree %d, which was not declared" % tree)
            if name == "remove":
                self[tree].pop(key, None)
                continue
            if name == "clear":
                self[tree].clear()
                continue
            require(rest[0] >> self.declared[tree][1] == 0, "puts facets into a tree that does not count them")
            fits = len(rest[1]) <= HOT_LIMIT or not has_amounts(self.declared[tree][2])
            require(fits, "puts %d bytes into a tree that has amounts" % len(rest[1]))
            self[tree][key] = tuple(rest)


# STORE.md


class Store:
    def __init__(self, directory):
        if not os.path.isdir(directory):
            raise Refused("%s is no directory, and a store is one" % directory)
        self.directory = directory
        self.generations, self.sequences = self.numbers("snapshot-"), self.numbers("log-")
        if self.generations:
            return
        # A creation that did not finish leaves the header of the first segment.
        if self.sequences in ([], [1]) and all(os.path.getsize(self.path("log-", number)) <= 64 for number in self.sequences):
            raise Refused("%s holds no snapshot" % directory)
        raise Damage(directory, 0, "there is a log but no snapshot to go with")

    def numbers(self, prefix):
        matches = [re.fullmatch(prefix + "([0-9a-f]{16})", name) for name in os.listdir(self.directory)]
        return sorted(number for number in (int(match[1], 16) for match in matches if match) if number < NUMBER_LIMIT)

    def path(self, prefix, number):
        return os.path.join(self.directory, "%s%016x" % (prefix, number))

    def snapshot(self, generation):
        """The snapshot of a generation; raises when it is not sound."""
        snapshot = Snapshot(self.path("snapshot-", generation), generation)
        if not snapshot.superblock:
            raise snapshot.problem
        # Both may be sound, and one of them another store's: the pages and the log tell.
        snapshot.superblock = next((one for one in snapshot.serving if self.bears_out(one, snapshot)), snapshot.superblock)
        return snapshot

    def bears_out(self, superblock, snapshot):
        if superblock.sequence not in self.sequences:
            return snapshot.has_roots(superblock)
        with open(self.path("log-", superblock.sequence), "rb") as file:
            head = file.read(64)
        is_sound = len(head) == 64 and crc32c(head[:60]) == u32(head, 60)
        return snapshot.has_roots(superblock) and not (is_sound and head[16:32] != superblock.store)

    def choose(self):
        """The newest snapshot, or the one before it."""
        try:
            return self.snapshot(self.generations[-1])
        except Damage:
            if len(self.generations) == 1:
                raise
            return self.snapshot(self.generations[-2])

    def segments(self, superblock, report):
        """The segments that a replay reads, in order, each checked against what comes before it."""
        newest, expected = max(self.generations[-1], superblock.generation), superblock.sequence
        commit, last, passed_by = superblock.commit, None, None

        def report_missing():
            report(Damage(self.path("log-", expected), 0, "the segment that follows commit %d is missing" % commit))

        for sequence in [sequence for sequence in self.sequences if sequence >= superblock.sequence]:
            segment = Segment(self.path("log-", sequence), superblock.commit)
            finding = segment.finding and (0, segment.finding)
            is_foreign = not finding and segment.store != superblock.store
            is_unused = not finding and segment.generation > newest and not segment.frames and segment.sequence == sequence
            if is_unused and (sequence != expected or not is_foreign):
                # Passed by, as others may be behind it. There has to be one before it.
                passed_by = passed_by or segment
                continue
            if is_foreign:
                finding = 16, "the segment and the snapshot are of different stores"
            elif not finding and segment.sequence != sequence:
                finding = 32, "the segment has number %d, the file's name says %d" % (segment.sequence, sequence)
            if passed_by:
                words = "the segment was made for a generation that never came to be, and others follow it"
                report(Damage(passed_by.path, 52, words))
            elif sequence != expected:
                report_missing()
            if passed_by or sequence != expected:
                passed_by, last = None, None
            expected = sequence + 1
            if finding:
                report(Damage(segment.path, *finding))
                last = None
                continue
            if segment.generation > superblock.generation:
                words = "the snapshot that segment %d of the log continues is missing" % sequence
                report(Damage(self.path("snapshot-", segment.generation), 0, words))
            elif last and last.breach(segment):
                report(Damage(last.path, last.end, last.breach(segment)))
            elif sequence == superblock.sequence and segment.base > superblock.commit:
                words = "the segment goes on behind commit %d, the snapshot ends with %d"
                report(Damage(segment.path, 40, words % (segment.base, superblock.commit)))
            elif sequence == superblock.sequence and segment.previous != superblock.chain(segment):
                words = "the segment continues a log that ends with checksum %08x, the snapshot names %08x: "
                words += "they are of different copies of the store"
                report(Damage(segment.path, 48, words % (segment.previous, superblock.chain(segment))))
            yield segment
            commit, last = max(commit, segment.commit), segment
            if segment.kind == "rotten":
                report(Damage(segment.path, segment.end, segment.lost()))
                last = None
        if expected == superblock.sequence:
            report_missing()
        self.torn = last.rest if last else 0

    def replay(self, trees, superblock, segment, report):
        for frame in segment.frames:
            try:
                if frame.is_mark or frame.commit <= superblock.commit:
                    # What is not replayed may have features that are not known here.
                    frame.features or frame.check()
                else:
                    require_features(segment.path, frame.features)
                    trees.replay(frame)
            except ValueError as error:
                report(Damage(segment.path, frame.start, "commit %d %s" % (frame.commit, error)))

    def entries(self):
        """All trees as the newest commit left them: [(number, {key: (facets, value)})]. Raises at the first damage."""

        def report(damage):
            raise damage

        snapshot = self.choose()
        reached = set(range(snapshot.superblock.head_pages))
        trees = Trees(snapshot.superblock)
        for tree in snapshot.superblock.trees:
            slots = snapshot.walk(tree, report, reached)
            trees[tree.number] = {slot.key: (slot.facets, snapshot.value(slot)) for slot in slots}
        for segment in self.segments(snapshot.superblock, report):
            self.replay(trees, snapshot.superblock, segment, report)
        return sorted(trees.items())

    def verify(self):
        """The findings, none when the store is sound, and how many bytes of an unfinished write the log ends with."""
        findings = []
        report = findings.append
        try:
            snapshot = self.snapshot(self.generations[-1])
        except Damage as damage:
            return [damage], 0
        snapshot.verify(report)
        trees = Trees(snapshot.superblock)
        for segment in self.segments(snapshot.superblock, report):
            segment.verify(report, segment.sequence == self.sequences[-1])
            self.replay(trees, snapshot.superblock, segment, report)
        return findings, self.torn


# DUMP.md


def words(data):
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else "\\%02x" % byte for byte in data[:64])
    return '"%s"%s' % (text, "…" if len(data) > 64 else "")


def column_words(columns):
    return " ".join("%02x" % code for code in columns.rstrip(b"\0")) or "none"


def plural(count, noun):
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


def misfit(finding):
    if finding:
        print("✗ %s" % finding)


def field(data, at, size, text):
    if at + size > len(data):
        return misfit("%08x  lies behind the end of the file: %s" % (at, text))
    digits = " ".join("%02x" % byte for byte in data[at : at + min(size, 16)]) + (" …" if size > 16 else "")
    print("%08x  %-50s%s" % (at, digits, text))


def fields(data, start, table):
    for offset, size, kind, name in table:
        at = start + offset
        if at + size <= len(data) and kind != "bytes":
            value = data[at : at + size]
            name += " " + (words(value) if kind == "text" else "%08x" % u32(value, 0) if kind == "crc" else str(kind(value, 0)))
        field(data, at, size, name)


def dump_head(path, data, at):
    """The superblock here and, where it is sound by itself, its catalogue."""
    superblock, finding = None, None
    try:
        superblock = Superblock(path, data, at)
        superblock.read_catalogue(path, data)
    except (Damage, Refused) as error:
        finding = getattr(error, "finding", error)
    if at:
        dump_catalogue(data, superblock)
    print("superblock at %d" % at)
    fields(data, at, SUPERBLOCK)
    if not at:
        dump_catalogue(data, superblock)
    misfit(finding)


def dump_catalogue(data, superblock):
    if not superblock or not superblock.count or superblock.catalogue_at < 0:
        return
    print("catalogue at %d" % superblock.catalogue_at)
    for tree in superblock.tree_places():
        fields(data, tree, TREE)
        field(data, tree + COLUMNS_AT, 8, "  columns " + column_words(data[tree + COLUMNS_AT : tree + NAME_AT]))
        field(data, tree + NAME_AT, NAME_LIMIT, "  name " + words(data[tree + NAME_AT : tree + HOME_AT].split(b"\0")[0]))
        fields(data, tree, TREE_HOME)


def parents(snapshot):
    """Which page holds the checksum of which, and what it is: {page: (holder, checksum)}."""
    found = {}

    def visit(number, level, holder, checksum):
        if number in found:
            return
        found[number] = holder, checksum
        page = Page(snapshot.page(number), snapshot.superblock) if level > 0 else None
        if page and not page.finding and page.level == level:
            for slot in page.slots:
                visit(slot.child, level - 1, "page %d" % number, slot.checksum)

    for tree in snapshot.superblock.trees if snapshot.superblock else []:
        if tree.root:
            visit(tree.root, min(max(tree.height, 1) - 1, LEVEL_LIMIT), "the catalogue", tree.checksum)
    return found


def dump_page(snapshot, number, holders):
    data, at, file = snapshot.page(number), number * PAGE, snapshot.data
    if not any(data):
        return print("page %d at %d, empty" % (number, at))
    if data[0] == SYMBOLS:
        return dump_symbols(snapshot, number)
    (holder, expected), checksum = holders.get(number, (None, None)), crc32c(data)
    print("page %d at %d, checksum %08x%s" % (number, at, checksum, " as in " + holder if checksum == expected else ""))
    if checksum != expected:
        misfit("%s says %08x" % (holder, expected) if holder else "nothing leads to this page")
    dump_page_header(snapshot, data, at)
    page = Page(data, snapshot.superblock)
    misfit(page.finding)
    if page.finding:
        return dump_rows(file, data, at)
    if page.is_packed and page.symbols:
        symbols = snapshot.symbols_or_copy(page)
        for slot in page.slots:
            slot.value = symbols.value(slot.value) if symbols else None
    dump_contents(page, file, at, snapshot.superblock.page_trailer if snapshot.superblock else 0)


def dump_page_header(snapshot, data, at):
    names = {LEAF: " (leaf)", BRANCH: " (branch)", PERMUTATION: " (leaf with places)", PACKED: " (packed leaf)"}
    names[SYMBOLS] = " (symbols)"
    field(snapshot.data, at, 1, "kind %d%s" % (data[0], names.get(data[0], "")))
    field(snapshot.data, at + 1, 1, "facets %d" % data[1])
    counted = {BRANCH: "children", SYMBOLS: "symbols"}.get(data[0], "entries")
    field(snapshot.data, at + 2, 2, "%s %d" % (counted, u16(data, 2)))
    fields(snapshot.data, at, PAGE_HEADER)
    if snapshot.superblock:
        misfit("the seal is not of this generation" if seal(snapshot.superblock, data) != u32(data, SEAL_AT) else None)
        is_declared = any(tree.number == u32(data, 16) for tree in snapshot.superblock.trees)
        misfit(None if is_declared else "there is no tree %d" % u32(data, 16))


def dump_rows(file, data, at):
    for row in range(SLOTS_AT, PAGE, 16):
        if any(data[row : row + 16]):
            field(file, at + row, 16, words(data[row : row + 16]))


def dump_symbols(snapshot, number):
    data, at, superblock = snapshot.page(number), number * PAGE, snapshot.superblock
    print("page %d at %d" % (number, at))
    if superblock and not any(number in (tree.symbols, tree.symbols_copy) for tree in superblock.trees):
        misfit("nothing leads to this page")
    dump_page_header(snapshot, data, at)
    page = Symbols(data)
    misfit(page.finding)
    if page.finding:
        return dump_rows(snapshot.data, data, at)
    fields(snapshot.data, at, [(SLOTS_AT, 8, u64, "entries that they were chosen for")])
    for code in range(u16(data, 2)):
        field(snapshot.data, at + SYMBOLS_AT + 8 * code, 8, "symbol %d: %s" % (code, words(page.symbols[code])))
    field(snapshot.data, at + LENGTHS_AT, 256, "lengths")
    dump_end(data, snapshot.data, at, SYMBOLS_END, superblock.page_trailer if superblock else 0)


def dump_contents(page, file, at, trailer):
    show = dump_groups if page.is_permutation else dump_packed if page.is_packed else dump_slots
    show(page, file, at)
    dump_end(page.data, file, at, page.used, trailer)


def dump_end(data, file, at, used, trailer):
    trailer_at = PAGE - trailer
    misfit("bytes behind those in use are not zero" if any(data[used:trailer_at]) else None)
    if trailer:
        field(file, at + trailer_at, trailer, "trailer")


def dump_slots(page, file, at):
    for index, slot in enumerate(page.slots):
        field(file, at + SLOTS_AT + 8 * index, 8, "slot %d: %s of key at %d" % (index, plural(slot.size, "byte"), slot.at))
    start = at + SLOTS_AT + 8 * page.count
    if not page.leaf:
        arrays = [(8, "children")] + [(16, "column %d" % column) for column in range(page.columns)]
        arrays += [(4, "checksums"), (4, "counts")]
        arrays += [(4, "counts of facet %d" % facet) for facet in range(page.facets)]
    else:
        arrays = [(2, "facets")] if page.facets else []
    for element, name in arrays:
        field(file, start, element * page.count, name)
        start += element * page.count
    if page.prefix:
        field(file, at + page.prefix_at, len(page.prefix), "prefix " + words(page.prefix))
    for index, slot in enumerate(page.slots):
        if page.leaf:
            facets = ", facets {:b}".format(slot.facets) if page.facets else ""
            text = "entry %d: %s%s = %s" % (index, words(slot.key), facets, value_words(slot))
        else:
            place = words(slot.key) if index else "the start", slot.child, slot.checksum, " ".join(map(str, slot.counts))
            text = "child %d: from %s, page %d, checksum %08x, counts %s" % ((index,) + place)
        field(file, at + slot.at, slot.end - slot.at, text)


def dump_packed(page, file, at):
    fields(file, at, PACKED_HEADER)
    facet_size = (page.ends_at - PACKED_AT) // max(1, page.facets)
    for facet in range(page.facets):
        field(file, at + PACKED_AT + facet_size * facet, facet_size, "facet %d" % facet)
    if not page.packs_values:
        field(file, at + page.ends_at, page.shared_at - page.ends_at, "ends")
    field(file, at + page.shared_at, page.places_at - page.shared_at, "shared")
    field(file, at + page.places_at, page.own_size, "places")
    for index, slot in enumerate(page.slots):
        facets = ", facets {:b}".format(slot.facets) if page.facets else ""
        value = " = " + value_words(slot) if page.packs_values else ""
        field(file, at + slot.at, page.own_size, "entry %d: %s%s%s" % (index, words(slot.key), facets, value))
    if not page.packs_values:
        for index, slot in enumerate(page.slots):
            text = "in symbols that cannot be read" if slot.value is None else value_words(slot)
            field(file, at + slot.value_at, slot.stored_size, "value %d: %s" % (index, text))


def value_words(slot):
    if slot.cold:
        return "%s at %d of cold block %d, hash %016x" % (plural(slot.cold[2], "byte"), slot.cold[1], slot.cold[0], slot.cold[3])
    text = "%s %s" % (plural(len(slot.value), "byte"), words(slot.value))
    return text + (", the last %d of them at %d" % (slot.shared[1], slot.shared[0]) if slot.shared else "")


def dump_groups(page, file, at):
    fields(file, at, PERMUTATION_HEADER)
    facet_size = (page.starts_at - ARRAYS_AT) // max(1, page.facets)
    arrays = [(ARRAYS_AT + facet_size * facet, facet_size, "facet %d" % facet) for facet in range(page.facets)]
    arrays += [(page.starts_at, 2 * len(page.groups), "starts"), (page.offsets_at, 2 * len(page.groups), "offsets")]
    for start, size, name in arrays + [(page.places_at, page.arrays_end - page.places_at, "places")]:
        field(file, at + start, size, name)
    if page.prefix:
        field(file, at + page.prefix_at, len(page.prefix), "prefix " + words(page.prefix))
    for number, group in enumerate(page.groups):
        value = " = %s %s" % (plural(len(group.value), "byte"), words(group.value)) if group.value else ""
        field(file, at + group.at, group.end - group.at, "group %d: %s%s" % (number, words(group.lead), value))
        for index in range(group.start, group.stop):
            slot = page.slots[index]
            facets = ", facets {:b}".format(slot.facets) if page.facets else ""
            print("          entry %d: entry %d of page %d%s" % (index, slot.home[1], slot.home[0], facets))


def dump_snapshot(path):
    snapshot = Snapshot(path)
    data, superblock, start = snapshot.data, snapshot.superblock, 0
    dump_head(path, data, 0)
    holders = parents(snapshot)
    for number in range(superblock.head_pages, superblock.pages) if superblock else range(1, len(data) // PAGE):
        dump_page(snapshot, number, holders)
    if not superblock:
        return
    while start is not None and start < superblock.cold_size:
        block = snapshot.block(start)
        print("cold block %d at %d" % (start, block.at))
        fields(data, block.at, [(0, 4, "text", "magic"), (4, 4, u32, "stored bytes"), (8, 4, u32, "raw bytes")])
        fields(data, block.at, [(12, 4, "crc", "checksum")])
        misfit(block.finding)
        if block.raw is not None:
            how = "stored as they are:" if block.is_plain else "LZ4 of"
            field(data, block.at + 16, len(block.stored), how + " " + words(block.raw))
        start = block.next
    padding = data[superblock.cold_end : len(data) - superblock.head_size]
    if padding:
        print("padding at %d, %s" % (superblock.cold_end, plural(len(padding), "byte")))
        misfit("the padding is not zero" if any(padding) else None)
    dump_head(path, data, snapshot.spare_at)


def note_words(code, note):
    """What a note says; its bytes where they do not say what such a note does."""
    if code == 64 and not note:
        return "nothing was replaced"
    if code == 64 and len(note) >= 3 and tree_number(note, 2):
        tree, start = tree_number(note, 2)
        end = start + u16(note, 0)
        if start < end <= min(len(note), start + KEY_LIMIT):
            was = "%s %s" % (plural(len(note) - end, "byte"), words(note[end:]))
            return "before %s in tree %d was %s" % (words(note[start:end]), tree, was)
    if code == 67:
        return "called %s" % words(note)
    if code == 68 and len(note) == 8:
        return "undoes commit %d" % int.from_bytes(note, "big")
    return "%s %s" % (plural(len(note), "byte"), words(note))


def dump_frame(data, frame, note):
    print("%s at %d%s" % ("closing mark" if frame.is_mark else "commit %d" % frame.commit, frame.start, note))
    fields(data, frame.start, FRAME)
    if not frame.stored:
        return
    field(data, frame.start + 56, frame.stored, "payload")
    if frame.features:
        return misfit("the payload has features that are not known here, %08x" % frame.features)
    try:
        for name, tree, key, *rest in frame.operations():
            if name == "put":
                value = "%s %s" % (plural(len(rest[1]), "byte"), words(rest[1]))
                print("  put %s in tree %d, facets %s, %s" % (words(key), tree, "{:b}".format(rest[0]), value))
            elif name == "remove":
                print("  remove %s from tree %d" % (words(key), tree))
            elif name == "clear":
                print("  clear tree %d" % tree)
            elif name == "note":
                print("  note %d, %s" % (tree, note_words(tree, key)))
            else:
                facets, columns, placement, lead, home = rest
                place = "%d behind %s" % (home, lead_words([lead])) if lead else "none"
                declared = tree, words(key), facets, column_words(columns), placement, place
                print("  declare tree %d %s, facets %d, columns %s, placement %d, home %s" % declared)
    except ValueError as error:
        misfit(error)


def dump_segment(path):
    segment = Segment(path, 0)
    print("log segment")
    fields(segment.data, 0, SEGMENT)
    if segment.finding:
        return misfit(segment.finding)
    for frame in segment.frames:
        dump_frame(segment.data, frame, "")
    rest = plural(segment.rest, "byte")
    ends = {
        "clean": ", clean",
        "torn": ", and a torn tail of %s, never acknowledged" % rest,
        "reordered": ", and %s with sound frames behind a gap, never acknowledged" % rest,
        "rotten": "\n✗ " + segment.lost(),
    }
    print("end at %d%s" % (segment.end, ends[segment.kind]))
    for frame in segment.behind_gap:
        dump_frame(segment.data, frame, ", behind the gap")


# The command


def dump(path):
    with open(path, "rb") as file:
        is_log = file.read(8) == b"BOOKDBLG"
    dump_segment(path) if is_log else dump_snapshot(path)
    return 0


def list_entries(path):
    for number, entries in Store(path).entries():
        for key, (facets, value) in sorted(entries.items()):
            print("%d\t%s\t%x\t%s" % (number, key.hex(), facets, value.hex()))
    return 0


def verify(*paths):
    status = 0
    for path in paths:
        try:
            findings, torn = Store(path).verify()
        except Damage as damage:
            findings, torn = [damage], 0
        except Refused as refusal:
            print("%s\n%s is refused" % (refusal, path))
            status = status or 65
            continue
        for finding in findings:
            print(finding)
        print("%s is %s%s" % (path, "damaged" if findings else "sound", ", with a torn tail" if torn else ""))
        status = 1 if findings else status
    return status


def main(arguments):
    commands = {"dump": dump, "list": list_entries, "verify": verify}
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0
    if arguments[0] not in commands or len(arguments) < 2 or arguments[0] != "verify" and len(arguments) > 2:
        print("What is to be read? See `reader.py --help`.", file=sys.stderr)
        return 64
    try:
        return commands[arguments[0]](*arguments[1:])
    except (Damage, Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 1 if isinstance(error, Damage) else 65 if isinstance(error, Refused) else 66


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
