//! A permission rule's two parts.

/// A rule that could be read: `Tool`, or `Tool(content)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    /// What stands before the parenthesis, or all of it.
    pub tool: &'a str,
    /// What stands between the first and the last unescaped parenthesis, as written: still escaped.
    pub content: Option<&'a str>,
}

/// Why a rule has no two parts. Such a rule never matches (Claude Code 2.1.250: it disables nothing else either).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It starts with its parenthesis, or holds nothing.
    #[error("it names no tool")]
    NoTool,
    /// A parenthesis is closed that was never opened.
    #[error("no parenthesis opens it")]
    NotOpened,
    /// The content has no end; an escaped `\)` does not end it.
    #[error("no unescaped parenthesis closes it")]
    NotClosed,
    /// Something follows the last unescaped parenthesis.
    #[error("it goes on after its closing parenthesis")]
    GoesOn,
}

/// Reads a permission rule. A parenthesis is escaped by an odd number of backslashes before it.
///
/// Parentheses inside the content need not pair up here; on Claude Code 2.1.250 a content in which unescaped ones do
/// not is never matched.
///
/// ```
/// use winter_policy::escape::{Malformed, parse_rule};
/// assert_eq!(parse_rule("Read(/src/**)").map(|rule| (rule.tool, rule.content)), Ok(("Read", Some("/src/**"))));
/// assert_eq!(parse_rule("Bash").map(|rule| rule.content), Ok(None));
/// assert_eq!(parse_rule(r"Read(/src\)"), Err(Malformed::NotClosed));
/// ```
pub fn parse_rule(rule: &str) -> Result<Rule<'_>, Malformed> {
    let (mut first, mut last, mut escaped) = (None, None, false);
    for (at, byte) in rule.bytes().enumerate() {
        match byte {
            b'(' if !escaped => first = first.or(Some(at)),
            b')' if !escaped => last = Some(at),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    match (first, last) {
        (Some(0), _) => Err(Malformed::NoTool),
        (None, None) if rule.is_empty() => Err(Malformed::NoTool),
        (None, None) => Ok(Rule { tool: rule, content: None }),
        (None, Some(_)) => Err(Malformed::NotOpened),
        (Some(open), Some(close)) if open < close && close + 1 == rule.len() => {
            Ok(Rule { tool: &rule[..open], content: Some(&rule[open + 1..close]) })
        }
        (Some(open), Some(close)) if open < close => Err(Malformed::GoesOn),
        (Some(_), _) => Err(Malformed::NotClosed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;
    use proptest::prelude::*;

    #[test]
    fn rules_have_one_part_or_two() {
        for (rule, tool, content) in [
            ("Bash", "Bash", None),
            ("mcp__server__tool", "mcp__server__tool", None),
            ("Read()", "Read", Some("")),
            ("Read(/a (b) c)", "Read", Some("/a (b) c")),
            (r"Read(/a\)b)", "Read", Some(r"/a\)b")),
            (r"Read(/a\\)", "Read", Some(r"/a\\")),
            ("Read(a)b)", "Read", Some("a)b")),
            ("Read(é)", "Read", Some("é")),
            (r"a\(b", r"a\(b", None),
        ] {
            assert_eq!(parse_rule(rule), Ok(Rule { tool, content }), "{rule}");
        }
    }

    #[test]
    fn malformed_rules_say_why() {
        for (rule, why) in [
            ("", Malformed::NoTool),
            ("(x)", Malformed::NoTool),
            ("Read)", Malformed::NotOpened),
            ("Read(", Malformed::NotClosed),
            (r"Read(/a\)", Malformed::NotClosed),
            (")Read(", Malformed::NotClosed),
            ("Read(/a) ", Malformed::GoesOn),
        ] {
            assert_eq!(parse_rule(rule), Err(why), "{rule}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_and_what_is_read_is_all_of_it(rule in r"[a()\\ é]{0,12}") {
            if let Ok(Rule { tool, content }) = parse_rule(&rule) {
                let again = content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})"));
                prop_assert_eq!(again, rule);
            }
        }
    }
}
