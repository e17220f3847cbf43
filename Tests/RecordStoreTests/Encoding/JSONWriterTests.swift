import Testing

@testable import RecordStore

struct JSONWriterTests {
    @Test func `members keep the order in which they were written`() {
        var json = JSONWriter()
        json.object { json in
            json.member("b", 1)
            json.member("a", "two")
            json.array("c") { json in
                json.element(3)
                json.object { json in json.null("d") }
                json.array { _ in }
                json.element(true)
            }
            json.object("e") { _ in }
        }
        #expect(json.text == #"{"b":1,"a":"two","c":[3,{"d":null},[],true],"e":{}}"#)
    }

    @Test func `text is escaped where JSON needs it and nowhere else`() {
        var json = JSONWriter()
        json.array { json in
            json.element("\"quoted\" back\\slash / \n\r\t\u{0}\u{1F}\u{7F}\u{9B} é Ω 📚 \u{2028}")
        }
        #expect(
            json.text
                == #"["\"quoted\" back\\slash / \n\r\t\u0000\u001f\u007f\u009b é Ω 📚 \u2028"]"#)
    }

    @Test func `numbers are written as people would`() {
        var json = JSONWriter()
        json.array { json in
            json.element(4.0)
            json.element(0.25)
            json.element(-1)
            json.element(UInt64.max)
            json.element(Double.nan)
            json.element(1e300)
        }
        #expect(json.text == "[4,0.25,-1,18446744073709551615,null,1e+300]")
    }

    @Test func `indented text has a line for each member`() {
        var json = JSONWriter(indentation: 2)
        json.object { json in
            json.member("a", 1)
            json.array("b") { json in json.element(2) }
            json.array("c") { _ in }
        }
        #expect(json.text == "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ],\n  \"c\": []\n}")
    }
}
