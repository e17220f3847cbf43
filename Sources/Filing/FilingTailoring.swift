/// Where a library files the letters that languages place differently. A choice of the library, stored in it: the order
/// never depends on the process that opened it.
public enum FilingTailoring: UInt8, CaseIterable, Sendable {
    /// Letters with marks file as their base letters: Å as A, Ö as O, Ñ as N.
    case standard = 0

    /// Å, Ä and Ö behind Z, Æ with Ä and Ø with Ö, Ü as Y. For Swedish and Finnish.
    case swedish = 1

    /// Æ, Ø and Å behind Z, Ä with Æ and Ö with Ø, AA as Å, Ü as Y. For Danish and Norwegian.
    case danish = 2

    /// Ñ behind N, before O.
    case spanish = 3

    /// Ä as AE, Ö as OE, Ü as UE, as in a German telephone directory.
    case germanPhoneBook = 4
}

extension FilingTailoring {
    /// The first of three bytes behind `z`, which no other letter has.
    static let firstByteBehindZ: UInt8 = 0x7B

    /// Behind a letter, makes it another that comes after it and before the next: no UTF-8 contains the byte.
    package static let nextLetter: UInt8 = 0xFE

    /// The tailoring a library stores; `standard` for one that this version does not know.
    package init(stored number: UInt64) { self = UInt8(exactly: number).flatMap(FilingTailoring.init) ?? .standard }

    /// The letters behind `z`, in order.
    var lettersBehindZ: [Unicode.Scalar] {
        switch self {
        case .swedish: ["å", "ä", "ö"]
        case .danish: ["æ", "ø", "å"]
        case .standard, .spanish, .germanPhoneBook: []
        }
    }

    /// What is filed for a letter that the tailoring moves; `nil` for any other.
    func bytes(for scalar: UInt32) -> [UInt8]? {
        guard self != .standard, let kind = TailoredLetter(scalar) else { return nil }
        return bytes(for: kind)
    }

    func bytes(for letter: TailoredLetter) -> [UInt8]? {
        switch self {
        case .standard: return nil
        case .swedish:
            switch letter {
            case .aRing: return [0x7B]
            case .aUmlaut, .ae: return [0x7C]
            case .oUmlaut, .oSlash: return [0x7D]
            case .uUmlaut: return [UInt8(ascii: "y")]
            case .nTilde: return nil
            }
        case .danish:
            switch letter {
            case .aUmlaut, .ae: return [0x7B]
            case .oUmlaut, .oSlash: return [0x7C]
            case .aRing: return [0x7D]
            case .uUmlaut: return [UInt8(ascii: "y")]
            case .nTilde: return nil
            }
        case .spanish:
            return letter == .nTilde ? [UInt8(ascii: "n"), Self.nextLetter] : nil
        case .germanPhoneBook:
            switch letter {
            case .aUmlaut: return Array("ae".utf8)
            case .oUmlaut: return Array("oe".utf8)
            case .uUmlaut: return Array("ue".utf8)
            case .aRing, .ae, .oSlash, .nTilde: return nil
            }
        }
    }
}

/// The letters that some tailoring moves.
enum TailoredLetter: Sendable {
    case aRing, aUmlaut, ae, oUmlaut, oSlash, uUmlaut, nTilde

    /// The letter as one scalar, with or without other marks.
    init?(_ scalar: UInt32) {
        switch scalar {
        case 0xC5, 0xE5, 0x1FA, 0x1FB, 0x212B: self = .aRing
        case 0xC4, 0xE4, 0x1DE, 0x1DF: self = .aUmlaut
        case 0xC6, 0xE6, 0x1E2, 0x1E3, 0x1FC, 0x1FD: self = .ae
        case 0xD6, 0xF6, 0x150, 0x151, 0x22A, 0x22B, 0x1E4E, 0x1E4F: self = .oUmlaut
        case 0xD8, 0xF8, 0x1FE, 0x1FF, 0x152, 0x153: self = .oSlash
        case 0xDC, 0xFC, 0x170, 0x171, 0x1D5...0x1DC, 0x1E7A, 0x1E7B: self = .uUmlaut
        case 0xD1, 0xF1: self = .nTilde
        default: return nil
        }
    }

    /// The letter as a small base letter and the mark behind it.
    init?(base: UInt8, mark: UInt32) {
        switch (base, mark) {
        case (UInt8(ascii: "a"), 0x30A): self = .aRing
        case (UInt8(ascii: "a"), 0x308): self = .aUmlaut
        case (UInt8(ascii: "o"), 0x308), (UInt8(ascii: "o"), 0x30B): self = .oUmlaut
        case (UInt8(ascii: "u"), 0x308), (UInt8(ascii: "u"), 0x30B): self = .uUmlaut
        case (UInt8(ascii: "n"), 0x303): self = .nTilde
        default: return nil
        }
    }
}
