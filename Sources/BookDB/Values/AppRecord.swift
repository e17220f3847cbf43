/// Stands for any record of the app where its type is not known.
enum AppRecord {}

extension ID {
    var untyped: ID<AppRecord> { ID<AppRecord>(rawValue: rawValue) }
}
