#if canImport(SwiftUI)
    import BookDB
    import SwiftUI

    extension EnvironmentValues {
        /// The library of the app; an empty one in memory where none was given.
        @Entry public var bookStore = BookStore(.memory)
    }

    extension View {
        /// Gives the view and all in it their library.
        public func bookStore(_ store: BookStore) -> some View { environment(\.bookStore, store) }
    }

    extension Scene {
        /// Gives every view of the scene its library.
        public func bookStore(_ store: BookStore) -> some Scene { environment(\.bookStore, store) }
    }
#endif
