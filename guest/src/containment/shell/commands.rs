//! What is known of commands, as tables.

use crate::explain::Sheet;

/// How a command takes the paths that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It says them, or asks for something else; it opens none.
    Says,
    /// It looks at each of them, and not beneath it, except with one of these flags.
    Shallow(&'static str),
    /// It may go through all that lies beneath, or hand them on.
    Deep,
}

struct Row {
    id: &'static str,
    names: &'static [&'static str],
    role: Role,
    why: &'static str,
}

/// What no row names may do anything with a folder.
const COMMANDS: &[Row] = &[
    Row {
        id: "says",
        names: &[
            "echo", "printf", "test", "[", "[[", "export", "local", "declare", "typeset", "readonly", "unset", "read",
            "for", "select", "case", "in", "type", "which", "whereis", "hash", "true", "false", ":", "sleep", "wait",
            "kill", "exit", "return", "shift", "set", "shopt", "pwd", "let", "expr", "seq", "date", "basename",
            "dirname", "nproc", "uname", "id", "whoami",
        ],
        role: Role::Says,
        why: "it opens none of the paths that it is given",
    },
    Row {
        id: "looks",
        names: &[
            "cd", "pushd", "popd", "stat", "file", "readlink", "realpath", "mkdir", "rmdir", "touch", "df", "du",
            "cat", "head", "tail", "less", "more", "wc", "sort", "uniq", "cut", "tr", "awk", "sed", "tee", "jq",
            "column", "nl", "od", "xxd", "cmp", "truncate", "unlink", "comm", "paste", "fold", "bc",
        ],
        role: Role::Shallow(""),
        why: "it goes into no folder",
    },
    Row {
        id: "lists",
        names: &["ls", "dir", "vdir", "chmod", "chown", "chgrp"],
        role: Role::Shallow("R"),
        why: "it goes beneath a folder with `-R` alone",
    },
    Row {
        id: "searches",
        names: &["grep", "egrep", "fgrep", "rm", "diff", "cp"],
        role: Role::Shallow("rRad"),
        why: "it goes beneath a folder with `-r`, `-R`, `-a` or `-d` alone",
    },
];

/// Commands that run what they are given as text, or what they read.
const HANDS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "fish",
    "ash",
    "busybox",
    "csh",
    "tcsh",
    "pwsh",
    "eval",
    "source",
    ".",
    "xargs",
    "parallel",
    "su",
    "ssh",
    "watch",
    "trap",
    "script",
    "expect",
    "env",
    "nsenter",
    "unshare",
    "chroot",
    "node",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "osascript",
    "tclsh",
    "Rscript",
    "ed",
    "ex",
    "vi",
    "vim",
    "emacs",
    "sqlite3",
    "gdb",
    "at",
    "batch",
    "crontab",
    "make",
    "docker",
    "podman",
];

/// Commands that go through the working folder when they are given none, with the words that come before a path.
pub(super) const WALKS: &[(&str, usize)] = &[
    ("find", 0),
    ("tree", 0),
    ("fd", 1),
    ("rg", 1),
    ("ag", 1),
    ("ack", 1),
    ("grep", 1),
    ("egrep", 1),
    ("fgrep", 1),
    ("ls", 0),
    ("ncdu", 0),
];

/// Commands that look for their first word.
pub(super) const SEEKS: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag", "ack", "fd"];

/// Words that stand before a command, or around it.
pub(super) const BEFORE: &[&str] = &[
    "if", "then", "else", "elif", "do", "done", "fi", "esac", "while", "until", "!", "{", "}", "time", "command",
    "builtin", "exec", "nohup", "coproc", "function",
];

/// Words of programs in other languages that mean the home folder.
pub(super) const HOME_WORDS: &[&str] = &[
    "expanduser",
    "homedir",
    "path.home",
    "getpwuid",
    "environ",
    "getenv",
    "process.env",
    "dir.home",
    "user.home",
    "userprofile",
    "env[",
];

pub(super) fn role(name: &str) -> Role {
    COMMANDS.iter().find(|row| row.names.contains(&name)).map_or(Role::Deep, |row| row.role)
}

/// Whether a command runs what it is given as text.
pub(super) fn hands_on(name: &str) -> bool {
    HANDS.contains(&name) || name.starts_with("python") || name.starts_with("pypy")
}

pub(in super::super) fn sheets() -> Vec<Sheet> {
    let rows = COMMANDS.iter().map(|row| vec![row.id.to_owned(), row.names.join(" "), row.why.to_owned()]);
    let hands = format!("{} python*", HANDS.join(" "));
    let rest = [
        ["runs", &hands, "what it is given as text, or reads, is looked at as a command"],
        ["others", "*", "a folder above what is protected is refused: it may go through all of it"],
    ];
    let rows = rows.chain(rest.map(|row| row.map(str::to_owned).to_vec()));
    vec![Sheet::new("How commands take the folders that they are given", &["id", "commands", "why"], rows)]
}
