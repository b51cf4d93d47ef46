//! Two texts as one hunk of a unified diff.

use std::fmt::Write as _;

/// Lines of what is the same that are shown on each side.
const AROUND: usize = 3;

/// The stretch of lines from the first to the last that differs, with some lines around it, as a hunk of a unified diff;
/// empty for equal texts. One hunk is always right and takes one pass; it is not always the smallest.
///
/// ```
/// assert_eq!(winter_runner::runs::hunk("a\nb\nc\n", "a\nB\nc\n"), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
/// ```
pub fn hunk(was: &str, now: &str) -> String {
    if was == now {
        return String::new();
    }
    let (old, new) = (lines(was), lines(now));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (from, after) = (head.saturating_sub(AROUND), tail.min(AROUND));
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let span = |end: usize| {
        let count = end + after - from;
        // As `diff -u` counts: an empty stretch begins at the line before it.
        format!("{},{count}", if count == 0 { from } else { from + 1 })
    };
    let mut text = format!("@@ -{} +{} @@\n", span(old_end), span(new_end));
    let mut put = |mark: char, lines: &[&str]| {
        for line in lines {
            let _ = write!(text, "{mark}{line}");
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    put(' ', &old[from..head]);
    put('-', &old[head..old_end]);
    put('+', &new[head..new_end]);
    put(' ', &old[old_end..old_end + after]);
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::hunk;

    #[test]
    fn a_hunk_is_what_a_patch_program_takes() {
        for (was, now) in [
            ("", "a\n"),
            ("a\n", ""),
            ("a", "a\n"),
            ("a\nb\n", "b\n"),
            ("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n"),
            ("x\nx\nx\n", "x\nx\n"),
            ("a\nb", "b"),
            ("1\n2\n3\n4\n5\n6\n7\n8", "0\n1\n2\n3\n4\n5\n6\n7\n8"),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let text = format!("--- f\n+++ f\n{}", hunk(was, now));
            fs::write(scratch.path().join("f"), was).unwrap();
            fs::write(scratch.path().join("p"), &text).unwrap();
            let mut patch = std::process::Command::new("patch");
            patch.current_dir(scratch.path()).args(["--quiet", "--input", "p", "f"]);
            let Ok(output) = patch.output() else {
                println!("skipped: there is no `patch` here");
                return;
            };
            assert!(output.status.success(), "{text}");
            // A text that becomes empty takes its file along.
            assert_eq!(fs::read_to_string(scratch.path().join("f")).unwrap_or_default(), now, "{text}");
        }
        assert_eq!(hunk("same", "same"), "");
    }
}
