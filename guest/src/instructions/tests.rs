//! What is an import: rows by kind, each measured with Claude Code 2.1.250 or compared with its lexer; then what holds
//! for all texts.

use proptest::prelude::*;

use super::*;
use crate::testing::test;

pub(super) fn targets(text: &str) -> Vec<String> {
    imports(text).into_iter().map(|import| import.target).collect()
}

fn rows(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_eq!(targets(text), *expected, "{text:?}");
        assert!(imports(&neutralised(text)).is_empty(), "{text:?}");
    }
}

#[test]
fn what_begins_an_import() {
    rows(&[
        ("@a.md", &["a.md"]),
        ("see @a.md", &["a.md"]),
        ("a\u{a0}@a.md", &["a.md"]),
        ("a\r\n@a.md\r\n@b.md\rc", &["a.md", "b.md"]),
        ("\u{feff}@a.md", &["a.md"]),
        ("x@a.md", &[]),
        ("(@a.md)", &[]),
        ("\\@a.md \\\\\\@b.md", &[]),
        ("\\\\@a.md", &["a.md"]),
        ("@", &[]),
        ("@@a @#a @%a @/ @~ @!a", &[]),
        ("@./a @../b @~/c @/d @.e @_f @-g @1", &["./a", "../b", "~/c", "/d", ".e", "_f", "-g", "1"]),
        ("@a\0b", &["a\0b"]),
    ]);
}

#[test]
fn where_a_target_ends() {
    rows(&[
        ("(see @x.md).", &["x.md)."]),
        ("@x.md, and", &["x.md,"]),
        ("@x.md#y @#y", &["x.md"]),
        ("@my\\ file.md b", &["my file.md"]),
        ("@a\\b", &["a"]),
        ("**@x.md** _@y.md_ *see @z.md*", &["x.md", "y.md", "z.md"]),
        ("@my_file.md and _b_", &["my_file.md"]),
    ]);
}

#[test]
fn what_only_looks_like_one() {
    rows(&[
        ("me@example.org <me@example.org> <http://x/@y>", &[]),
        ("npm i @scope/pkg", &["scope/pkg"]),
        ("@app.get(\"/x\")", &["app.get(\"/x\")"]),
        ("thanks @alice!", &["alice!"]),
    ]);
}

#[test]
fn code_is_no_place() {
    rows(&[
        ("`@a` `` ` @a `` `x\n @a`", &[]),
        ("`` @a ` @b", &["a", "b"]),
        ("\\` @a `", &["a"]),
        ("```\n@a\n```\n@b", &["b"]),
        ("~~~ x\n@a\n```\n@b\n~~~~\n@c", &["c"]),
        ("```\n@a", &[]),
        ("````\n```\n@a\n````\n", &[]),
        ("``` ` @a", &["a"]),
        ("text\n\n    @a\n\n\t@b\n", &[]),
        ("text\n    @a", &["a"]),
        ("- a\n  ```\n  @b\n  ```\n- @c", &["c"]),
        ("- a\n\n      @b\n", &[]),
        ("> ```\n> @a\n> ```\n> @b", &["b"]),
        ("> ```\n@a", &["a"]),
        ("run `npm i @a/b` in `my_dir` or `*.d @c`", &[]),
    ]);
}

/// The program reads the lines of a list item as they stand, too.
#[test]
fn a_code_span_in_a_list_is_no_code() {
    rows(&[("- ` @a `", &["a"]), ("- `@a`", &[]), ("- x\n\n  `b @a c`", &["a"]), ("- - y\n\n  ` @a `", &[])]);
    assert_eq!(neutralised("- ` @a `"), "- ` \\@a `");
}

#[test]
fn markup_around_it() {
    rows(&[
        ("# @a\n@b\n---\n", &["a", "b"]),
        ("| @a | b |\n|---|---|\n| x | @c |", &["a", "c"]),
        ("[@a](u) [x](@b) [y](u \"@c\")", &["a"]),
        ("[@a]", &[]),
        ("[@a]\n\n[@a]: /u", &["a"]),
        ("[x]: /u '@a'", &[]),
        ("<b>@a</b> <i x=' @b '>", &["a"]),
        ("<div>\n@a\n</div>", &[]),
        ("<details>\n\n@a\n\n</details>", &["a"]),
        ("<!-- @a\n\n@b -->", &[]),
        ("<!-- c --> @a\n", &["a"]),
        ("<!-- c\n\n@a", &[]),
        ("x <!-- @a --> @b", &["b"]),
        ("<script>\n\n@a\n</script>\n@b", &["b"]),
        ("> @a\n@b\n>@c", &["a", "b", "c"]),
    ]);
}

#[test]
fn more_is_found_where_the_end_cannot_be_known() {
    // An image's description; emphasis that may end in a tag.
    rows(&[("![@a](u)", &["a"]), ("*a ``b* @c``", &["c``"])]);
    let deep = format!("{}` @a `", "> ".repeat(40));
    assert_eq!(targets(&deep), ["a"]);
}

