import Filing

/// Equal for two records that are likely the same work.
public typealias MatchKey = Filing.MatchKey
