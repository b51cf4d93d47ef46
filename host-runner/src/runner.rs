//! The runner: one engine, explicit grants, and the component's functions as methods.

use wasmtime::Store;

use crate::contract::types::Profile;
use crate::engine::bindings::Runtime;
use crate::engine::bindings::exports::winter::runtime::{catalog, escape, explain, selection, settings};
use crate::engine::{Guest, Limits, State};
use crate::error::RunnerError;
use crate::grants::Grants;
use crate::{Brand, Spelling};

/// What a runner is made with. The default grants nothing.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// What the host lends.
    pub grants: Grants,
    /// What one call of the guest may use.
    pub limits: Limits,
}

/// Runs winter's decisions. Every call gets a fresh instance, so that no call can see or spoil another.
pub struct Runner {
    guest: Guest,
    grants: Grants,
}

impl Runner {
    /// A runner over the embedded component.
    ///
    /// ```
    /// use winter_runner::{Config, Runner, Spelling};
    /// let runner = Runner::new(Config::default())?;
    /// assert_eq!(runner.rule_path("/x/[wip] app", Spelling::Contract)?, r"/x/\\[wip\\] app");
    /// # Ok::<(), winter_runner::RunnerError>(())
    /// ```
    ///
    /// # Errors
    /// [`RunnerError::Engine`] when the engine does not run on this machine.
    pub fn new(config: Config) -> Result<Self, RunnerError> {
        Ok(Self { guest: Guest::embedded(config.limits)?, grants: config.grants })
    }

    /// What the runner lends.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    pub(crate) fn call<T>(
        &self,
        call: impl FnOnce(&mut Store<State>, &Runtime) -> wasmtime::Result<T>,
    ) -> Result<T, RunnerError> {
        self.guest.call(&self.grants, call)
    }

    /// A literal path, spelt for the content of a permission rule.
    ///
    /// # Errors
    /// Only a guest that failed; every string has an answer.
    pub fn rule_path(&self, path: &str, spelling: Spelling) -> Result<String, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_escape().call_rule_path(store, path, spelling))
    }

    /// A literal path, spelt for an entry of that sandbox list.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn sandbox_path(
        &self,
        path: &str,
        list: escape::SandboxList,
        grammar: escape::SandboxGrammar,
    ) -> Result<escape::SandboxSpelling, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_escape().call_sandbox_path(store, path, list, grammar))
    }

    /// What a session gets out of these settings files.
    ///
    /// # Errors
    /// A refusal of the policy, which concerns the person's own file; or a guest that failed.
    pub fn compose(
        &self,
        files: &[settings::TierFile],
        options: &settings::Options,
    ) -> Result<settings::Effective, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_settings().call_compose(store, files, options))?
            .map_err(RunnerError::Refused)
    }

    /// The paths that these files deny, absolute: what [`Runner::compose_in`] has to know of.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn literal_paths(
        &self,
        files: &[settings::TierFile],
        options: &settings::Options,
        places: &settings::DenyPlaces,
    ) -> Result<Vec<String>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_settings().call_literal_paths(store, files, options, places))
    }

    /// As [`Runner::compose`], with each path deny written for the sandbox and for what its links lead to as well.
    ///
    /// # Errors
    /// As [`Runner::compose`].
    pub fn compose_in(
        &self,
        files: &[settings::TierFile],
        options: &settings::Options,
        places: &settings::DenyPlaces,
    ) -> Result<settings::Effective, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_settings().call_compose_in(store, files, options, places))?
            .map_err(RunnerError::Refused)
    }

    /// The same JSON document with its secrets masked.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn masked(&self, document: &str) -> Result<String, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_settings().call_masked(store, document))
    }

    /// The tables of that topic.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn sheets(&self, topic: explain::Topic) -> Result<Vec<explain::Sheet>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_explain().call_sheets(store, topic))
    }

    /// The built-in catalog with these documents laid over it.
    ///
    /// # Errors
    /// A refusal that names document, row and field; or a guest that failed.
    pub fn models(&self, documents: &[catalog::Document]) -> Result<Vec<catalog::Model>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_catalog().call_models(store, documents))?
            .map_err(RunnerError::Refused)
    }

    /// The same catalog as one text, for [`Runner::select`].
    ///
    /// # Errors
    /// As [`Runner::models`].
    pub fn packed_catalog(&self, documents: &[catalog::Document]) -> Result<String, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_selection().call_packed(store, documents))?
            .map_err(RunnerError::Refused)
    }

    /// The credentials of a JSON list.
    ///
    /// # Errors
    /// A refusal that names line and column; or a guest that failed.
    pub fn credentials(&self, document: &catalog::Document) -> Result<Vec<selection::Credential>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_selection().call_credentials(store, document))?
            .map_err(RunnerError::Refused)
    }

    /// Which runtime, provider and credential serve a request; a refusal of the request is an answer.
    ///
    /// # Errors
    /// A catalog that [`Runner::packed_catalog`] did not give; or a guest that failed.
    pub fn select(&self, input: &selection::Input) -> Result<selection::Answer, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_selection().call_select(store, input))?
            .map_err(RunnerError::Refused)
    }

    /// What a recorded rule id says, also a retired one.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn rule_id_of(&self, id: &str) -> Result<Option<selection::RuleId>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_selection().call_rule_id_of(store, id))
    }

    /// The names, grammars and habits of a brand.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn profile(&self, brand: &Brand) -> Result<Profile, RunnerError> {
        match brand {
            Brand::Custom(profile) => Ok(profile.clone()),
            brand => self.call(|store, guest| guest.winter_runtime_run_home().call_profile_of(store, brand)),
        }
    }
}
