//! The part of the border that only the world `runtime` has: the host's capabilities as ports, and the run home.

use std::rc::Rc;

use super::bindings::exports::winter::runtime::{run_home as wit, types as wit_types};
use super::bindings::winter::host::{clock, files, git_index};
use super::{Component, all, same, same_record};
use crate::{brand, ports, report, run_home};

/// A folder that the host lent for this call, or one that was opened in it.
#[derive(Clone)]
pub(super) enum Handle<'a> {
    Lent(&'a files::Folder),
    Opened(Rc<files::Folder>),
}

impl Handle<'_> {
    pub(super) fn get(&self) -> &files::Folder {
        match self {
            Self::Lent(folder) => folder,
            Self::Opened(folder) => folder,
        }
    }
}

impl ports::Folder for Handle<'_> {
    fn path(&self) -> String {
        self.get().path()
    }

    fn stat(&self, name: &str) -> Result<Option<ports::Entry>, ports::FilesError> {
        Ok(self.get().stat(name)?.map(Into::into))
    }

    fn entries(&self, max: u32) -> Result<ports::Listing, ports::FilesError> {
        let listing = self.get().entries(max)?;
        Ok(ports::Listing { entries: all(listing.entries), cut: listing.cut, unnamed: listing.unnamed })
    }

    fn open_folder(&self, name: &str) -> Result<Self, ports::FilesError> {
        Ok(Self::Opened(Rc::new(self.get().open_folder(name)?)))
    }

    fn parent(&self) -> Result<Option<Self>, ports::FilesError> {
        Ok(self.get().parent()?.map(|folder| Self::Opened(Rc::new(folder))))
    }

    fn read(&self, name: &str, admitted: &ports::Identity, limit: u64) -> Result<Vec<u8>, ports::FilesError> {
        Ok(self.get().read(name, (*admitted).into(), limit)?)
    }

    fn read_link(&self, name: &str) -> Result<String, ports::FilesError> {
        Ok(self.get().read_link(name)?)
    }
}

/// The host's git index; its life is that of the handles it is asked with.
struct Git<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> ports::GitIndex for Git<'a> {
    type Folder = Handle<'a>;

    fn probe(&self, top: &Handle<'a>, paths: &[String]) -> Result<Vec<ports::Evidence>, ports::ProbeError> {
        match git_index::probe(top.get(), paths) {
            Ok(evidence) => Ok(all(evidence)),
            Err(git_index::ProbeError::NotARepository) => Err(ports::ProbeError::NotARepository),
            Err(git_index::ProbeError::Unsupported(what)) => Err(ports::ProbeError::Unsupported(what)),
            Err(git_index::ProbeError::TimedOut) => Err(ports::ProbeError::TimedOut),
            Err(git_index::ProbeError::Failed(what)) => Err(ports::ProbeError::Failed(what)),
        }
    }
}

struct HostClock;

impl ports::Clock for HostClock {
    fn now(&self) -> u64 {
        clock::now()
    }
}

impl wit::Guest for Component {
    fn contract_version() -> u32 {
        run_home::CONTRACT_VERSION
    }

    fn persistent_entries() -> Vec<String> {
        run_home::PERSISTENT_ENTRIES.map(str::to_owned).to_vec()
    }

    fn profile_of(brand: wit_types::Brand) -> wit_types::Profile {
        brand::Profile::from(brand).into()
    }

    fn default_bounds() -> wit::Bounds {
        run_home::Bounds::default().into()
    }

    fn sdk_home_of(home: String) -> String {
        run_home::sdk_home_of(&home)
    }

    fn build(input: wit::Input, places: wit::Places<'_>) -> Result<wit::Plan, wit_types::Refusal> {
        let places = run_home::Places {
            shared_home: places.shared_home.map(Handle::Lent),
            cwd: Handle::Lent(places.cwd),
            trusted_root: places.trusted_root.map(Handle::Lent),
            git_top: places.git_top.map(Handle::Lent),
            git_entry: places.git_entry.map(Handle::Lent),
            global_home: places.global_home.map(Handle::Lent),
            links: places.links.map(Handle::Lent),
            granted: places.granted.into_iter().map(|folder| Handle::Opened(Rc::new(folder))).collect(),
        };
        match run_home::build(&input.into(), &places, &Git(std::marker::PhantomData), &HostClock) {
            Ok(plan) => Ok(plan.into()),
            Err(error) => Err(report::Refusal::from(error).into()),
        }
    }
}

