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

        /// Ends with the first notification after the launch is gone.
        private func follow(_ name: String, _ body: @escaping @Sendable (Launch) -> Void) {
            Task { [weak self] in
                let notifications = NotificationCenter.default.notifications(named: Notification.Name(name)).map { _ in
                    ()
                }
                for await _ in notifications {
                    guard let self else { return }
                    body(self)
                }
            }
        }
    }
#endif
