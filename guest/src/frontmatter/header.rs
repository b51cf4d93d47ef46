//! Where the program sees a header, and where the text after it begins.

/// What stands between the two `---`, and where the text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The YAML.
    pub(super) yaml: &'a str,
    /// Lines of the file before it.
    pub(super) lines_before: u32,
    /// Where the text begins, in bytes of the file.
    pub(super) body_at: usize,
    /// Some other text stands on the line of the second `---`, so that its author may have meant no end there.
    pub(super) ambiguous_end: bool,
}

/// White space as a JavaScript regular expression's `\s` reads it.
pub(super) fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}'
            | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// The text without one byte order mark, and how many bytes that was.
pub(super) fn without_mark(text: &str) -> (&str, usize) {
    text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, text.len() - rest.len()))
}

/// The header of a file, where the program sees one.
///
/// Claude Code 2.1.250, read in its strings and compared in tests: after one byte order mark, `---`, white space with
/// a line feed in it, then all up to the next `---`, wherever in a line it stands.
pub(super) fn find(file: &str) -> Option<Header<'_>> {
    let (text, mark) = without_mark(file);
    let rest = text.strip_prefix("---")?;
    let blank = rest.len() - rest.trim_start_matches(is_space).len();
    let start = mark + 3 + rest[..blank].rfind('\n')? + 1;
    let end = start + file[start..].find("---")?;
    let yaml = &file[start..end];
    let after = &file[end + 3..];
    let line_rest = after.trim_start_matches([' ', '\t']);
    let stripped = line_rest.strip_prefix("\r\n").or_else(|| line_rest.strip_prefix('\n'));
    let body = stripped.unwrap_or(line_rest);
    Some(Header {
        yaml,
        lines_before: lines(&file[..start]),
        body_at: file.len() - body.len(),
        ambiguous_end: !(yaml.is_empty() || yaml.ends_with('\n'))
            || (stripped.is_none() && !line_rest.trim_start_matches(is_space).is_empty()),
    })
}

/// How many lines end in `text`.
pub(super) fn lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    fn read(file: &str) -> Option<(&str, &str)> {
        find(file).map(|header| (header.yaml, &file[header.body_at..]))
    }

    #[test]
    fn headers_are_seen_where_the_program_sees_them() {
        for (file, expected) in [
            ("---\na: b\n---\nbody", Some(("a: b\n", "body"))),
            ("---\r\na: b\r\n---\r\nbody", Some(("a: b\r\n", "body"))),
            ("\u{feff}---\na: b\n---\nbody", Some(("a: b\n", "body"))),
            ("--- \t\na: b\n--- \nbody", Some(("a: b\n", "body"))),
            ("---\n\n\na: b\n---", Some(("a: b\n", ""))),
            ("---\n---\nbody", Some(("", "body"))),
            ("---\n---", Some(("", ""))),
            ("---\na: x --- y\nhooks: z\n---\nb", Some(("a: x ", "y\nhooks: z\n---\nb"))),
            ("---\na: b\n----\nb", Some(("a: b\n", "-\nb"))),
            ("---\u{a0}\u{2028}\na: b\n---\nb", Some(("a: b\n", "b"))),
            ("---\na: b\n---\n\n\nb", Some(("a: b\n", "\n\nb"))),
            ("----\na: b\n---\n", None),
            ("---a\nb: c\n---\n", None),
            ("---\ra: b\r---\rbody", None),
            ("---\na: b\n", None),
            ("--- --- \n---", None),
            (" ---\na: b\n---\n", None),
            ("\n---\na: b\n---\n", None),
            ("text\n---\na: b\n---\n", None),
            ("\u{feff}\u{feff}---\na: b\n---\n", None),
            ("---", None),
            ("", None),
        ] {
            assert_eq!(read(file), expected, "{file:?}");
        }
    }

    #[test]
    fn an_end_within_a_line_is_said() {
        for (file, ambiguous) in [
            ("---\na: b\n---\nc", false),
            ("---\n--- \t\r\nc", false),
            ("---\na: b\n---", false),
            ("---\na: x --- y\n---\n", true),
            ("---\na: b\n----\n", true),
        ] {
            assert_eq!(find(file).map(|header| header.ambiguous_end), Some(ambiguous), "{file:?}");
        }
    }

    #[test]
    fn lines_are_those_of_the_file() {
        assert_eq!(find("---\n\na: b\n---\n").map(|header| header.lines_before), Some(2));
    }
}