impl From<files::FilesError> for ports::FilesError {
    fn from(error: files::FilesError) -> Self {
        match error {
            files::FilesError::BadName => Self::BadName,
            files::FilesError::Denied(grant) => Self::Denied(grant),
            files::FilesError::Changed => Self::Changed,
            files::FilesError::Linked => Self::Linked,
            files::FilesError::NotRegular => Self::NotRegular,
            files::FilesError::NotAFolder => Self::NotAFolder,
            files::FilesError::TooLarge(size) => Self::TooLarge(size),
            files::FilesError::Io(error) => Self::Io(ports::IoError { kind: error.kind.into(), text: error.text }),
        }
    }
}

impl From<run_home::Node> for wit::Node {
    fn from(node: run_home::Node) -> Self {
        match node {
            run_home::Node::Directory => Self::Directory,
            run_home::Node::Content(bytes) => Self::Content(bytes),
            run_home::Node::Copy(admitted) => Self::Copy(admitted.into()),
            run_home::Node::Splice(splice) => Self::Splice(splice.into()),
            run_home::Node::Link(target) => Self::Link(target),
        }
    }
}

same!(files::Kind => ports::Kind { Regular, Directory, Link, Other });
same!(files::IoKind => ports::IoKind { Permission, NotFound, Busy, Exhausted, Other });
same_record!(files::Identity => ports::Identity { device, inode, size, changed_ns });
same_record!(ports::Identity => files::Identity { device, inode, size, changed_ns });
same_record!(files::Entry => ports::Entry { name, kind + into, identity + into, mode });
same_record!(git_index::Evidence => ports::Evidence { path, place + into, mode, covering });
same!(wit::Mode => run_home::Mode { Code, Dispatch, Chat });
same!(wit::Leg => run_home::Leg { Winter, Official });
same!(run_home::Place => wit::Place { SharedHome, TrustedRoot, GitTop, Cwd });
same_record!(run_home::Admitted => wit::Admitted { place + into, path, identity + into });
same_record!(run_home::Planned => wit::Planned { path, node + into, mode, source });
same_record!(run_home::Report => wit::Report {
    dropped_rules + all, removed_powers + all, dropped_mcp_servers + all, dropped_imports + all, skipped_agents + all,
    skipped_links + all, skipped_items + all, unconditional_rules + all, external_user_links + all, notices + all,
});
same!(report::ImportFault => wit::ImportFault { OutsideRoot, NotGranted, Cycle, TooDeep, TooMany, Unreadable });
same_record!(report::DroppedImport => wit::DroppedImport { file, line, target, reason + into, detail });
same_record!(report::DroppedServer => wit::DroppedServer { name, scope + into, source, line, reason, detail });
same_record!(report::RemovedPower => wit::RemovedPower { file, line, carrier, value, reason });
same_record!(report::SkippedAgent => wit::SkippedAgent { path, line, column, detail });
same_record!(report::UnconditionalRule => wit::UnconditionalRule { path, entry });
same_record!(report::ExternalUserLink => wit::ExternalUserLink { path, target, granted });
same_record!(run_home::McpConfig => wit::McpConfig { entry, strict });
same_record!(run_home::Bounds => wit::Bounds { text, skill_file, items, total, import_depth, folders });
same_record!(wit::Bounds => run_home::Bounds { text, skill_file, items, total, import_depth, folders });
same_record!(run_home::Splice => wit::Splice { head, source + into, offset });
same_record!(run_home::Plan => wit::Plan {
    run_id, dir, sdk_home, entries + all, shared_folders, mcp_config + option, effective_settings, manifest, report + into,
});
same_record!(wit::Input => run_home::Input {
    run_id, home, home_spellings, shared_home, mode + into, dispatch_child, leg + into, mcp_disabled, reserved_mcp_server_names,
    memory_dir, brand + into, powers + into, allow_inexpressible, user_home, shared_home_spellings,
    bounds + into, containment_hook,
});

impl From<git_index::Place> for ports::Place {
    fn from(place: git_index::Place) -> Self {
        match place {
            git_index::Place::InIndex => Self::Index,
            git_index::Place::InHead => Self::Head,
        }
    }
}

same!(brand::Spelling => wit_types::Spelling { Contract, Hex });
same!(brand::SandboxGrammar => wit_types::SandboxGrammar { Contract, WritesLiteral });
same!(brand::Transcripts => wit_types::Transcripts { Shared, Linked, WorkingCopy });
same!(brand::McpPlacement => wit_types::McpPlacement { GlobalFile, OwnFile });
same_record!(brand::Profile => wit_types::Profile {
    name, project_dir, instructions_file, local_instructions_file, global_config_file, env_prefix, rule_spelling + into,
    sandbox_grammar + into, transcripts + into, mcp + into, persistent_folders, linked_entries, built_in_styles,
    child_variables + all, inherited_variables, argument_grammar + into, supported_versions + option,
});
