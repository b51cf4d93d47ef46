//! Containment: a floor under the tools of a session whose calls the host may gate.
//!
//! [`decide`] refuses a call whose arguments name a protected target, however they spell it; [`approve`] never lets a call
//! pass because nobody answered. It is a floor and no sandbox: a program that a command starts can compute any path, and
//! what a session does after a call was let through is not looked at (a sweep afterwards is left for later).

mod fields;
mod hook;
mod pattern;
mod shell;
mod spelling;
mod targets;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::explain::Sheet;
use fields::{Field, Kind};
pub use hook::hook_call;
use pattern::{Guarded, Pattern, Reach, absolute, fold, literal};
use shell::Names;
use spelling::{folded, names, readings, unquoted};
pub use targets::{Access, At, Places, Row, TARGETS, Target, targets};

/// The most bytes of arguments that are looked at; a call with more is refused.
pub const MAX_INPUT: usize = 16 << 20;

/// The most bytes that are looked at as the text of a command.
const MAX_COMMAND: usize = 256 << 10;

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as JSON.
    pub input: String,
    /// The folder that relative paths begin at, absolute.
    pub cwd: String,
    /// The person's home folder, which `~` and `$HOME` mean.
    pub user_home: Option<String>,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refused {
    /// The id of the target's row, or `unreadable-call`.
    pub id: String,
    /// The same for the model and the person.
    pub reason: String,
}

/// A target, prepared.
struct Aim<'a> {
    target: &'a Target,
    /// Its path, folded.
    path: String,
    inside: String,
}

/// Why a call may not be made; none when nothing protected is named.
///
/// Every text of its arguments is looked at, keys too, as what `winter explain containment` says of its field: without
/// regard to case, to quotes and escapes, to the spelling of letters (NFKC), to `.`, `..` and `//`, to `~`, `$HOME`,
/// `file://` and `%2e`, with wildcards, braces and variables. A value that nobody knows before the call counts where the
/// words beside it lead up to something protected or say a piece of its name. A folder above counts where the tool, or
/// the command, goes through all that lies beneath.
///
/// ```
/// use winter_policy::containment::{Call, Places, decide, targets};
/// let targets = targets(&Places { home: vec!["/home/me/.winter".into()], ..Places::default() });
/// let call = |command: &str| Call {
///     tool: "Bash".into(),
///     input: format!("{{\"command\": \"{command}\"}}"),
///     cwd: "/src".into(),
///     user_home: Some("/home/me".into()),
/// };
/// assert!(decide(&call("cat ~/'.win'ter/x"), &targets).is_some());
/// assert!(decide(&call("X=.win; rm -r ~/${X}ter"), &targets).is_some());
/// assert!(decide(&call("cat ~/.winter2"), &targets).is_none());
/// ```
pub fn decide(call: &Call, targets: &[Target]) -> Option<Refused> {
    let unreadable = |why: &str| {
        let reason = format!("the call of {} {why}, so nobody can tell what it names", call.tool);
        Some(Refused { id: "unreadable-call".to_owned(), reason })
    };
    if call.input.len() > MAX_INPUT {
        return unreadable(&format!("holds more than {MAX_INPUT} bytes of arguments"));
    }
    if !call.cwd.starts_with('/') {
        return unreadable("has a working folder that is not absolute");
    }
    let mut fields = match fields::read(&call.tool, &call.input) {
        Ok(fields) => fields,
        Err(why) => return unreadable(why),
    };
    let access = fields::access(&call.tool);
    if access == Access::Read && !fields.iter().any(|field| field.name == "path") && call.tool == "Grep" {
        fields.push(Field { text: ".".to_owned(), kind: Kind::Path, name: "path".to_owned() });
    }
    let aims: Vec<Aim<'_>> = targets
        .iter()
        .map(|target| Aim { target, path: plain(&target.path), inside: folded(&target.inside) })
        .collect();
    let kept: Vec<&Aim<'_>> = aims.iter().filter(|aim| aim.target.access.meets(access)).collect();
    // What is only written down is neither read nor written where it points to.
    let secret: Vec<&Aim<'_>> = aims.iter().filter(|aim| aim.target.access.meets(Access::Read)).collect();
    let look = Look::new(call, kept, secret, &fields);
    for field in &fields {
        for text in readings(&field.text) {
            match look.at(field, &text) {
                Ok(None) => {}
                Ok(Some((target, reach))) => return Some(refusal(target, reach)),
                Err(shell::TooMuch) => return unreadable("holds a command with too many parts"),
            }
        }
    }
    None
}

