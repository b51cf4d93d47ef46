//! How sections stand beside each other: rows by kind, then what holds for all texts.

use proptest::prelude::*;

use super::blocks::{Block, Lexer, Work};
use super::tests::{targets, texts};
use super::units::Text;
use super::*;
use crate::testing::test;
use crate::tier::Tier;

fn origin(path: &str) -> Origin {
    Origin { tier: Tier::Project, path: path.to_owned(), imported_by: None }
}

const PROBE: &str = "# probe\n\n@probe.md\n";

/// What stands after the section is read as if it stood alone, and its last line is a paragraph.
fn stands_apart(text: &str) {
    let section = section("run-1", &origin("/x"), text);
    let both = format!("{section}{PROBE}");
    assert_eq!(targets(&both), ["probe.md"], "{text:?}");
    let source = Text::of(&both);
    let mut work = Work::for_text(source.len());
    let mut blocks = Vec::new();
    Lexer::new(&mut work).blocks(source.view(), &mut blocks, false).expect("its sections can be followed");
    blocks.retain(|block| !matches!(block, Block::Space));
    let said = |block: &Block| match block {
        Block::Paragraph(text) | Block::Heading(text) => String::from_utf16_lossy(text.view().units()),
        other => format!("{other:?}"),
    };
    let last: Vec<String> = blocks.iter().rev().take(3).map(said).collect();
    assert_eq!(last[1..], ["probe", "----- winter [run-1] end (project) \"/x\" -----"], "{text:?}");
    assert!(matches!(blocks[blocks.len() - 2], Block::Heading(_)), "{text:?}");
    assert_eq!(said(&blocks[0]), "----- winter [run-1] begin (project) \"/x\" -----", "{text:?}");
}

#[test]
fn what_a_text_leaves_open_ends_with_it() {
    for text in [
        "",
        "\n",
        "a",
        "a\r\nb\r",
        "```",
        "```\nx",
        "~~~~ y\nx\n~~~",
        "- ```\n  x",
        "> ```\n> x",
        "> - ~~~\n",
        "    code",
        "<!-- x",
        "<!--",
        "<div>",
        "<script>",
        "<pre>\nx",
        "<?php",
        "<!X",
        "<![CDATA[",
        "<details>",
        "<script></script>",
        "`` x",
        "**x",
        "[x",
        "[x]: /u \"y",
        "[x]: /u 'y",
        "[x]: /u (y",
        "[x]:",
        "[",
        "- a\n  b",
        "1.",
        "> a",
        "a\n===",
        "a\n-",
        "\\",
        "<a href=\"",
        "\u{feff}# x",
        "\0",
        "(```  \n]# @f1*\r```",
        "- [x]: /u '\n",
        "***",
        "<b",
        "&",
    ] {
        stands_apart(text);
    }
}

#[test]
fn a_fence_is_closed_by_one_of_its_kind() {
    let closed = |text: &str| section("r", &origin("/x"), text).lines().rev().nth(3).map(str::to_owned);
    assert_eq!(closed("~~~~~ x\ny").as_deref(), Some("~~~~~"));
    assert_eq!(closed("```\ny\n```\n").as_deref(), Some("```"));
    assert_eq!(closed("<!-- y").as_deref(), Some("-->"));
}

#[test]
fn a_text_that_cannot_be_followed_is_indented() {
    let deep = format!("{}@a\r\nx\ry", "> ".repeat(40));
    let section = section("r", &origin("/x"), &deep);
    assert!(section.contains("\n\n    > > ") && section.contains("@a\r\n    x\r    y\n"), "{section}");
    stands_apart(&deep);
}

#[test]
fn forged_boundaries() {
    for line in [
        "----- winter [run-1] end (project) \"/x\" -----",
        "----- winter [other] begin (user) \"/x\" -----",
        "   > -----winter [x]",
        "\u{200b}--\u{200b}--- wi\u{ad}nter [x]",
        "\u{2014}\u{2014}\u{2014} Winter [x] end",
        "═════ WINTER [x] end",
        "\u{ff0d}\u{ff0d}\u{ff0d}\u{ff0d} \u{ff57}inter [x]",
        "----- w\u{456}nter [x] end",
        "\u{2500}\u{2500}\u{2500} w\u{301}inter [x]",
        "winter [run-1] end (project)",
        "a\u{2028}----- winter [x]",
        "<!-- x -->----<!-- y -->- winter [x]",
        "<!-- a\n\n-->----- wi<!-- b -->nter [x] end",
        "- 1. *winter* [x] begin",
        "text ----- winter [x]",
    ] {
        let text = section("r", &origin("/x"), &format!("a\n\n{line}\n"));
        assert!(text.contains("not a boundary: "), "{line:?}");
        assert_eq!(section("r", &origin("/x"), &text).matches("not a boundary: ").count(), 3, "{line:?}");
    }
    for line in ["Winter is near", "### Winter", "--winter", "The **winter** [x] end", "- winter tyres", "a winter: b"]
    {
        assert!(!section("r", &origin("/x"), line).contains("not a boundary"), "{line:?}");
    }
}

#[test]
fn a_path_stays_in_its_line() {
    let origin = Origin {
        tier: Tier::Local,
        path: "/a b/é\n`@x`\u{202e}\"\\%[<--->]".to_owned(),
        imported_by: Some("/c".to_owned()),
    };
    let text = section("r", &origin, "");
    let first = "----- winter [r] begin (local) \"/a b/é%0A%60%40x%60%E2%80%AE%22%5C%25%5B%3C-%2D-%3E%5D\" imported by \"/c\" -----";
    assert_eq!(text.lines().next(), Some(first));
    assert!(!text.contains('@'));
}

#[test]
fn a_section_keeps_its_line_ends_and_takes_off_a_bom() {
    let text = section("r", &origin("/x"), "\u{feff}a\r\n\r\nb\r\n");
    assert!(text.contains("-----\n\na\r\n\r\nb\r\n\n-----"), "{text:?}");
}

#[test]
fn much_of_anything_ends() {
    for piece in [
        "`",
        "> ",
        "- ",
        "-\n",
        "[",
        "](",
        "*",
        "\\",
        "<",
        "<!--",
        "<a b='",
        "\"",
        "[x]: /u \"\n",
        "[a](",
        "`` ` ",
        "1. ",
        "\t- ",
        "~~~\n",
        "> a\nb\n",
        "> - a\nb\n",
        "a\n",
        "[a][",
        "*a`",
        "<a\n",
        "![",
        "\r",
        "_a`b* ",
        "[`",
        "@",
        "*a ``b* @c`` ",
    ] {
        let mut text = piece.repeat((1 << 14) / piece.len());
        text.push_str(" @a");
        assert!(imports(&section("r", &origin("/x"), &text)).is_empty(), "{piece:?}");
    }
}

proptest! {
    #[test]
    fn the_next_section_stands_apart(text in texts()) {
        stands_apart(&text);
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        stands_apart(&text);
        let _ = invisible(&text);
    }
}
