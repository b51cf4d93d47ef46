//! Wasmtime: the engine, the embedded compiled component, and one fresh, limited instance a call.

pub(crate) mod bindings;
mod config;
mod deadline;
mod host;
#[cfg(test)]
mod tests;

use std::time::Duration;

use wasmtime::component::{Component, HasSelf, Instance, InstancePre, Linker};
use wasmtime::{Engine, Store, StoreLimits, StoreLimitsBuilder};

use crate::error::RunnerError;
use crate::grants::Grants;
use deadline::{Clockwork, GuestTime};
pub(crate) use host::Host;

/// The component, compiled by the build for this program's target.
static COMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/winter-runtime.cwasm"));

/// A component out of bytes that this crate's build script compiled, and the engine that runs it.
fn load(bytes: &'static [u8]) -> wasmtime::Result<(Engine, Component)> {
    let engine = Engine::new(&config::config(None)?)?;
    // SAFETY: the bytes were made by this crate's build script with the same configuration, and nothing else writes
    // them; the engine refuses what another version or another configuration compiled.
    #[expect(unsafe_code)]
    let component = unsafe { Component::deserialize(&engine, bytes) }?;
    Ok((engine, component))
}

/// The component `winter-runtime` as the build compiled it, and its engine: for hosts that bring imports of their own.
/// The engine counts epochs, so each store needs a deadline (`Store::set_epoch_deadline`).
///
/// # Errors
/// The engine does not run on this machine.
pub fn compiled() -> wasmtime::Result<(Engine, Component)> {
    load(COMPILED)
}

/// What one call of the guest may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Guest time of one call; the time of the host's own calls does not count.
    pub deadline: Duration,
    /// Bytes of linear memory.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(10), memory: 512 << 20 }
    }
}

/// A component that is ready to be instantiated, and the limits that each instance gets.
struct Sandbox {
    engine: Engine,
    pre: InstancePre<State>,
    clockwork: Clockwork,
    limits: Limits,
}

/// What a store holds for one call.
pub(crate) struct State {
    pub(crate) host: Host,
    limits: StoreLimits,
}

impl Sandbox {
    /// A component out of bytes that this crate's build script compiled.
    fn compiled(bytes: &'static [u8], limits: Limits) -> Result<Self, RunnerError> {
        let (engine, component) = load(bytes).map_err(RunnerError::engine)?;
        let mut linker = Linker::<State>::new(&engine);
        let added = bindings::Runtime::add_to_linker::<State, HasSelf<Host>>(&mut linker, |state| &mut state.host);
        let pre = added.and_then(|()| linker.instantiate_pre(&component)).map_err(RunnerError::engine)?;
        let clockwork = Clockwork::new(&engine, limits.deadline);
        Ok(Self { engine, pre, clockwork, limits })
    }

    /// Runs `call` in a fresh instance.
    ///
    /// # Errors
    /// `timed-out` when the guest used up its time, `out-of-memory` when it asked for more than it may have,
    /// `guest-failed` when it trapped; a refusal of a capability comes back as what it is.
    fn call<T>(
        &self,
        grants: &Grants,
        call: impl FnOnce(&mut Store<State>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, RunnerError> {
        let time = GuestTime::start(self.limits.deadline);
        let limits = StoreLimitsBuilder::new().memory_size(self.limits.memory).trap_on_grow_failure(true).build();
        let state = State { host: Host::new(grants.clone(), time.clone()), limits };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.limits);
        store.set_epoch_deadline(1);
        let watched = time.clone();
        store.epoch_deadline_callback(move |_| watched.verdict());
        let _running = self.clockwork.run();
        let answer = self.pre.instantiate(&mut store).and_then(|instance| call(&mut store, &instance));
        answer.map_err(|error| RunnerError::from_guest(error, time.is_over(), self.limits))
    }
}

/// The component that the program was built with.
pub(crate) struct Guest {
    sandbox: Sandbox,
    exports: bindings::RuntimeIndices,
}

impl Guest {
    /// The embedded component.
    pub(crate) fn embedded(limits: Limits) -> Result<Self, RunnerError> {
        let sandbox = Sandbox::compiled(COMPILED, limits)?;
        let exports = bindings::RuntimeIndices::new(&sandbox.pre).map_err(RunnerError::engine)?;
        Ok(Self { sandbox, exports })
    }

    /// Runs `call` in a fresh instance; the errors are those of [`Sandbox::call`].
    pub(crate) fn call<T>(
        &self,
        grants: &Grants,
        call: impl FnOnce(&mut Store<State>, &bindings::Runtime) -> wasmtime::Result<T>,
    ) -> Result<T, RunnerError> {
        self.sandbox.call(grants, |store, instance| {
            let exports = self.exports.load(&mut *store, instance)?;
            call(store, &exports)
        })
    }
}