fn refusal(target: &Target, reach: Reach) -> Refused {
    let Target { id, path, inside, why, .. } = target;
    let path = if inside.is_empty() { path.clone() } else { format!("{path}/*/{inside}") };
    let reason = match reach {
        Reach::Named => format!("{path} is protected: {why}"),
        Reach::Computed => {
            format!("the call computes a path that may be {path}, which is protected: {why}; spell the path out")
        }
        Reach::Above => {
            format!(
                "the call goes through a folder that holds {path}, which is protected: {why}; name a folder beside it"
            )
        }
    };
    Refused { id: id.clone(), reason }
}

/// Folded, absolute, without `.` and `..`.
fn plain(path: &str) -> String {
    let pattern = absolute(&literal(&folded(path)), &literal("/"));
    let letters =
        pattern.iter().filter_map(|bit| if let pattern::Bit::Is(letter) = bit { Some(*letter) } else { None });
    letters.collect()
}

/// All that is the same for each text of a call.
struct Look<'a> {
    kept: Vec<&'a Aim<'a>>,
    secret: Vec<&'a Aim<'a>>,
    guarded: Vec<Guarded>,
    /// Where what is relative may begin.
    bases: Vec<Pattern>,
    cwd: String,
    home: Option<String>,
    shallow: bool,
}

impl<'a> Look<'a> {
    fn new(call: &Call, kept: Vec<&'a Aim<'a>>, secret: Vec<&'a Aim<'a>>, fields: &[Field]) -> Self {
        let home = call.user_home.as_deref().filter(|home| home.starts_with('/')).map(plain);
        let guarded = kept.iter().map(|aim| Guarded::of(&aim.path, &aim.inside, home.as_deref())).collect();
        let bases = vec![literal(&plain(&call.cwd))];
        let shallow = fields::is_shallow(&call.tool);
        let mut look = Self { kept, secret, guarded, bases, cwd: call.cwd.clone(), home, shallow };
        // A path may be given in pieces, a folder in one field and a name in another.
        for _ in 0..4 {
            let paths = fields.iter().filter(|field| matches!(field.kind, Kind::Path | Kind::Unknown));
            let paths = paths.flat_map(|field| readings(&field.text)).flat_map(|text| {
                let steps = text.chars().all(|letter| matches!(letter, '.' | '/'));
                look.paths(&text).into_iter().map(move |path| (path, steps))
            });
            let above = |path: &Pattern| look.guarded.iter().any(|one| one.reached_by(path) == Some(Reach::Above));
            let paths = paths.filter(|(path, steps)| !look.bases.contains(path) && (*steps || above(path)));
            let mut more: Vec<Pattern> = paths.map(|(path, _)| path).collect();
            more.dedup();
            if more.is_empty() || look.bases.len() > 16 {
                break;
            }
            look.bases.extend(more);
        }
        look
    }

    fn names(&self) -> Names {
        Names::new(self.home.as_deref(), &self.cwd)
    }

    fn paths(&self, text: &str) -> Vec<Pattern> {
        let found = self.names().path(text);
        let found = found.iter().map(|pattern| fold(pattern));
        found.flat_map(|pattern| self.bases.iter().map(|base| absolute(&pattern, base)).collect::<Vec<_>>()).collect()
    }

