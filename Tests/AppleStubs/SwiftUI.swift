// The declarations of SwiftUI that BookDBUI and the samples use, as Apple's interface has them, without what they do. On Linux BookDBUI is
// type-checked against this module; nothing of it ever runs. What is used for the first time is added here, with its isolation.

@_exported import Observation

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("never run") }
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

/// A view that has no body of its own.
public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { fatalError("never run") }
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

extension Optional: View, PrimitiveView where Wrapped: View {
    public typealias Body = Never
}

public struct TupleView<Content>: PrimitiveView { nonisolated init() {} }
public struct ConditionalContent<First: View, Second: View>: PrimitiveView { nonisolated init() {} }
public struct EmptyView: PrimitiveView { nonisolated public init() {} }

public struct Text: PrimitiveView {
    nonisolated public init(verbatim content: String) {}
    nonisolated public init<Content: StringProtocol>(_ content: Content) {}
    nonisolated public func font(_ font: Font?) -> Text { self }
}

public struct Font: Hashable, Sendable {
    public static let headline = Font()
}

public struct Button<Label: View>: PrimitiveView {}
extension Button where Label == Text {
    nonisolated public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: PrimitiveView {}
extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
    nonisolated public init() {}
    nonisolated public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1.0) {}
}

public struct VStack<Content: View>: PrimitiveView {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public struct List<Content: View>: PrimitiveView {
    nonisolated public init<Items: RandomAccessCollection, Row: View>(
        _ data: Items, @ViewBuilder rowContent: @escaping (Items.Element) -> Row
    ) where Content == ForEach<Items, Row>, Items.Element: Identifiable {}
}

public struct ForEach<Items: RandomAccessCollection, Row: View>: PrimitiveView {}

public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}

public enum VerticalEdge: Int8, CaseIterable, Sendable { case top, bottom }

public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
    public static let combine = AccessibilityChildBehavior()
    public static let contain = AccessibilityChildBehavior()
}

/// What a modifier makes of a view.
public struct Modified<Content>: PrimitiveView { nonisolated init() {} }

extension View {
    nonisolated public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { Modified<Self>() }
    nonisolated public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        Modified<Self>()
    }
    nonisolated public func accessibilityLabel<Label: StringProtocol>(_ label: Label) -> some View { Modified<Self>() }
    nonisolated public func safeAreaInset<Content: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: Double? = nil,
        @ViewBuilder content: () -> Content
    ) -> some View { Modified<Self>() }
    nonisolated public func searchable(text: Binding<String>) -> some View { Modified<Self>() }
    nonisolated public func task<Identity: Equatable>(
        id value: Identity, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { Modified<Self>() }
    nonisolated public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { Modified<Self>() }
}

public struct ModifiedScene<Content>: Scene {
    public var body: Never { fatalError("never run") }
    nonisolated init() {}
}

extension Scene {
    nonisolated public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some Scene { ModifiedScene<Self>() }
}

// MARK: Data

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper public struct State<Value>: DynamicProperty {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public init<Wrapped>() where Value == Wrapped? { value = nil }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError("never run") }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError("never run") }
        nonmutating set {}
    }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("never run")
    }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
    public init(wrappedValue: Value) { fatalError("never run") }
}

extension Bindable where Value: AnyObject & Observable {
    public init(wrappedValue: Value) { self.init(wrappedValue) }
    public init(_ wrappedValue: Value) { fatalError("never run") }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("never run")
    }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("never run") }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { Key.defaultValue }
        set {}
    }
}
