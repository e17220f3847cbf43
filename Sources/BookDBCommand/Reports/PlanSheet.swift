import BookDB

/// How a list is found, as `--explain` says it.
enum PlanSheet {
    /// - Parameter isOfWorks: whether the lists are those of books, which every library keeps.
    static func lines(_ plan: RecordPlan, isOfWorks: Bool = false) -> [String] {
        var title = plan.kind
        if !plan.conditions.isEmpty { title += " where " + plan.conditions.joined(separator: ", ") }
        var lines = Paragraph.lines(title, indent: 0)
        lines += Paragraph.lines(words(plan.walked, isOfWorks), behind: "  goes through  ")
        if plan.tested.isEmpty {
            lines.append("  tests         nothing on each of them")
        } else {
            lines += Paragraph.lines(
                "on each of them " + plan.tested.joined(separator: ", "), behind: "  tests         ")
        }
        if let sorting = plan.sorting {
            let words = sorting.hasPrefix("the ") ? "what is found as \(sorting)" : "what is found \(sorting)"
            lines += Paragraph.lines(words, behind: "  sorts         ")
        }
        for step in plan.passedOver { lines += Paragraph.lines(words(step, isOfWorks), behind: "  not through   ") }
        return lines
    }

    private static func words(_ step: RecordPlan.Step, _ isOfWorks: Bool) -> String {
        let name =
            isOfWorks
            ? "the list by \(step.order ?? "title")" : step.order.map { "the order “\($0)”" } ?? "all records"
        let reach = step.conditions.isEmpty ? "" : " where \(step.conditions.joined(separator: ", "))"
        return "\(name)\(reach): \(NumberText.count(step.count, isOfWorks ? "work" : "record"))"
    }

    /// `bookdb.explain/1`
    static func document(_ plan: RecordPlan) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.explain/1")
            json.member("kind", plan.kind)
            list("conditions", plan.conditions, &json)
            json.object("walked") { write(plan.walked, to: &$0) }
            list("tested", plan.tested, &json)
            json.optional("sorting", plan.sorting)
            json.array("passedOver") { json in
                for step in plan.passedOver { json.object { write(step, to: &$0) } }
            }
        }
        return json.text
    }

    private static func write(_ step: RecordPlan.Step, to json: inout JSONWriter) {
        json.optional("order", step.order)
        list("conditions", step.conditions, &json)
        json.member("count", step.count)
    }

    private static func list(_ name: String, _ values: [String], _ json: inout JSONWriter) {
        json.array(name) { json in values.forEach { json.element($0) } }
    }
}
