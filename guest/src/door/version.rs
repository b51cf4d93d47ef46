//! Which versions of a program a brand supports.

use super::checks::{Found, Subject, found};
use crate::brand::{Profile, Versions};
use crate::explain::Sheet;

/// A version as it compares: three numbers.
type Numbers = [u64; 3];

/// The first word of what a program says of itself, as numbers; none for a text without such a word.
fn numbers(said: &str) -> Option<Numbers> {
    let word = said.split_whitespace().next()?;
    // A build of a version to come (`2.2.0-beta.1`) is none that was measured.
    let mut parts = word.trim_start_matches('v').split('.').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u64>().ok()).flatten()
    });
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

fn range(versions: &Versions) -> Option<(Numbers, Numbers)> {
    Some((numbers(&versions.from)?, numbers(&versions.below)?))
}

/// A version that the brand does not support, or one that nobody knows.
pub(super) fn unsupported(subject: &Subject<'_>) -> Option<Found> {
    let brand = &subject.request.brand;
    let versions = brand.supported_versions.as_ref()?;
    let wanted = format!("brand {} supports {} and later, below {}", brand.name, versions.from, versions.below);
    let Some((from, below)) = range(versions) else {
        return Some(found("brand", format!("the versions that brand {} supports are no versions", brand.name)));
    };
    let Some(said) = &subject.request.version else {
        return Some(found("version", format!("the program's version is not known; {wanted}")));
    };
    let shown: String = said.trim().chars().take(80).flat_map(char::escape_default).collect();
    match numbers(said) {
        Some(numbers) if (from..below).contains(&numbers) => None,
        Some(_) => Some(found("version", format!("the program's version is {shown}; {wanted}"))),
        None => Some(found("version", format!("`{shown}` is no version; {wanted}"))),
    }
}

pub(super) fn sheet() -> Sheet {
    let rows = Profile::built_in().into_iter().map(|brand| {
        let versions = brand.supported_versions.map_or_else(
            || "any".to_owned(),
            |versions| format!("{} and later, below {}", versions.from, versions.below),
        );
        vec![brand.name, versions]
    });
    Sheet::new("Versions that a brand supports (runtime-version)", &["brand", "versions"], rows)
}
