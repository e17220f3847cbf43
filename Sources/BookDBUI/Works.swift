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
    /// It holds a `WorkList` and nothing else: what that documents is what a view gets. When the view is made with another scope, order,
    /// direction or filter, such as for the next author, it gets a list of that.
    @MainActor @propertyWrapper public struct Works: DynamicProperty {
        @Environment(\.bookStore) private var store
        @State private var holder = Holder()
        private let wish: Wish

        private struct Wish: Equatable {
            let scope: WorkScope
            let order: WorkOrder?
            let direction: WorkDirection
            let filter: WorkFilter
        }

        /// - Parameter order: the scope's own when it is `nil`.
        public init(
            _ scope: WorkScope = .all, sort order: WorkOrder? = nil, direction: WorkDirection = .forward,
            filter: WorkFilter = .all
        ) {
            wish = Wish(scope: scope, order: order, direction: direction, filter: filter)
        }

        public var wrappedValue: WorkList { holder.list(of: store, wish) }

        /// `$works.search`, `$works.filter` … as bindings.
        public var projectedValue: Bindable<WorkList> { Bindable(wrappedValue) }

        /// Keeps the list of a view as long as the view has the same store and asks for the same.
        @MainActor private final class Holder {
            private var list: WorkList?
            private var store: BookStore?
            private var wish: Wish?

            func list(of store: BookStore, _ wish: Wish) -> WorkList {
                if let list, self.store === store, self.wish == wish { return list }
                let made = WorkList(store, wish.scope, by: wish.order, direction: wish.direction, filter: wish.filter)
                (list, self.store, self.wish) = (made, store, wish)
                return made
            }
        }
    }
#endif
