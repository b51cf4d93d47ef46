//! What the guest's imports answer: the capabilities, as far as they were granted.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::process::Child;
use wasmtime::component::{Resource, ResourceTable};

use super::bindings::winter::host::{clock, files, git_index, process};
use super::deadline::GuestTime;
use crate::capability::files as real;
use crate::capability::git_index as git;
use crate::capability::process::{Start, start};
use crate::error::Denied;
use crate::grants::Grants;

/// The host's side of one call.
pub(crate) struct Host {
    table: ResourceTable,
    grants: Grants,
    time: GuestTime,
    /// How a child would be started; none where this call may start none.
    start: Option<Start>,
    started: Option<Child>,
}

impl Host {
    pub(super) fn new(grants: Grants, time: GuestTime) -> Self {
        Self { table: ResourceTable::new(), grants, time, start: None, started: None }
    }

    /// The account of the call's time.
    #[cfg(test)]
    pub(super) fn time(&self) -> &GuestTime {
        &self.time
    }

    /// Lends a folder to the guest for this call.
    pub(crate) fn lend(&mut self, folder: real::Folder) -> wasmtime::Result<Resource<real::Folder>> {
        Ok(self.table.push(folder)?)
    }

    /// Lets this call start one child.
    pub(crate) fn may_start(&mut self, start: Start) {
        self.start = Some(start);
    }

    /// The child that this call started.
    pub(crate) fn take_started(&mut self) -> Option<Child> {
        self.started.take()
    }

    fn folder(&self, handle: &Resource<real::Folder>) -> wasmtime::Result<&real::Folder> {
        Ok(self.table.get(handle)?)
    }
}

impl files::Host for Host {}

impl files::HostFolder for Host {
    fn path(&mut self, this: Resource<real::Folder>) -> wasmtime::Result<String> {
        Ok(self.folder(&this)?.path())
    }

    fn stat(
        &mut self,
        this: Resource<real::Folder>,
        name: String,
    ) -> wasmtime::Result<Result<Option<files::Entry>, files::FilesError>> {
        let _host = self.time.in_host();
        let found = self.folder(&this)?.stat(&name);
        Ok(found.map(|entry| entry.map(Into::into)).map_err(Into::into))
    }

    fn entries(
        &mut self,
        this: Resource<real::Folder>,
        max: u32,
    ) -> wasmtime::Result<Result<files::Listing, files::FilesError>> {
        let _host = self.time.in_host();
        let listing = self.folder(&this)?.entries(max);
        Ok(listing.map(Into::into).map_err(Into::into))
    }

    fn open_folder(
        &mut self,
        this: Resource<real::Folder>,
        name: String,
    ) -> wasmtime::Result<Result<Resource<real::Folder>, files::FilesError>> {
        let _host = self.time.in_host();
        match self.folder(&this)?.open_folder(&name) {
            Ok(folder) => Ok(Ok(self.table.push(folder)?)),
            Err(error) => Ok(Err(error.into())),
        }
    }

    fn parent(
        &mut self,
        this: Resource<real::Folder>,
    ) -> wasmtime::Result<Result<Option<Resource<real::Folder>>, files::FilesError>> {
        let _host = self.time.in_host();
        match self.folder(&this)?.parent() {
            Ok(Some(folder)) => Ok(Ok(Some(self.table.push(folder)?))),
            Ok(None) => Ok(Ok(None)),
            Err(error) => Ok(Err(error.into())),
        }
    }

    fn read(
        &mut self,
        this: Resource<real::Folder>,
        name: String,
        admitted: files::Identity,
        limit: u64,
    ) -> wasmtime::Result<Result<Vec<u8>, files::FilesError>> {
        let _host = self.time.in_host();
        Ok(self.folder(&this)?.read(&name, admitted.into(), limit).map_err(Into::into))
    }

    fn read_link(
        &mut self,
        this: Resource<real::Folder>,
        name: String,
    ) -> wasmtime::Result<Result<String, files::FilesError>> {
        let _host = self.time.in_host();
        Ok(self.folder(&this)?.read_link(&name).map_err(Into::into))
    }

