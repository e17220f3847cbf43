/// Stands for any record of the app where its type is not known.
package enum AppRecord {}

extension ID {
    package var untyped: ID<AppRecord> { ID<AppRecord>(rawValue: rawValue) }
}
