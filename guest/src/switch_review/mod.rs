//! Switch review: what a change of the model would lose, asked while the session may be live.
//!
//! It is read-only by construction: it knows no port that writes, and no port that reads a file either. A host hands in
//! the end of a transcript; the answer is a [`Review`], or the range that must stand before what was handed in. What is
//! asked for depends on the file and the budget alone: its last 256 KiB (or a sixteenth of a small budget), then four times
//! as much as before, up to the budget. So a transcript of any size costs no more than its budget, and however the bytes
//! were cut, the answer is the same.
//!
//! Nothing is kept between two calls but the bytes themselves; a fresh instance can answer each.
//!
//! ```
//! use winter_policy::switch_review::*;
//!
//! let endpoint = |provider: &str, model: &str, family: &str| Endpoint {
//!     provider: provider.into(), model: model.into(), family: family.into(), protocol: "messages".into(),
//!     readable_reasoning: ReadableReasoning::Summary, opaque_states: vec![family.into()], modalities: vec![],
//!     server_tools: vec![], context_window: Some(200_000),
//! };
//! let catalog = [endpoint("anthropic", "claude-opus-5", "claude"), endpoint("zai", "glm-5", "glm")];
//! let mut directory = MemoryDirectory::default();
//! let origin = Origin::from_tag("anthropic/claude-opus-5").unwrap();
//! directory.list("s1", PersistedSelection { origin, ..PersistedSelection::default() });
//!
//! let transcript = br#"{"type":"user","uuid":"u","parentUuid":null,"message":{"content":"Hello?"}}
//! {"type":"assistant","uuid":"a","parentUuid":"u","message":{"id":"m","model":"claude-opus-5","content":[
//! {"type":"thinking","thinking":"Hm.","signature":"c2lnbmVk"},{"type":"text","text":"Hello."}]}}"#;
//! let transcript = String::from_utf8_lossy(transcript).replace("[\n", "[");
//!
//! let mut reading = Reading { session: "s1", file_length: transcript.len() as u64, ..Reading::default() };
//! let target = Origin::from_tag("zai/glm-5").unwrap();
//! let review = loop {
//!     match review(&reading, &target, Compaction::Refused, &directory, &catalog[..]).unwrap() {
//!         Step::Answer(review) => break review,
//!         Step::Need(range) => reading.tail = &transcript.as_bytes()[range.offset as usize..],
//!     }
//! };
//! assert_eq!(review.severity, Some(Severity::Lossy));
//! assert_eq!(review.losses[0].kind, LossKind::ReasoningOpaque);
//! ```

mod answer;
mod content;
mod endpoint;
mod entries;
mod identity;
mod json;
mod lineage;
mod lines;
mod losses;
mod oddity;
mod reasons;
mod sidecar;
mod summary;
#[cfg(test)]
mod tests;

pub use answer::{
    Carried, Extent, Range, Review, Step, Tip, TipEntry, TipReason, TipReasonKind, TipReport, TokenCount,
};
pub use endpoint::{
    Directory, Endpoint, EndpointResolver, MemoryDirectory, Origin, PersistedSelection, ReadableReasoning,
    family_by_shape,
};
pub use identity::{Identity, IdentitySource, Standing};
pub use losses::{LOSSES, Loss, LossKind, LossRule, Severity};
pub use oddity::{Oddity, OddityKind};
pub use summary::{summary, tip_summary};

use crate::explain::Sheet;
use crate::report::{Refusal, RefusalKind};
use content::{Contents, What};
use entries::Entries;
use identity::Identifier;
use lineage::Lineage;
use losses::Case;
use oddity::Oddities;
use sidecar::Sidecar;

/// How many bytes are read from the end of a transcript where nobody says how many: what comes after a compaction is
/// mostly far less, and looking through them all takes a small part of a tenth of a second.
pub const DEFAULT_BUDGET: u64 = 4 << 20;

/// What is asked for first, unless a sixteenth of the budget is less; then four times as much, and so on.
const FIRST_WINDOW: u64 = 256 << 10;
const GROWTH: u64 = 4;
/// What a token holds, on average, in the languages and tokenizers of today; nobody's limit is exact.
const CHARACTERS_A_TOKEN: u64 = 4;
/// What an image or a page costs, on average.
const TOKENS_A_MEDIUM: u64 = 1500;

/// A transcript, as far as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The session, by the name under which the directory lists it.
    pub session: &'a str,
    /// Bytes of the transcript, when the first of these calls was made; what is appended later is another review's.
    pub file_length: u64,
    /// The end of those bytes, as much as was read so far; empty at first.
    pub tail: &'a [u8],
    /// The session's provider-state file; empty where there is none. More than the budget's last bytes are not read.
    pub sidecar: &'a [u8],
    /// How many bytes are read at most, of either file.
    pub budget: u64,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self { session: "", file_length: 0, tail: &[], sidecar: &[], budget: DEFAULT_BUDGET }
    }
}

