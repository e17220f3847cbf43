#if canImport(SwiftUI)
    import BookDB
    import SwiftUI

    extension EnvironmentValues {
        /// The library of the app. Where none was given nothing can be read or written: `health` says why, and every call throws that.
        public var bookStore: BookStore {
            get { self[BookStoreKey.self] }
            set { self[BookStoreKey.self] = newValue }
        }

        // A key, and not the macro `@Entry`: the type check on Linux has no plug-in for SwiftUI's macros.
        private struct BookStoreKey: EnvironmentKey {
            static let defaultValue = BookStore.notGiven()
        }
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