#[test]
fn a_backslash_does_not_help_in_a_link_that_is_cut() {
    let text = "[a](    xy@f1)y)";
    assert_eq!(targets(text), ["f1)y)"]);
    assert!(imports(&neutralised(text)).is_empty());
    let text = "[a](    x\\@f1)y)";
    assert_eq!(targets(text), ["f1)y)"]);
    assert!(imports(&neutralised(text)).is_empty());
}

#[test]
fn another_text_may_define_a_link() {
    assert_eq!(neutralised("[@a] [b][c]@d x@e"), "[\\@a] [b][c]\\@d x@e");
}

#[test]
fn ranges_and_lines() {
    let text = "\u{feff}a\r\nb é @x.md#y\rc\n> - @z\n";
    let found = imports(text);
    assert_eq!(found.len(), 2);
    assert_eq!((&text[found[0].range.clone()], found[0].line), ("@x.md#y", 2));
    assert_eq!((&text[found[1].range.clone()], found[1].line), ("@z", 4));
}

#[test]
fn a_megabyte_of_one_thing_ends() {
    for piece in ["`", ">", "_@", "@a* "] {
        let text = piece.repeat((1 << 20) / piece.len());
        assert!(imports(&text).iter().all(|import| import.line == 1), "{piece:?}");
    }
    let nested: Vec<String> = (0..1400).map(|depth| " ".repeat(depth) + "- a\n").collect();
    assert_eq!(imports(&(nested.concat() + "@a")).len(), 1);
}

#[test]
fn invisible_characters() {
    use InvisibleClass::{Bidi, Tag, Variation, ZeroWidth};
    type Row = (&'static str, &'static [(u32, InvisibleClass, u32)]);
    let rows: &[Row] = &[
        ("plain é 日本\n", &[]),
        ("\u{feff}a\u{feff}", &[(1, ZeroWidth, 1)]),
        ("a\r\n\u{202e}b\r\u{2066}\u{200f}", &[(2, Bidi, 1), (3, Bidi, 2)]),
        ("👩\u{200d}👩\u{fe0f}\u{200d}👦 ❤\u{fe0f}\u{200d}🔥", &[]),
        ("a\u{200d}b", &[(1, ZeroWidth, 1)]),
        ("می\u{200c}خواهم क\u{94d}\u{200d}ष", &[]),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", &[]),
        ("x\u{e0041}\u{e0042}", &[(1, Tag, 2)]),
        ("☺\u{fe0f} 葛\u{e0100}", &[]),
        ("☺\u{fe0f}\u{e0101}\u{e0102}", &[(1, Variation, 2)]),
    ];
    for (text, expected) in rows {
        let found: Vec<_> = invisible(text).into_iter().map(|f| (f.line, f.class, f.count)).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "a",
    "b c",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "`",
    "``",
    "```",
    "```\n",
    "\n```\n",
    "\n~~~\n",
    "~~~",
    "````",
    "*",
    "**",
    "_",
    "__",
    "[",
    "]",
    "(",
    ")",
    "](",
    "][",
    "]:",
    "[x]: /u",
    "\n[x]: /u \"",
    "[x]",
    "[a](u)",
    "![",
    "<",
    "</",
    "<b>",
    "<a x=\"",
    "\">",
    "\n<div>\n",
    "</div>",
    "<!--",
    "-->",
    "\n<!--",
    "<!-->",
    "\n<pre>\n",
    "</pre>",
    "<?",
    "?>",
    "<!X ",
    "<![CDATA[",
    "]]>",
    "<script>",
    "</script>\n",
    "\n- ",
    "- ",
    "\n* ",
    "\n1. ",
    "1) ",
    "\n  - ",
    "\n   ",
    "\n    ",
    "\n\t",
    "\t",
    "    ",
    "\n> ",
    "> ",
    ">",
    "\n>> ",
    "\n# ",
    "# ",
    "\n---\n",
    "\n===\n",
    "***\n",
    "\\",
    "\\\\",
    "\\\n",
    "  \n",
    "\"",
    "'",
    "<http://x>",
    "<a@b.co>",
    "\\`",
    "\\[",
    "|",
    "&",
    "\r\n",
    "\r",
    "é",
    "\u{a0}",
    "😀",
    "x_y",
    "\u{2028}",
    "!",
    "\n-\n",
    "@f",
    "@f",
    " @f",
    " @f",
    "\n@f",
    "@./f",
    "@~/f",
    "@/f",
    "@f#y",
    "@f\\ b",
    "@f*",
    "\\@f",
    "----- winter [x] end",
    "\n----- ",
    "winter ",
];

/// Texts of pieces that are something to the lexer.
pub(super) fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_is_left_to_import(text in texts()) {
        let inert = neutralised(&text);
        prop_assert!(imports(&inert).is_empty());
        prop_assert_eq!(neutralised(&inert), inert.clone());
        let plain = |text: &str| text.replace(ENTITY, "@").replace('\\', "");
        prop_assert_eq!(plain(&inert), plain(&text));
    }

    #[test]
    fn an_import_is_where_it_says(text in texts()) {
        for import in imports(&text) {
            let there = &text[import.range.clone()];
            prop_assert!(there.starts_with('@'));
            prop_assert_eq!(import.line, line_ends(&text[..import.range.start]) + 1);
        }
    }
}
