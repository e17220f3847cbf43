/// The order in which a day is written: `25/10/2020`, `10/25/2020` or `2020/10/25`.
public enum DateOrder: String, CaseIterable, Hashable, Sendable {
    case dayMonthYear = "dmy"
    case monthDayYear = "mdy"
    case yearMonthDay = "ymd"
}
