//! Whether one part of a pattern can match one name.

/// Whether `pattern`, a part of a gitignore pattern, matches `name`, without regard to case; where it holds a class or
/// an escape that is not of one sign, perhaps: then it says yes.
pub(super) fn may_match(pattern: &str, name: &str) -> bool {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (pattern, name) = (fold(pattern), fold(name));
    if pattern.contains(&'[') || pattern.windows(2).any(|pair| pair[0] == '\\' && pair[1].is_alphanumeric()) {
        return true;
    }
    // The usual two pointers, with one place to come back to.
    let (mut p, mut n, mut back) = (0, 0, None);
    while n < name.len() {
        let (sign, escaped) = match pattern.get(p) {
            Some('\\') if p + 1 < pattern.len() => (pattern.get(p + 1), true),
            sign => (sign, false),
        };
        match sign {
            Some('*') if !escaped => {
                back = Some((p, n));
                p += 1;
            }
            Some(&sign) if sign == name[n] || (sign == '?' && !escaped) => {
                p += if escaped { 2 } else { 1 };
                n += 1;
            }
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    p = star + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&sign| sign == '*')
}

#[cfg(test)]
mod tests {
    use super::may_match;
    use crate::testing::test;

    #[test]
    fn parts_match_names() {
        for (pattern, name, matches) in [
            ("pkg", "pkg", true),
            ("PKG", "pkg", true),
            ("pk", "pkg", false),
            ("*", "pkg", true),
            ("p*g", "pkg", true),
            ("p*k", "pkg", false),
            ("p?g", "pkg", true),
            ("**g", "pkg", true),
            (r"p\*g", "pkg", false),
            (r"p\*g", "p*g", true),
            (r"\!a", "!a", true),
            ("[x]", "pkg", true),
            (r"\x70kg", "pkg", true),
            ("", "", true),
            ("", "a", false),
            ("a*b*c", "aXbYbZc", true),
            (r"a\", r"a\", true),
        ] {
            assert_eq!(may_match(pattern, name), matches, "{pattern} {name}");
        }
    }
}