/// Whether the host would compact a context that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// It would.
    Allowed,
    /// What does not fit blocks the switch.
    Refused,
}

/// Why there is no review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SwitchReviewError {
    /// No record is not nothing to lose.
    #[error("session `{session}` is not in the runtime directory")]
    NotListed {
        /// As it was asked for.
        session: String,
    },
    /// Nothing can be said of what it would lose.
    #[error("`{model}` names no endpoint of the catalog, or more than one")]
    UnknownTarget {
        /// As it was asked for.
        model: String,
    },
    /// The bytes cannot be the end of that file.
    #[error("{tail} bytes were handed in as the end of a file of {file_length}")]
    TailTooLong {
        /// Bytes handed in.
        tail: u64,
        /// Bytes of the file.
        file_length: u64,
    },
}

impl SwitchReviewError {
    /// For a program.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotListed { .. } => "not-in-runtime-directory",
            Self::UnknownTarget { .. } => "unknown-target",
            Self::TailTooLong { .. } => "tail-too-long",
        }
    }
}

impl From<SwitchReviewError> for Refusal {
    fn from(error: SwitchReviewError) -> Self {
        let help = match &error {
            SwitchReviewError::NotListed { .. } => "list the session in the directory, and ask again",
            SwitchReviewError::UnknownTarget { .. } => "name it as `<provider>/<model>`, as the catalog does",
            SwitchReviewError::TailTooLong { .. } => "hand in the last bytes of the file, and its length",
        };
        let message = error.to_string();
        let (kind, help) = (RefusalKind::BadInput, help.to_owned());
        Self { kind, message, help, source: None, line: None, column: None }
    }
}

/// What a switch to `target` would lose, or the range that is needed to say so.
///
/// The answer is the same however the ranges were read, never says `lossless` on the strength of what was not read, and
/// comes after a handful of calls for any bytes whatever.
///
/// Errors: a session that the directory does not list, a target that the catalog does not know.
pub fn review<D: Directory + ?Sized, E: EndpointResolver + ?Sized>(
    reading: &Reading<'_>,
    target: &Origin,
    compaction: Compaction,
    directory: &D,
    endpoints: &E,
) -> Result<Step<Review>, SwitchReviewError> {
    let session = Session::open(reading, directory)?;
    let Some(target) = endpoints.resolve(target) else {
        return Err(SwitchReviewError::UnknownTarget { model: target.name() });
    };
    let identifier = Identifier { endpoints, persisted: &session.persisted };
    session.ladder(|view, mut oddities, last| {
        let identity = view.identity(&session.sidecar, &identifier);
        let skip = !view.lineage.tip_unread && identity.shares_profile(&target);
        let whole = view.lineage.is_whole();
        if !last && !skip && !whole {
            return None;
        }
        let contents = content::read(&view.entries, &view.lineage, &session.sidecar, &identifier, &mut oddities);
        let carried = carried(&contents);
        let case = Case { contents: &contents, target: &target, tokens: carried.tokens };
        let losses = if skip { Vec::new() } else { losses::losses(&case, compaction == Compaction::Allowed) };
        let truncated = !whole || session.sidecar.cut;
        let least = if truncated { Severity::Lossy } else { Severity::Lossless };
        let worst = losses.iter().map(|loss| loss.severity).max().unwrap_or(least).max(least);
        let mut extent = view.extent;
        extent.reachable = view.reachable(&contents);
        let tip = view.tip(identity);
        let (severity, oddities) = ((!skip).then_some(worst), oddities.list());
        Some(Review { tip, target: target.clone(), skip, severity, losses, truncated, carried, extent, oddities })
    })
}

/// Who spoke last and why that is so, or the range that is needed to say so.
///
/// Errors: a session that the directory does not list.
pub fn tip<D: Directory + ?Sized, E: EndpointResolver + ?Sized>(
    reading: &Reading<'_>,
    directory: &D,
    endpoints: &E,
) -> Result<Step<TipReport>, SwitchReviewError> {
    let session = Session::open(reading, directory)?;
    let identifier = Identifier { endpoints, persisted: &session.persisted };
    session.ladder(|view, oddities, last| {
        let found = last || !view.lineage.tip_unread;
        let tip = || view.tip(view.identity(&session.sidecar, &identifier));
        found.then(|| TipReport { tip: tip(), extent: view.extent, oddities: oddities.list() })
    })
}

/// The tables of this area.
pub fn sheets() -> Vec<Sheet> {
    let oddities =
        OddityKind::ALL.iter().map(|kind| [kind.id(), kind.what(), kind.treatment()].map(str::to_owned).to_vec());
    vec![losses::sheet(), Sheet::new("What a transcript may hold", &["id", "what", "what is done"], oddities)]
}

