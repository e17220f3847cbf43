import Foundation

/// Files to import.
enum SampleFiles {
    private static let header = [
        "Book Id", "Title", "Author", "Author l-f", "ISBN13", "My Rating", "Original Publication Year", "Date Read",
        "Date Added", "Bookshelves", "Exclusive Shelf",
    ].joined(separator: ",")

    /// A Goodreads export in small, with two good rows and one without a title.
    static let goodreads =
        header
            + #"""

            1,The Hobbit,J.R.R. Tolkien,"Tolkien, J.R.R.","=""9780261103344""",5,1937,2020/01/03,2020/01/01,,read
            2,Émile,Jean-Jacques Rousseau,"Rousseau, Jean-Jacques","=""""",0,1762,,2020/01/02,,to-read
            3,,Nobody,Nobody,"=""""",0,1900,,2020/01/03,,to-read

            """#

    /// So many rows, all different works.
    static func goodreads(rows: Int) -> String {
        var text = header + "\n"
        for row in 1...rows {
            let author = row % 997
            text += "\(row),Title number \(row),Author \(author),\"\(author), Author\",,0,"
            text += "\(1900 + row % 120),,2020/01/01,,read\n"
        }
        return text
    }
}
