/// Where the symbols of a tree lie, twice.
struct SymbolPages {
    let page: UInt32
    let copy: UInt32
}