struct Session<'a> {
    reading: &'a Reading<'a>,
    persisted: PersistedSelection,
    sidecar: Sidecar,
}

/// What stands in one window at the end of the file.
struct View<'t> {
    entries: Entries<'t>,
    lineage: Lineage,
    extent: Extent,
}

impl<'a> Session<'a> {
    fn open<D: Directory + ?Sized>(reading: &'a Reading<'a>, directory: &D) -> Result<Self, SwitchReviewError> {
        let (tail, file_length) = (reading.tail.len() as u64, reading.file_length);
        if tail > file_length {
            return Err(SwitchReviewError::TailTooLong { tail, file_length });
        }
        let Some(persisted) = directory.selection(reading.session) else {
            return Err(SwitchReviewError::NotListed { session: reading.session.to_owned() });
        };
        let budget = usize::try_from(reading.budget).unwrap_or(usize::MAX);
        Ok(Self { reading, persisted, sidecar: Sidecar::read(reading.sidecar, budget) })
    }

    /// Tries one window after the other until one is enough; the last one must be.
    fn ladder<T>(
        &self,
        mut attempt: impl FnMut(&View<'_>, Oddities, bool) -> Option<T>,
    ) -> Result<Step<T>, SwitchReviewError> {
        let Reading { file_length, tail, budget, .. } = *self.reading;
        let most = budget.min(file_length);
        let mut window = FIRST_WINDOW.min(budget / (GROWTH * GROWTH)).max(1).min(most);
        loop {
            let offset = file_length - window;
            // It is no longer than the tail, which fits in memory.
            let Some(start) = usize::try_from(window).ok().and_then(|window| tail.len().checked_sub(window)) else {
                return Ok(Step::Need(Range { offset, length: window - tail.len() as u64 }));
            };
            let mut oddities = Oddities::default();
            let texts = lines::split(&tail[start..], offset, &mut oddities);
            let view = View::new(&texts, offset, file_length, &mut oddities);
            if let Some(answer) = attempt(&view, oddities, window == most) {
                return Ok(Step::Answer(answer));
            }
            window = window.saturating_mul(GROWTH).min(most);
        }
    }
}

impl<'t> View<'t> {
    fn new(texts: &'t [lines::Text<'_>], offset: u64, file_length: u64, oddities: &mut Oddities) -> Self {
        let entries = Entries::read(texts, oddities);
        let lineage = lineage::walk(&entries, offset == 0, oddities);
        let own = |at: &usize| !entries.rows[*at].sidechain;
        let reachable = lineage.path.iter().copied().filter(own).count() as u64;
        let all = (0..entries.rows.len()).filter(own).count() as u64;
        let extent = Extent { file_length, read: file_length - offset, entries: all, reachable };
        Self { entries, lineage, extent }
    }

    fn identity<E: EndpointResolver + ?Sized>(&self, sidecar: &Sidecar, identifier: &Identifier<'_, E>) -> Identity {
        let Some(tip) = self.lineage.tip else { return identifier.of_session() };
        match (content::stamp(&self.entries, tip, sidecar), &self.entries.rows[tip].model) {
            (Some(origin), _) => identifier.of_record(origin),
            (None, Some(model)) => identifier.of_entry(model),
            (None, None) => identifier.of_session(),
        }
    }

    /// What the lineage reaches, with what hangs off it side by side.
    fn reachable(&self, contents: &Contents) -> u64 {
        let mut rows = self.lineage.path.clone();
        rows.extend(&contents.rows);
        crate::order::sort(&mut rows);
        rows.dedup();
        rows.into_iter().filter(|&at| !self.entries.rows[at].sidechain).count() as u64
    }

    fn tip(&self, identity: Identity) -> Tip {
        let entry = self.lineage.tip.map(|at| {
            let row = &self.entries.rows[at];
            let model = row.model.as_deref().map(str::to_owned);
            TipEntry { uuid: row.uuid.to_string(), offset: row.offset, model }
        });
        let reasons = reasons::reasons(&self.entries, &self.lineage, &identity);
        Tip { entry, identity, reasons, truncated: self.lineage.tip_unread }
    }
}

fn carried(contents: &Contents) -> Carried {
    let media = contents.pieces.iter().filter(|piece| matches!(piece.what, What::Media(_))).count() as u64;
    let (counted, tokens) = match contents.usage {
        Some(usage) => (TokenCount::Usage, usage.saturating_add(contents.characters_after_tip / CHARACTERS_A_TOKEN)),
        None => (TokenCount::Estimate, contents.characters.div_ceil(CHARACTERS_A_TOKEN) + media * TOKENS_A_MEDIUM),
    };
    Carried { messages: contents.messages, characters: contents.characters, tokens, counted }
}
