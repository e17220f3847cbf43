import StorageEngine

/// How long a cached blob is good for: `.days(7)`.
///
/// Whole milliseconds, from 0 (not at all) to some 580 million years; what lies outside counts as the nearest of the two.
public struct CacheLifetime: Sendable, Hashable {
    package let milliseconds: UInt64

    package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    public static func seconds(_ count: Int) -> CacheLifetime { CacheLifetime(count, ofMilliseconds: 1000) }
    public static func minutes(_ count: Int) -> CacheLifetime { CacheLifetime(count, ofMilliseconds: 60_000) }
    public static func hours(_ count: Int) -> CacheLifetime { CacheLifetime(count, ofMilliseconds: 3_600_000) }
    public static func days(_ count: Int) -> CacheLifetime { CacheLifetime(count, ofMilliseconds: 86_400_000) }

    /// Not at all.
    public static var none: CacheLifetime { CacheLifetime(milliseconds: 0) }

    private init(_ count: Int, ofMilliseconds unit: UInt64) {
        let (product, isTooLong) = UInt64(max(0, count)).multipliedReportingOverflow(by: unit)
        milliseconds = isTooLong ? .max : product
    }

    /// The time from a moment on, both in milliseconds since 1970.
    package func range(from start: UInt64) -> Range<UInt64> { BlobHeader.validity(milliseconds, from: start) }
}
