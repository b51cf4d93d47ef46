//! Patterns at the working directory, against a matcher of gitignore patterns.

use super::paths::{Anchor, PathVerdict, folder_paths, rewrite_paths, split_patterns};
use crate::testing::test;
use ignore::gitignore::GitignoreBuilder;
use proptest::prelude::*;

fn verdict(pattern: &str, cwd_below: &str, base_below: &str) -> PathVerdict {
    rewrite_paths(&[pattern.to_owned()], &Anchor { cwd_below, base_below }).remove(0)
}

fn written(patterns: &[&str]) -> PathVerdict {
    PathVerdict::Rewritten(patterns.iter().map(|&pattern| pattern.to_owned()).collect())
}

#[test]
fn patterns_are_split_as_the_program_splits_them() {
    for (text, patterns) in [
        ("", vec![]),
        (" , ,", vec![]),
        ("a", vec!["a"]),
        (" a , b ", vec!["a", "b"]),
        ("{a,b}/c, d", vec!["{a,b}/c", "d"]),
        ("{a,b", vec!["{a,b"]),
        ("a},b{,c", vec!["a},b{", "c"]),
        ("a\r\n", vec!["a"]),
    ] {
        assert_eq!(split_patterns(text), patterns, "{text:?}");
    }
}

#[test]
fn at_the_root_all_stays_but_what_never_matches() {
    for pattern in ["src/**", "*.ts", "/x", "!y", "{a,../b}", "**", "a b", "[", "pkg/*/x"] {
        assert_eq!(verdict(pattern, "", ""), PathVerdict::Unchanged, "{pattern}");
    }
    for pattern in ["./x", "../x", "a/../b", "//x", "/", "!", "#x", "a//b", "/**", "./**", "{../a,./b}"] {
        assert_eq!(verdict(pattern, "", ""), PathVerdict::Inert, "{pattern}");
    }
}

#[test]
fn the_way_to_the_working_directory_is_taken_off() {
    for (pattern, expected) in [
        ("pkg/a/src/**", written(&["/src/**"])),
        ("/pkg/a/*.ts", written(&["/*.ts"])),
        ("PKG/A/x", written(&["/x"])),
        ("pkg/*/x", written(&["/x"])),
        ("p?g/[ab]/x/", written(&["/x/"])),
        ("**/x", PathVerdict::Unchanged),
        ("**/a/x", written(&["**/a/x", "/x"])),
        ("pkg/**/x", written(&["**/x"])),
        ("*.ts", PathVerdict::Unchanged),
        ("src/**", PathVerdict::Unchanged),
        ("pkg/**", written(&["*"])),
        ("a", written(&["*"])),
        ("pkg/a/**", written(&["*"])),
        ("**/a/**", written(&["*"])),
        ("pkg/{a,b}/{x,y}", written(&["/x", "/y"])),
        ("lib/**", PathVerdict::Unchanged),
        ("lib/x", PathVerdict::OutsideCwd),
        ("/lib", PathVerdict::OutsideCwd),
        ("pkg/b/**", PathVerdict::OutsideCwd),
        ("!pkg/a/gen/x", written(&["!/gen/x"])),
        ("!pkg/a", PathVerdict::OutsideCwd),
        ("!gen/**", PathVerdict::Unchanged),
        ("../x", PathVerdict::Inert),
    ] {
        assert_eq!(verdict(pattern, "pkg/a", ""), expected, "{pattern}");
    }
}

