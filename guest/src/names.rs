//! Names as they compare: two spellings that a person, or a folding file system, takes for one are one.

use crate::normal::nfc;

/// The name in composed form (NFC) and without case.
///
/// ```
/// use winter_policy::names::fold;
/// assert_eq!(fold("Re\u{301}sume\u{301}"), fold("résumé"));
/// assert_eq!(fold("STRASSE"), "strasse");
/// ```
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    nfc(nfc(name.chars()).flat_map(char::to_lowercase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn folding_twice_is_folding_once(name in ".{0,12}") {
            prop_assert_eq!(fold(&fold(&name)), fold(&name));
        }
    }
}
