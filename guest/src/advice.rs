//! How grave each reason of a report is, and what the person could do: one row a reason, for whatever prints reports.

use serde::Serialize;

use crate::explain::Sheet;

/// How grave it is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It would have acted, or loosened what protects the person.
    Danger,
    /// Something that the person may want is not there.
    Loss,
    /// Something that is no repository's to choose was left as it is.
    Choice,
    /// Nothing is lost.
    Remark,
}

impl Severity {
    /// As the table prints it.
    ///
    /// ```
    /// assert_eq!(winter_policy::advice::Severity::Danger.name(), "danger");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Danger => "danger",
            Self::Loss => "loss",
            Self::Choice => "choice",
            Self::Remark => "remark",
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// The reason, as reports give it.
    pub reason: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What the person could do, in one sentence.
    pub remedy: &'static str,
}

use Severity::{Choice, Danger, Loss, Remark};

const KEEP: &str =
    "read it; if you want it, write it into your own settings, or pass --powers keep to let this repository act";

macro_rules! advice {
    ($($severity:ident: $($reason:literal => $remedy:expr;)*)*) => {
        /// Every reason, the gravest first.
        pub static ADVICE: &[Advice] = &[$($(Advice { reason: $reason, severity: $severity, remedy: $remedy },)*)*];
    };
}

advice! {
    Danger:
        "acts-command" => KEEP;
        "acts-network" => KEEP;
        "acts-credential" => KEEP;
        "acts-permission" => KEEP;
        "acts-instruction" => KEEP;
        "acts-data-loss" => KEEP;
        "acts" => KEEP;
        "escalating-mode" => "choose the mode yourself when you start the session, if you want it";
        "execution-env" => "set the variable yourself where you start the session, if you want it";
        "endpoint-env" => "set the variable yourself where you start the session, if you trust where it leads";
        "no-name-env" => "mend the name";
        "router-owned-env" => "nothing: the session is given this variable as it needs it";
        "repository-moves-home" => "write it into your own settings, if you want it";
        "scope-lifted" => "write it into your own settings, if you want it";
        "reads-environment" => "write the server into your own configuration with the values that it needs";
        "widening-anchor" => "name the folder without `?` and `*`, or write a rule of your own";
        "loosens-user" => "loosen your own settings, if you want that";
        "unclassified" => "write it into your own settings, if you know what it does";
        "repository-env" => "write the variable into your own settings, if you want it";
        "outside-root" => "move what it names into the project";
        "silent-model-switch" => "choose the model yourself when you start the session";
    Loss:
        "unusable" => "mend the file";
        "skipped-agent" => "mend the header: `name` and `description` between two lines of `---`";
        "unusable-style" => "mend the header of the style";
        "style-collision" => "rename the project's style";
        "collision" => "rename the one or the other";
        "too-large" => "shorten it, or raise the bound with --bound";
        "too-many" => "raise the bound with --bound";
        "changed" => "build again";
        "unreadable" => "see to its permissions";
        "not-regular" => "put a regular file or folder there";
        "not-utf8" => "save it as UTF-8";
        "not-read" => "move or rename it, if the runtime should read it";
        "not-carried" => "nothing: a run home has no place for it";
        "nested-not-carried" => "start the session in that folder, or move it up";
        "paths-outside-cwd" => "start the session higher up, if the rule should apply";
        "paths-never-match" => "mend the pattern: relative, without `..` and a leading `./`";
        "not-granted" => "grant the folder with --grant-read";
        "dangling" => "mend the link, or remove it";
        "loop" => "mend the link";
        "cycle" => "take one of the imports out";
        "too-deep" => "import it from a file higher up, or raise the bound with --bound import-depth=N";
        "disabled" => "nothing: you switched it off";
        "reserved-name" => "rename the server";
        "invalid" => "mend the entry: a command, or a type and a URL";
        "duplicate-normalised" => "rename one of the two";
        "ambiguous-name" => "rename the server without `__` and without a `_` at its end";
        "overridden" => "nothing: a later scope has a server of this name";
        "inexpressible" => "name the path without `* ? [ ]`";
        "breaks-rules" => "mend the pattern: each `[` needs its `]`";
        "wrong-type" => "mend the value";
        "removed-member" => "write the server into your own configuration, if it needs the member";
    Choice:
        "repository-chooses-model" => "choose the model yourself, if you want this one";
        "repository-chooses-effort" => "choose the effort yourself, if you want this one";
        "repository-chooses-style" => "choose the style yourself, if you want this one";
        "model-env" => "choose the model yourself, if you want this one";
        "traffic-env" => "nothing: the session is given this variable as it needs it";
        "unsafe-plans-directory" => "name a short folder inside the project";
        "dispatch-child" => "nothing: a dispatch child has no output style";
        "unknown-key" => "nothing, unless it is a key that you need: say so to winter's developers";
        "forced" => "nothing: a project's style never replaces the coding instructions";
    Remark:
        "duplicate-key" => "take one of the two out";
        "shipped-local" => "nothing: it was read as the repository's";
        "no-shared-home" => "nothing: it comes into being with your first settings";
        "home-is-project" => "nothing: your own files were read once, as yours";
        "literal-reference" => "write the value out";
        "untrusted" => "name a project below your home folder";
        "not-in-sandbox" => "name the path in the sandbox's own list, if a command must not reach it either";
        "inert-rule" => "mend the rule";
        "invisible-characters" => "look at the text with an editor that shows them before you trust it";
        "unconditional-rule" => "give the rule `paths:`, if it should not always be in context";
        "external-user-link" => "nothing, where it was granted; else grant the folder with --grant-read, so that names can be compared with what is there";
}

