//! The part of the border that is about sessions: the door, and the host's programs as a port.

use super::bindings::exports::winter::runtime::{door as wit, types as wit_types};
use super::bindings::winter::host::process;
use super::runtime::Handle;
use super::{Component, same, same_record};
use crate::{brand, door, ports, run_home};

/// The host's programs; its life is that of the handles it is asked with.
struct Programs<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> ports::Process for Programs<'a> {
    type Folder = Handle<'a>;

    fn spawn(&self, command: &ports::Command, cwd: &Handle<'a>) -> Result<u64, ports::SpawnError> {
        let command = process::Command {
            program: command.program.clone(),
            arguments: command.arguments.clone(),
            environment: command.environment.clone(),
        };
        process::spawn(&command, cwd.get()).map_err(|error| match error {
            process::SpawnError::NotGranted(grant) => ports::SpawnError::NotGranted(grant),
            process::SpawnError::NotFound(name) => ports::SpawnError::NotFound(name),
            process::SpawnError::Io(text) => ports::SpawnError::Io(text),
        })
    }
}

impl wit::Guest for Component {
    fn check(request: wit::Request) -> Result<wit::Launch, wit::DoorRefusal> {
        door::check(&request.into()).map(Into::into).map_err(Into::into)
    }

    fn open(
        request: wit::Request,
        cwd: &super::bindings::winter::host::files::Folder,
    ) -> Result<wit::Opened, wit::OpenFault> {
        let opened = door::open(&request.into(), &Programs(std::marker::PhantomData), &Handle::Lent(cwd));
        opened.map(Into::into).map_err(Into::into)
    }

    fn outcome_of(ended: wit::Ended, transcripts: wit_types::Transcripts, reconciled: wit::Reconciled) -> wit::Outcome {
        door::outcome(ended.into(), transcripts.into(), reconciled.into()).into()
    }

    fn may_dispose(outcome: wit::Outcome) -> bool {
        door::may_dispose(outcome.into())
    }
}

impl From<door::DoorError> for wit::DoorRefusal {
    fn from(error: door::DoorError) -> Self {
        let (code, help) = (error.code().to_owned(), error.help().to_owned());
        Self { code, field: error.field, message: error.message, help }
    }
}

impl From<door::OpenError> for wit::OpenFault {
    fn from(error: door::OpenError) -> Self {
        match error {
            door::OpenError::Refused(refusal) => Self::Refused(refusal.into()),
            door::OpenError::Spawn(ports::SpawnError::NotGranted(grant)) => {
                Self::Spawn(wit::SpawnFault::NotGranted(grant))
            }
            door::OpenError::Spawn(ports::SpawnError::NotFound(name)) => Self::Spawn(wit::SpawnFault::NotFound(name)),
            door::OpenError::Spawn(ports::SpawnError::Io(text)) => Self::Spawn(wit::SpawnFault::Io(text)),
        }
    }
}

impl From<brand::ChildValue> for wit_types::ChildValue {
    fn from(value: brand::ChildValue) -> Self {
        match value {
            brand::ChildValue::RunFolder => Self::RunFolder,
            brand::ChildValue::SharedHome => Self::SharedHome,
            brand::ChildValue::Plugins => Self::Plugins,
            brand::ChildValue::Text(text) => Self::Text(text),
        }
    }
}

same!(brand::ArgumentGrammar => wit_types::ArgumentGrammar { Plain, Claude });
same_record!(brand::Versions => wit_types::Versions { from, below });
same_record!(brand::ChildVariable => wit_types::ChildVariable { name, value + into });
same!(wit::Ended => door::Ended { Unknown, Running, Settled });
same!(wit::Reconciled => door::Reconciled { NotYet, Level, TornTails, Quarantined });
same!(door::Outcome => wit::Outcome { Pending, Safe, Quarantined });
same!(wit::Outcome => door::Outcome { Pending, Safe, Quarantined });
same_record!(wit::Variable => door::Variable { name, value });
same_record!(door::Variable => wit::Variable { name, value });
same_record!(door::Withheld => wit::Withheld { name, reason });
same_record!(door::Launch => wit::Launch { arguments, environment + all, options, withheld + all });
same_record!(door::Opened => wit::Opened { child, launch + into });
same_record!(super::bindings::exports::winter::runtime::run_home::McpConfig => run_home::McpConfig { entry, strict });
same_record!(wit::Home => door::Home {
    run_id, dir, shared_home, cwd, brand, leg + into, memory_dir, mcp_config + option, servers, built_here, disposed,
    contained,
});
same_record!(wit::Request => door::Request {
    home + option, require_run_home, cwd, brand + into, store, options, program, arguments, environment + all, admitted,
    reviewed, capability_servers, version, allow_remote_configuration,
});
