import RecordStore
import Testing

@Suite struct MoneyTests {
    @Test(
        arguments: [
            ("0", 0, "0.00"), ("-0", 0, "0.00"), ("1234.5", 12_345_000, "1234.50"), ("-0.0001", -1, "-0.0001"),
            ("+7.125", 71_250, "7.125"), ("922337203685477.5807", .max, "922337203685477.5807"),
            ("-922337203685477.5808", .min, "-922337203685477.5808"),
        ] as [(String, Int64, String)])
    func `a text is read to the ten-thousandth, and written with two digits or as many as it needs`(
        text: String, number: Int64, description: String
    ) throws {
        let money = try #require(Money(text))
        #expect(money.tenThousandths == number && money.description == description)
        #expect(Money(money.description) == money)
    }

    @Test(arguments: [
        "", "-", ".5", "5.", "1.23456", "1,5", "1 000", "--1", "+-1", "1e3", "٣", "922337203685477.5808", "1.-5",
        "1.+5",
    ])
    func `what is no amount is none`(text: String) { #expect(Money(text) == nil) }

    @Test func `amounts add up and compare`() {
        #expect(Money("0.1")! + Money("0.2")! == Money("0.3")!)
        #expect(-Money(5) < 0 && Money(5) - 7 == -2)
    }
}
