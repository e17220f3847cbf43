import Filing

/// Where a library files the letters that languages place differently.
public typealias FilingTailoring = Filing.FilingTailoring

/// A section of a list in filing order, as a strip of letters beside the list shows them.
public typealias FilingSection = Filing.FilingSection
