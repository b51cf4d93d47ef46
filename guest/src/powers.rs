//! Powers: what a repository's configuration would make happen, and the one place that says whether it may.
//!
//! What acts in a settings file stands in the key table of `settings::keys`, under the rows `acts-*`;
//! what acts elsewhere, in [`CARRIERS`]. Both ask [`may_act`].

use serde::Serialize;

use crate::tier::{Powers, Tier, Tiers};

/// What kind of thing would happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    /// A program runs.
    Command,
    /// A connection is opened.
    Network,
    /// A credential is read, moved or hidden.
    Credential,
    /// Something is allowed without asking.
    Permission,
    /// The model is told something in a voice that is not the repository's.
    Instruction,
    /// The person loses something they have.
    DataLoss,
}

impl Power {
    /// The reason under which it is taken away, e.g. `acts-command`.
    ///
    /// ```
    /// assert_eq!(winter_policy::powers::Power::Command.id(), "acts-command");
    /// ```
    pub fn id(self) -> &'static str {
        match self {
            Self::Command => "acts-command",
            Self::Network => "acts-network",
            Self::Credential => "acts-credential",
            Self::Permission => "acts-permission",
            Self::Instruction => "acts-instruction",
            Self::DataLoss => "acts-data-loss",
        }
    }
}

/// The kinds of item, beside settings, that a config folder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    /// `agents/**/*.md`
    Agent,
    /// `skills/<name>/SKILL.md`
    Skill,
    /// `commands/**/*.md`
    Command,
    /// `output-styles/*.md`
    OutputStyle,
    /// `rules/**/*.md`
    Rule,
}

impl ItemKind {
    /// The folder that holds items of this kind.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Agent => "agents",
            Self::Skill => "skills",
            Self::Command => "commands",
            Self::OutputStyle => "output-styles",
            Self::Rule => "rules",
        }
    }
}

/// Where a power stands, outside settings files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key of the frontmatter.
    Key(&'static str),
    /// `` !`command` `` or a fenced block marked `!` in the text.
    InlineShell,
    /// `@path` in the text: the file is read and put in its place.
    FileReference,
    /// A `.claude-plugin` folder inside a skill.
    PluginManifest,
    /// A server of a `.mcp.json` that is started.
    ServerCommand,
    /// A server of a `.mcp.json` that is connected to.
    ServerUrl,
}

/// One carrier of a power.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    /// Where it stands.
    pub place: Place,
    /// In which items; empty: not in an item.
    pub kinds: &'static [ItemKind],
    /// What it would do.
    pub power: Power,
    /// Why it is one, in one sentence.
    pub why: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

use ItemKind::{Agent, Command, Skill};

const MEASURED: &str = "Claude Code 2.1.250, measured";
const READ: &str = "Claude Code 2.1.250, its strings";

