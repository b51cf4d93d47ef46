//! What a server would do, as one line for a person: nothing cut off, nothing invisible, no secret.

use super::entry::Transport;
use crate::settings::document::{Member, Value, get};
use crate::settings::{is_secret_name, is_secret_value};

/// What stands in the place of a secret.
const MASK: &str = "[masked]";

/// The command line as it would run, or the URL.
pub(super) fn action(value: &Value, transport: Transport) -> String {
    let Value::Object(members) = value else { return String::new() };
    match transport {
        Transport::Stdio => command_line(members),
        Transport::Remote => remote(members),
    }
}

fn command_line(members: &[Member]) -> String {
    let mut words = Vec::new();
    if let Some(Value::Object(variables)) = get(members, "env") {
        words.extend(variables.iter().map(|variable| {
            let value = variable.value.as_text().unwrap_or_default();
            let value =
                if is_secret_name(&variable.key) || is_secret_value(value) { MASK.to_owned() } else { quoted(value) };
            format!("{}={value}", one_line(&variable.key))
        }));
    }
    words.push(quoted(get(members, "command").and_then(Value::as_text).unwrap_or_default()));
    if let Some(Value::List(arguments)) = get(members, "args") {
        let mut after_name = false;
        for argument in arguments {
            let argument = argument.value.as_text().unwrap_or_default();
            words.push(if after_name && !argument.starts_with('-') {
                MASK.to_owned()
            } else {
                self::argument(argument)
            });
            after_name = argument.starts_with('-') && !argument.contains('=') && is_secret_name(argument);
        }
    }
    words.join(" ")
}

/// One argument; what follows the name of a secret, or looks like one, is masked.
fn argument(text: &str) -> String {
    if is_url_like(text) {
        return quoted(&url(text));
    }
    match text.split_once(['=', ':']) {
        Some((name, value)) if !value.is_empty() && is_secret_name(name) => {
            let between = &text[name.len()..=name.len()];
            quoted(&format!("{name}{between}{MASK}"))
        }
        _ if is_secret_value(text) => MASK.to_owned(),
        _ => quoted(text),
    }
}

fn remote(members: &[Member]) -> String {
    let mut shown = one_line(&url(get(members, "url").and_then(Value::as_text).unwrap_or_default()));
    if let Some(Value::Object(headers)) = get(members, "headers")
        && !headers.is_empty()
    {
        let names: Vec<String> = headers.iter().map(|header| one_line(&header.key)).collect();
        shown.extend([" with the headers ", &names.join(", ")]);
    }
    if let Some(helper) = get(members, "headersHelper").and_then(Value::as_text) {
        shown.extend([" with the headers that `", &one_line(helper), "` prints"]);
    }
    shown
}

fn is_url_like(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// A URL without the name and password before its host and without the values of secret parameters.
fn url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    };
    let mut shown = format!("{scheme}://{authority}");
    for part in after.split_inclusive(['?', '&', ';', '#']) {
        let body = part.trim_end_matches(['?', '&', ';', '#']);
        match body.split_once('=') {
            Some((name, _)) if is_secret_name(name) => {
                shown.extend([name, "=", MASK, &part[body.len()..]]);
            }
            _ => shown.push_str(part),
        }
    }
    shown
}

/// A word of a command line.
fn quoted(text: &str) -> String {
    let text = one_line(text);
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~[]{}$".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The text on one line: what a terminal would act on or not show is escaped.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || is_invisible(letter) {
            line.extend(letter.escape_unicode());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Zero-width, bidirectional and tag characters, and the two separators that break lines.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::document::Document;
    use crate::testing::test;

    fn shown(text: &str, transport: Transport) -> String {
        action(&Value::Object(Document::parse(text.as_bytes()).unwrap().members), transport)
    }

    #[test]
    fn a_command_line_is_shown_whole_on_one_line_without_secrets() {
        let line = shown(
            r#"{"env":{"A":"b c","API_KEY":"hush1"},"command":"npx","args":["-y","x\u0007\u202e","--token","hush2","--api-key=hush3","AUTH:hush4","http://me:hush5@h/p?token=hush6&a=1","Bearer hush7",""]}"#,
            Transport::Stdio,
        );
        assert_eq!(
            line,
            r"A='b c' API_KEY=[masked] npx -y 'x\u{7}\u{202e}' --token [masked] --api-key=[masked] AUTH:[masked] 'http://[masked]@h/p?token=[masked]&a=1' [masked] ''"
        );
        assert!(!line.contains("hush"));
    }

    #[test]
    fn a_url_is_shown_with_the_names_of_its_headers() {
        let text = r#"{"url":"https://u:hush@h:1/a?key=hush&b=2#f","headers":{"X-A":"hush","B":"hush"},"headersHelper":"./h\n"}"#;
        assert_eq!(
            shown(text, Transport::Remote),
            r"https://[masked]@h:1/a?key=[masked]&b=2#f with the headers X-A, B with the headers that `./h\u{a}` prints"
        );
    }
}