/// The row of a reason.
///
/// ```
/// use winter_policy::advice::{Severity, advice};
/// assert_eq!(advice("acts-command").unwrap().severity, Severity::Danger);
/// assert!(advice("no such reason").is_none());
/// ```
pub fn advice(reason: &str) -> Option<&'static Advice> {
    ADVICE.iter().find(|row| row.reason == reason)
}

/// The table.
pub(crate) fn sheet() -> Sheet {
    let rows = ADVICE.iter().map(|row| [row.reason, row.severity.name(), row.remedy].map(str::to_owned).to_vec());
    Sheet::new("Reasons, and what you could do", &["reason", "severity", "what you could do"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::Reason;
    use crate::report::{ImportFault, LinkFault, NoticeKind, SkipReason};
    use crate::testing::test;
    use crate::{environment, mcp, powers, settings};

    #[test]
    fn a_reason_has_one_row() {
        let mut reasons: Vec<&str> = ADVICE.iter().map(|row| row.reason).collect();
        reasons.sort_unstable();
        assert!(reasons.windows(2).all(|pair| pair[0] != pair[1]), "{reasons:?}");
    }

    #[test]
    fn every_reason_of_a_report_has_advice() {
        let name = |value: serde_json::Value| value.as_str().unwrap().to_owned();
        let mut reasons: Vec<String> = Vec::new();
        reasons.extend(settings::rules::RULES.iter().map(|rule| rule.id.to_owned()));
        reasons.extend(environment::CLASSES.iter().map(|class| class.id.to_owned()));
        reasons.extend(mcp::REASONS.iter().map(|row| row.id.to_owned()));
        reasons.extend(powers::CARRIERS.iter().map(|row| row.power.id().to_owned()));
        for reason in [
            Reason::ChoosesModel,
            Reason::ChoosesEffort,
            Reason::UnknownKey,
            Reason::WrongType,
            Reason::Forced,
            Reason::DuplicateKey,
            Reason::PathsOutsideCwd,
            Reason::PathsNeverMatch,
        ] {
            reasons.push(reason.id().to_owned());
        }
        for reason in [
            SkipReason::Unusable,
            SkipReason::NotRegular,
            SkipReason::TooLarge,
            SkipReason::Changed,
            SkipReason::Unreadable,
            SkipReason::NotRead,
            SkipReason::NotCarried,
            SkipReason::NotUtf8,
            SkipReason::TooMany,
            SkipReason::Collision,
            SkipReason::NestedNotCarried,
            SkipReason::PathsOutsideCwd,
            SkipReason::NotGranted,
        ] {
            reasons.push(name(serde_json::to_value(reason).unwrap()));
        }
        for fault in [LinkFault::OutsideRoot, LinkFault::Dangling, LinkFault::Loop] {
            reasons.push(name(serde_json::to_value(fault).unwrap()));
        }
        for fault in [
            ImportFault::OutsideRoot,
            ImportFault::NotGranted,
            ImportFault::Cycle,
            ImportFault::TooDeep,
            ImportFault::TooMany,
            ImportFault::Unreadable,
        ] {
            reasons.push(name(serde_json::to_value(fault).unwrap()));
        }
        for kind in [
            NoticeKind::DuplicateKey,
            NoticeKind::ShippedLocal,
            NoticeKind::NoSharedHome,
            NoticeKind::HomeIsProject,
            NoticeKind::LiteralReference,
            NoticeKind::Untrusted,
            NoticeKind::NotInSandbox,
            NoticeKind::InvisibleCharacters,
            NoticeKind::InertRule,
        ] {
            reasons.push(name(serde_json::to_value(kind).unwrap()));
        }
        for reason in reasons {
            assert!(advice(&reason).is_some(), "{reason}");
        }
    }
}