/// Every carrier outside settings files.
#[rustfmt::skip]
pub static CARRIERS: &[Carrier] = &[
    Carrier { place: Place::Key("hooks"), kinds: &[Agent, Skill, Command], power: Power::Command, why: "its hooks run programs while the item is in use", source: MEASURED },
    Carrier { place: Place::Key("mcpServers"), kinds: &[Agent], power: Power::Command, why: "its servers are started with the agent", source: MEASURED },
    Carrier { place: Place::Key("shell"), kinds: &[Skill, Command], power: Power::Command, why: "it chooses the program that runs inline commands", source: "Claude Code, skills documentation" },
    Carrier { place: Place::Key("permissionMode"), kinds: &[Agent], power: Power::Permission, why: "the agent works under a mode of the repository's choice", source: MEASURED },
    Carrier { place: Place::Key("tools"), kinds: &[Skill, Command], power: Power::Permission, why: "it grants tools for the turn", source: MEASURED },
    Carrier { place: Place::Key("allowed-tools"), kinds: &[Skill, Command], power: Power::Permission, why: "it grants tools for the turn", source: MEASURED },
    Carrier { place: Place::Key("skills"), kinds: &[Agent], power: Power::Instruction, why: "it loads skills into the agent without asking", source: MEASURED },
    Carrier { place: Place::Key("initialPrompt"), kinds: &[Agent], power: Power::Instruction, why: "it speaks in the person's place", source: "Claude Code changes 2.1.218" },
    Carrier { place: Place::Key("agent"), kinds: &[Skill, Command], power: Power::Instruction, why: "it hands the work to an agent of its choice", source: "Claude Code, skills documentation" },
    Carrier { place: Place::Key("context"), kinds: &[Skill, Command], power: Power::Instruction, why: "it runs in a context of its own, out of sight", source: "Claude Code, skills documentation" },
    Carrier { place: Place::Key("memory"), kinds: &[Agent], power: Power::Instruction, why: "it keeps a memory that outlives the run", source: "Claude Code, agents documentation" },
    Carrier { place: Place::Key("background"), kinds: &[Agent], power: Power::Instruction, why: "it works out of sight", source: "Claude Code, agents documentation" },
    Carrier { place: Place::Key("isolation"), kinds: &[Agent], power: Power::Command, why: "a worktree is made for it, which runs git", source: "Claude Code, agents documentation" },
    Carrier { place: Place::Key("observer"), kinds: &[Agent], power: Power::Instruction, why: "another agent is started to watch each of its runs", source: READ },
    Carrier { place: Place::Key("observerMessage"), kinds: &[Agent], power: Power::Instruction, why: "it is told to the agent that watches", source: READ },
    Carrier { place: Place::Key("observeSubagents"), kinds: &[Agent], power: Power::Instruction, why: "it hides the agent's own agents from the one that watches", source: READ },
    Carrier { place: Place::Key("background"), kinds: &[Skill, Command], power: Power::Instruction, why: "it works out of sight", source: READ },
    Carrier { place: Place::Key("mcpServers"), kinds: &[Skill, Command], power: Power::Command, why: "a skill that is a plugin starts its servers", source: READ },
    Carrier { place: Place::Key("lspServers"), kinds: &[Skill, Command], power: Power::Command, why: "a skill that is a plugin starts its servers", source: READ },
    Carrier { place: Place::Key("monitors"), kinds: &[Skill, Command], power: Power::Command, why: "a skill that is a plugin runs them all the time", source: READ },
    Carrier { place: Place::Key("workflows"), kinds: &[Skill, Command], power: Power::Command, why: "a skill that is a plugin brings programs", source: READ },
    Carrier { place: Place::Key("dependencies"), kinds: &[Skill, Command], power: Power::Command, why: "a skill that is a plugin asks for others", source: READ },
    Carrier { place: Place::Key("channels"), kinds: &[Skill, Command], power: Power::Network, why: "a skill that is a plugin takes messages in", source: READ },
    Carrier { place: Place::Key("settings"), kinds: &[Skill, Command], power: Power::Permission, why: "a skill that is a plugin brings settings", source: READ },
    Carrier { place: Place::Key("agents"), kinds: &[Skill, Command], power: Power::Instruction, why: "a skill that is a plugin brings agents", source: READ },
    Carrier { place: Place::Key("commands"), kinds: &[Skill, Command], power: Power::Instruction, why: "a skill that is a plugin brings commands", source: READ },
    Carrier { place: Place::Key("skills"), kinds: &[Skill, Command], power: Power::Instruction, why: "a skill that is a plugin brings skills", source: READ },
    Carrier { place: Place::Key("outputStyles"), kinds: &[Skill, Command], power: Power::Instruction, why: "a skill that is a plugin brings output styles", source: READ },
    Carrier { place: Place::InlineShell, kinds: &[Skill, Command], power: Power::Command, why: "the command runs when the text is read", source: MEASURED },
    Carrier { place: Place::FileReference, kinds: &[Skill, Command], power: Power::Instruction, why: "the file is read and sent to the model when the text is read", source: MEASURED },
    Carrier { place: Place::PluginManifest, kinds: &[Skill], power: Power::Command, why: "a skill with a plugin manifest runs hooks and starts servers with no trust asked; never carried", source: MEASURED },
    Carrier { place: Place::ServerCommand, kinds: &[], power: Power::Command, why: "the program is started with the session", source: "CVE-2025-59536; Claude Code 2.1.250, measured" },
    Carrier { place: Place::ServerUrl, kinds: &[], power: Power::Network, why: "it is connected to with the session", source: "CVE-2025-59536; Claude Code 2.1.250, measured" },
];

/// What `place` would do in an item of `kind` (none: outside an item); none when it does not act.
///
/// ```
/// use winter_policy::powers::{carried, ItemKind, Place, Power};
/// assert_eq!(carried(Place::Key("hooks"), Some(ItemKind::Agent)).unwrap().power, Power::Command);
/// assert!(carried(Place::Key("description"), Some(ItemKind::Agent)).is_none());
/// ```
pub fn carried(place: Place, kind: Option<ItemKind>) -> Option<&'static Carrier> {
    CARRIERS
        .iter()
        .find(|row| row.place == place && kind.map_or(row.kinds.is_empty(), |kind| row.kinds.contains(&kind)))
}

/// Whether what acts in a file of this tier may act: always in a person's own, in a repository's only where the host
/// lets the trusted root decide.
///
/// ```
/// use winter_policy::{powers::may_act, tier::{Powers, Tier}};
/// assert!(may_act(Tier::User, false, Powers::Drop) && may_act(Tier::Project, false, Powers::Keep));
/// assert!(!may_act(Tier::Project, false, Powers::Drop) && !may_act(Tier::Local, true, Powers::Drop));
/// ```
pub fn may_act(tier: Tier, shipped: bool, powers: Powers) -> bool {
    powers == Powers::Keep || !Tiers::Untrusted.hold(tier, shipped)
}
