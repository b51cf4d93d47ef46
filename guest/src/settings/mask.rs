//! Secrets in a document that is to be shown.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{is_secret_name, is_secret_value};

/// The same JSON document, with every value masked whose name says that it is a secret, or that stands among headers;
/// a mask holds a short digest, by which two values can be told apart. What is not JSON is masked whole.
///
/// ```
/// let shown = winter_policy::settings::masked(r#"{"env":{"A_TOKEN":"s3cret","LANG":"C"}}"#);
/// assert!(!shown.contains("s3cret") && shown.contains(r#""LANG": "C""#));
/// ```
pub fn masked(document: &str) -> String {
    match serde_json::from_str::<Value>(document) {
        Ok(mut value) => {
            mask_in(&mut value);
            format!("{value:#}")
        }
        Err(_) => mask(document),
    }
}

fn mask_in(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if is_secret_name(name) {
                    mask_all(value);
                } else {
                    mask_in(value);
                }
            }
        }
        Value::Array(items) => mask_arguments(items),
        Value::String(text) if is_secret_value(text) => *text = mask(text),
        _ => {}
    }
}

/// A list may be a command line: what follows the name of a secret is one.
fn mask_arguments(items: &mut [Value]) {
    let mut after_name = false;
    for item in items {
        let Value::String(text) = item else {
            mask_in(item);
            after_name = false;
            continue;
        };
        let named = text
            .split_once('=')
            .filter(|(name, value)| !value.is_empty() && !name.contains(char::is_whitespace) && is_secret_name(name));
        let is_flag = text.starts_with('-');
        if after_name && !is_flag {
            *text = mask(text);
            after_name = false;
        } else if let Some((name, value)) = named {
            *text = format!("{name}={}", mask(value));
            after_name = false;
        } else {
            after_name = is_flag && !text.contains('=') && is_secret_name(text);
            mask_in(item);
        }
    }
}

fn mask_all(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(mask_all),
        Value::Array(items) => items.iter_mut().for_each(mask_all),
        Value::String(text) => *text = mask(text),
        Value::Number(number) => *value = mask(&number.to_string()).into(),
        // Switches and nothing at all are no secrets.
        Value::Null | Value::Bool(_) => {}
    }
}

fn mask(secret: &str) -> String {
    let digest = Sha256::digest(secret.as_bytes());
    format!("[masked {:02x}{:02x}{:02x}{:02x}]", digest[0], digest[1], digest[2], digest[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let shown = masked(
            r#"{"a":[{"apiKey":"k1"}],"headers":{"X":["k2"]},"PIN_CODE_KEY":1234,"auth":{"deep":"k3"},"apiKeyHelper":"./x","keep":"me"}"#,
        );
        for secret in ["k1", "k2", "1234", "k3"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("./x") && shown.contains("me"));
    }

    #[test]
    fn secrets_of_command_lines_are_masked() {
        let shown = masked(r#"{"args":["--token","k1","--api-key=k2","-v","keep","--password"],"allow":["Bash(x)"]}"#);
        assert!(!shown.contains("k1") && !shown.contains("k2"), "{shown}");
        for kept in ["--token", "--api-key=", "-v", "keep", "Bash(x)"] {
            assert!(shown.contains(kept), "{kept}: {shown}");
        }
    }

    #[test]
    fn what_is_no_json_is_masked_whole() {
        assert!(masked("TOKEN=x").starts_with("[masked "));
    }

    #[test]
    fn equal_secrets_have_equal_masks() {
        assert_eq!(mask("a"), mask("a"));
        assert_ne!(mask("a"), mask("b"));
    }
}