    fn drop(&mut self, this: Resource<real::Folder>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl git_index::Host for Host {
    fn probe(
        &mut self,
        top: Resource<real::Folder>,
        paths: Vec<String>,
    ) -> wasmtime::Result<Result<Vec<git_index::Evidence>, git_index::ProbeError>> {
        let _host = self.time.in_host();
        if !self.grants.git_index {
            // The question has a safe answer: "cannot tell", which counts as shipped.
            return Ok(Err(git_index::ProbeError::Failed("the capability git-index was not granted".to_owned())));
        }
        let folder = self.folder(&top)?;
        if !folder.is_lent_whole() {
            return Ok(Err(git_index::ProbeError::Failed("the folder was lent without its content".to_owned())));
        }
        let top = folder.path();
        let probed = git::probe(top.as_ref(), &paths, &git::Limits::default());
        tracing::debug!(target: "winter::git_index", %top, ?paths, ?probed);
        Ok(probed.map(|evidence| evidence.into_iter().map(Into::into).collect()).map_err(Into::into))
    }
}

impl process::Host for Host {
    fn spawn(
        &mut self,
        command: process::Command,
        cwd: Resource<real::Folder>,
    ) -> wasmtime::Result<Result<u64, process::SpawnError>> {
        let _host = self.time.in_host();
        // One child a call, and only in a call that was let start one.
        let Some(how) = self.start.take() else {
            return Ok(Err(process::SpawnError::NotGranted("Runner::open".to_owned())));
        };
        let Some(program) = self.grants.programs.iter().find(|program| program.name == command.program) else {
            return Ok(Err(process::SpawnError::NotGranted("Grants::programs".to_owned())));
        };
        let folder = self.folder(&cwd)?;
        match start(program, &command.arguments, &command.environment, folder, how) {
            Ok(child) => {
                let id = child.id().map_or(0, u64::from);
                tracing::debug!(target: "winter::process", program = %program.path.display(), id, "started");
                self.started = Some(child);
                Ok(Ok(id))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Err(process::SpawnError::NotFound(program.path.display().to_string())))
            }
            Err(error) => Ok(Err(process::SpawnError::Io(error.to_string()))),
        }
    }
}

impl clock::Host for Host {
    fn now(&mut self) -> wasmtime::Result<u64> {
        if !self.grants.clock {
            return Err(Denied {
                capability: "clock",
                resource: "the time".to_owned(),
                grant: "Grants::clock".to_owned(),
            }
            .into());
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<real::Entry> for files::Entry {
    fn from(entry: real::Entry) -> Self {
        let kind = match entry.kind {
            real::Kind::Regular => files::Kind::Regular,
            real::Kind::Directory => files::Kind::Directory,
            real::Kind::Link => files::Kind::Link,
            real::Kind::Other => files::Kind::Other,
        };
        Self { name: entry.name, kind, identity: entry.identity.into(), mode: entry.mode }
    }
}

impl From<real::Listing> for files::Listing {
    fn from(listing: real::Listing) -> Self {
        let entries = listing.entries.into_iter().map(Into::into).collect();
        Self { entries, cut: listing.cut, unnamed: listing.unnamed }
    }
}

impl From<real::Identity> for files::Identity {
    fn from(from: real::Identity) -> Self {
        Self { device: from.device, inode: from.inode, size: from.size, changed_ns: from.changed_ns }
    }
}

impl From<files::Identity> for real::Identity {
    fn from(from: files::Identity) -> Self {
        Self { device: from.device, inode: from.inode, size: from.size, changed_ns: from.changed_ns }
    }
}

impl From<real::FilesError> for files::FilesError {
    fn from(error: real::FilesError) -> Self {
        match error {
            real::FilesError::BadName => Self::BadName,
            real::FilesError::Denied(grant) => Self::Denied(grant),
            real::FilesError::Changed => Self::Changed,
            real::FilesError::Linked => Self::Linked,
            real::FilesError::NotRegular => Self::NotRegular,
            real::FilesError::NotAFolder => Self::NotAFolder,
            real::FilesError::TooLarge(size) => Self::TooLarge(size),
            real::FilesError::Io(error) => {
                let kind = match error.kind {
                    real::IoKind::Permission => files::IoKind::Permission,
                    real::IoKind::NotFound => files::IoKind::NotFound,
                    real::IoKind::Busy => files::IoKind::Busy,
                    real::IoKind::Exhausted => files::IoKind::Exhausted,
                    real::IoKind::Other => files::IoKind::Other,
                };
                Self::Io(files::IoError { kind, text: error.text })
            }
        }
    }
}

impl From<git::Evidence> for git_index::Evidence {
    fn from(from: git::Evidence) -> Self {
        let place = match from.place {
            git::Place::Index => git_index::Place::InIndex,
            git::Place::Head => git_index::Place::InHead,
        };
        Self { path: from.path, place, mode: from.mode, covering: from.covering }
    }
}

impl From<git::ProbeError> for git_index::ProbeError {
    fn from(error: git::ProbeError) -> Self {
        match error {
            git::ProbeError::NotARepository => Self::NotARepository,
            git::ProbeError::Unsupported(what) => Self::Unsupported(what),
            git::ProbeError::TimedOut => Self::TimedOut,
            git::ProbeError::Failed(what) => Self::Failed(what),
        }
    }
}