#[test]
fn a_folder_below_is_put_before() {
    for (pattern, expected) in [
        ("x/src/**", "/sub/x/src/**"),
        ("src/**", "/sub/**/src/**"),
        ("*.ts", "/sub/**/*.ts"),
        ("/x", "/sub/x"),
        ("**/x", "/sub/**/x"),
        ("**", "/sub/**"),
        ("!x/y/", "!/sub/x/y/"),
    ] {
        assert_eq!(verdict(pattern, "", "sub"), written(&[expected]), "{pattern}");
    }
    assert_eq!(verdict("{a,b}/x", "", "s,u/[b]"), written(&[r"/s\x2cu/\x5bb\x5d/a/x", r"/s\x2cu/\x5bb\x5d/b/x"]));
    assert_eq!(folder_paths("sub/"), ["/sub/**"]);
    assert_eq!(folder_paths("a {b},c/!d"), [r"/a\x20\x7bb\x7d\x2cc/\x21d/**"]);
}

#[test]
fn braces_are_bounded() {
    let many = "{a,b}".repeat(40);
    assert!(matches!(verdict(&many, "pkg", ""), PathVerdict::Unchanged));
    let long = format!("x/{{{}}}", "a,".repeat(5000));
    assert!(matches!(verdict(&long, "", "sub"), PathVerdict::Rewritten(one) if one.len() == 1));
}

/// Whether the program, reading `patterns` relative to a folder, matches `path` in it.
fn matches(patterns: &[String], path: &str) -> bool {
    let mut builder = GitignoreBuilder::new("");
    let _ = builder.case_insensitive(true);
    for pattern in patterns {
        let _ = builder.add_line(None, pattern.strip_suffix("/**").unwrap_or(pattern));
    }
    let all = builder.build().expect("patterns of the tests compile");
    let ends = path.match_indices('/').map(|(at, _)| (at, true)).chain([(path.len(), false)]);
    ends.into_iter().any(|(end, folder)| all.matched(&path[..end], folder).is_ignore())
}

fn after(pattern: &str, anchor: &Anchor<'_>) -> Vec<String> {
    match rewrite_paths(&[pattern.to_owned()], anchor).remove(0) {
        PathVerdict::Unchanged => vec![pattern.to_owned()],
        PathVerdict::Rewritten(patterns) => patterns,
        PathVerdict::OutsideCwd | PathVerdict::Inert => vec![],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_matched_is_lost(
        pattern in r"/?(a|b|B|\*|\?|\*\*|a\*)(/(a|b|\*|\*\*|x)){0,3}(/|/\*\*)?",
        path in "[abx](/[abx]){0,3}",
        inner in "[ab](/[ab])?",
    ) {
        let one = [pattern.clone()];
        // `**/` and the like differ between matchers; the program's reading of them is measured.
        prop_assume!(!pattern.trim_end_matches('/').ends_with("**") || pattern.ends_with("/**"));
        prop_assume!(!pattern.trim_end_matches("/**").ends_with("**"));
        let below = Anchor { cwd_below: &inner, base_below: "" };
        prop_assert_eq!(matches(&one, &format!("{inner}/{path}")), matches(&after(&pattern, &below), &path));
        let above = Anchor { cwd_below: "", base_below: &inner };
        prop_assert_eq!(matches(&one, &path), matches(&after(&pattern, &above), &format!("{inner}/{path}")));
    }

    #[test]
    fn nothing_matches_beside_the_folder(pattern in r"/?[ab*](/[ab*]){0,2}", path in "[abx](/[abx]){0,2}") {
        let above = Anchor { cwd_below: "", base_below: "sub" };
        let beside = format!("x/sub/{path}");
        prop_assert!(!matches(&after(&pattern, &above), &path));
        prop_assert!(!matches(&after(&pattern, &above), &beside));
    }

    #[test]
    fn any_text_is_answered(text in r"[\PC{},/*!.\[\\\n]{0,30}", way in r"[a/.\[*]{0,6}") {
        for pattern in split_patterns(&text) {
            prop_assert_eq!(split_patterns(&pattern), std::slice::from_ref(&pattern));
            for anchor in [Anchor { cwd_below: &way, base_below: "" }, Anchor { cwd_below: "", base_below: &way }] {
                for written in after(&pattern, &anchor) {
                    prop_assert_eq!(split_patterns(&written), [written.clone()]);
                }
            }
        }
    }
}
