#if canImport(SwiftUI)
    import BookDB
    import SwiftUI

    /// The works of the library in the environment, as a list that a view shows and changes.
    ///
    /// ```swift
    /// struct LibraryView: View {
    ///     @Works(sort: .title) private var works
    ///     var body: some View {
    ///         List(works.items) { Text($0.title) }
    ///             .searchable(text: $works.search)
    ///     }
    /// }
    /// ```
    ///
    /// It holds a `WorkList` and nothing else: what that documents is what a view gets.
    @MainActor @propertyWrapper public struct Works: DynamicProperty {
        @Environment(\.bookStore) private var store
        @State private var holder = Holder()
        private let scope: WorkScope
        private let order: WorkOrder
        private let direction: WorkDirection
        private let filter: WorkFilter

        public init(
            _ scope: WorkScope = .all, sort order: WorkOrder = .title, direction: WorkDirection = .forward,
            filter: WorkFilter = .all
        ) {
            self.scope = scope
            self.order = order
            self.direction = direction
            self.filter = filter
        }

        public var wrappedValue: WorkList {
            holder.list(of: store) { WorkList($0, scope, by: order, direction: direction, filter: filter) }
        }

        /// `$works.search`, `$works.filter` … as bindings.
        public var projectedValue: Bindable<WorkList> { Bindable(wrappedValue) }

        /// Keeps the list of a view as long as the view has the same store.
        @MainActor private final class Holder {
            private var list: WorkList?
            private var store: BookStore?

            func list(of store: BookStore, _ make: (BookStore) -> WorkList) -> WorkList {
                if let list, self.store === store { return list }
                let made = make(store)
                (list, self.store) = (made, store)
                return made
            }
        }
    }
#endif
