#if canImport(SwiftUI)
    import BookDB
    import SwiftUI

    /// How a library fares, as far as that is worth a word: nothing for the first second of an opening, then words, after three seconds a bar
    /// as well; a notice that can be put away; or what cannot be read or changed, with a button to try again where that may help.
    ///
    /// ```swift
    /// struct ShelfView: View {
    ///     @Works(sort: .title) private var works
    ///     var body: some View {
    ///         VStack {
    ///             StoreStatusView()
    ///             List(works.items) { Text($0.title) }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// What is shown, and when, `RecordLibrary.statuses` decides; this draws it. Texts wrap and are never cut off. Compiled against
    /// stand-ins of SwiftUI's declarations, and never run yet.
    public struct StoreStatusView: View {
        @Environment(\.bookStore) private var bookStore
        @State private var status = LibraryStatus.nothing
        /// The notice that was put away.
        @State private var dismissed: LibraryStatus?
        private let given: RecordLibrary?
        private let texts: LibraryStatusTexts

        /// - Parameters:
        ///   - store: `nil` for the library of the environment.
        ///   - texts: what is said, in the app's words and language.
        public init(_ store: RecordLibrary? = nil, texts: LibraryStatusTexts = .english) {
            (given, self.texts) = (store, texts)
        }

        private var store: RecordLibrary { given ?? bookStore }

        public var body: some View {
            // A stack is there when nothing is in it, and a task of its runs; those of an empty view do not.
            VStack(alignment: .leading, spacing: 8) {
                if status != dismissed { content }
            }
            .task(id: ObjectIdentifier(store)) {
                for await status in store.statuses(texts) { self.status = status }
            }
        }

        @ViewBuilder private var content: some View {
            switch status {
            case .nothing: EmptyView()
            case .waiting(let words): StoreStatusText(words: words)
            case .progress(let words, let fraction):
                StoreStatusText(words: words)
                if let fraction {
                    ProgressView(value: fraction).accessibilityLabel(words.title)
                } else {
                    ProgressView().accessibilityLabel(words.title)
                }
            case .notice(let words):
                StoreStatusText(words: words)
                Button(texts.dismiss) { dismissed = status }
            case .failure(let words, let offersRetry):
                StoreStatusText(words: words)
                if offersRetry { Button(texts.retry) { store.retry() } }
            }
        }
    }

    /// The words, as one element for a screen reader.
    private struct StoreStatusText: View {
        let words: LibraryStatus.Words

        var body: some View {
            VStack(alignment: .leading, spacing: 4) {
                Text(verbatim: words.title).font(.headline)
                if let detail = words.detail { Text(verbatim: detail) }
                if let nextStep = words.nextStep { Text(verbatim: nextStep) }
            }
            // As tall as it takes: nothing is cut off.
            .fixedSize(horizontal: false, vertical: true)
            .accessibilityElement(children: .ignore)
            .accessibilityLabel(words.accessibilityLabel)
        }
    }

    extension View {
        /// Shows above the view how a library fares, while that is worth a word: see `StoreStatusView`.
        ///
        /// - Parameter store: `nil` for the library of the environment.
        public func storeStatus(_ store: RecordLibrary? = nil, texts: LibraryStatusTexts = .english) -> some View {
            safeAreaInset(edge: .top) { StoreStatusView(store, texts: texts) }
        }
    }
#endif