    /// What a text reaches.
    fn at(&self, field: &Field, text: &str) -> Result<Option<(&'a Target, Reach)>, shell::TooMuch> {
        if matches!(field.kind, Kind::Path | Kind::Unknown)
            && let Some(found) = self.path(field, text)
        {
            return Ok(Some(found));
        }
        match field.kind {
            Kind::Path => Ok(self.spelt(&self.kept, text)),
            Kind::Prose => Ok(self.spelt(&self.secret, text)),
            Kind::Command | Kind::Unknown => self.command(text, field.kind == Kind::Unknown),
        }
    }

    fn path(&self, field: &Field, text: &str) -> Option<(&'a Target, Reach)> {
        let mut best = None;
        for path in self.paths(text) {
            for (aim, guarded) in self.kept.iter().zip(&self.guarded) {
                let reach = guarded.reached_by(&path);
                // A `/` may be anything to a tool that nobody knows.
                let place = path.len() > 1 || field.kind == Kind::Path || is_place(&field.name);
                let counts = match reach {
                    None => false,
                    Some(Reach::Above) => {
                        !self.shallow && place && (field.kind == Kind::Path || !text.trim().is_empty())
                    }
                    Some(_) => true,
                };
                if let Some(reach) = reach.filter(|_| counts)
                    && best.is_none_or(|(_, before)| reach < before)
                {
                    best = Some((aim.target, reach));
                }
            }
        }
        best
    }

    /// What a text spells out, whatever it is.
    fn spelt(&self, aims: &[&Aim<'a>], text: &str) -> Option<(&'a Target, Reach)> {
        let text = unquoted(text, self.home.as_deref());
        let found = aims.iter().find(|aim| names(&text, &aim.path, &aim.inside));
        found.map(|aim| (aim.target, Reach::Named))
    }

    fn command(&self, text: &str, quoted: bool) -> Result<Option<(&'a Target, Reach)>, shell::TooMuch> {
        if text.len() > MAX_COMMAND {
            // What holds data holds no command.
            let data = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "+/=_-".contains(letter));
            return if data { Ok(self.spelt(&self.kept, text)) } else { Err(shell::TooMuch) };
        }
        let read = shell::read(text, quoted)?;
        let mut known = self.names();
        read.note(&mut known);
        if let Some((at, reach)) = read.reached(&self.bases, &known, &self.guarded)? {
            return Ok(self.kept.get(at).map(|aim| (aim.target, reach)));
        }
        // What is only written to a file is a text; the rest is looked at once more, as it is spelt.
        let mut rest = text.to_owned();
        for prose in &read.prose {
            if let Some(found) = self.spelt(&self.secret, prose) {
                return Ok(Some(found));
            }
            rest = rest.replacen(prose.as_str(), "\n", usize::from(!prose.is_empty()));
        }
        Ok(self.spelt(&self.kept, &rest))
    }
}

/// Whether a field's name says that it is a place.
fn is_place(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["path", "dir", "folder", "root", "cwd", "file", "location"].iter().any(|word| name.contains(word))
}

/// What a broker of approvals said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broker {
    /// There is none.
    Absent,
    /// It did not answer in time.
    TimedOut,
    /// Its answer cannot be read.
    Malformed,
    /// It allows the call.
    Allows,
    /// It denies the call.
    Denies,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// It may be made.
    Allow,
    /// It names something protected.
    DenyProtected,
    /// The broker denied it.
    DenyByBroker,
    /// Nobody was there to allow it.
    DenyUnanswered,
}

/// What becomes of a call that needs an approval: without an answer it is denied, and no answer lifts a protection.
pub fn approve(protected: bool, broker: Broker) -> Approval {
    match (protected, broker) {
        (true, _) => Approval::DenyProtected,
        (false, Broker::Allows) => Approval::Allow,
        (false, Broker::Denies) => Approval::DenyByBroker,
        (false, Broker::Absent | Broker::TimedOut | Broker::Malformed) => Approval::DenyUnanswered,
    }
}

/// The tables of this area, for `explain`.
pub(crate) fn sheets() -> Vec<Sheet> {
    let mut sheets = vec![targets::sheet(), fields::sheet()];
    sheets.extend(shell::sheets());
    sheets
}
