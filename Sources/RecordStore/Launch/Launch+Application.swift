#if canImport(Darwin)
    import Foundation

    extension Launch {
        /// Calls `becameActive()`, `resignedActive()` and `enteredBackground()` when the system says so of the application, so that the app need not. Once, such as
        /// beside `firstFrame()`. Written for Apple's systems and never run there yet.
        ///
        /// The notifications go by their names, since an extension may not link what declares them.
        public func followApplication() {
            for kit in ["UI", "NS"] {
                follow("\(kit)ApplicationDidBecomeActiveNotification") { $0.becameActive() }
                follow("\(kit)ApplicationWillResignActiveNotification") { $0.resignedActive() }
            }
            follow("UIApplicationDidEnterBackgroundNotification") { $0.enteredBackground() }
        }

        /// At once and in their order, on the thread that tells of it. An app has one launch; of one that is gone nothing happens.
        private func follow(_ name: String, _ body: @escaping @Sendable (Launch) -> Void) {
            _ = NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
                [weak self] _ in
                if let self { body(self) }
            }
        }
    }
#endif
