//! A home, a shared home and a trusted project around a real repository, for either brand; and what a plan makes of
//! the local settings file of that project.

use std::path::{Path, PathBuf};

use serde_json::Value;
use winter_runner::contract::run_home::Plan;
use winter_runner::{Brand, Config, Grants, Powers, RunHomeInput, Runner, RunnerError, json};

use crate::git::Repo;

/// A local settings file that holds one thing of each kind that a repository may not have.
pub const OFFER: &str = r#"{
  "permissions": {
    "defaultMode": "acceptEdits",
    "allow": ["Bash(make:*)"]
  },
  "hooks": {"Stop": [{"hooks": [
    {"type": "command", "command": "./stop.sh"}]}]},
  "language": "de"
}
"#;

/// What the report says of [`OFFER`] when the repository shipped it: line, rule, reason, whether only without powers.
const TAKEN: [(u64, &str, &str, bool); 3] = [
    (3, "permissions.defaultMode: acceptEdits", "escalating-mode", false),
    (4, "permissions.allow: Bash(make:*)", "acts-permission", true),
    (7, "hooks.Stop: ./stop.sh", "acts-command", true),
];

/// What a plan made of the local file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The person's own: kept whole.
    Own,
    /// The repository's, because of this.
    Shipped(&'static str),
    /// Nothing of it is in the run home, and nothing of it in the report.
    NotRead,
}

/// Both brands, with a scene around a new repository each; none, with a remark, where there is no `git`.
pub fn scenes() -> impl Iterator<Item = Scene> {
    [Brand::Winter, Brand::Claude].into_iter().filter_map(|brand| Some(Scene::around(Repo::new()?, brand)))
}

/// The same around folders that are no repositories.
pub fn bare_scenes() -> impl Iterator<Item = Scene> {
    [Brand::Winter, Brand::Claude].into_iter().map(|brand| Scene::around(Repo::none(), brand))
}

/// A repository, and beside it a home and a shared home.
pub struct Scene {
    /// The project.
    pub repo: Repo,
    /// Whose names hold.
    pub brand: Brand,
    /// The real path of the project.
    pub top: PathBuf,
}

impl Scene {
    /// A scene around a repository.
    pub fn around(repo: Repo, brand: Brand) -> Self {
        std::fs::create_dir(repo.beside("shared")).unwrap();
        Self { top: repo.top.canonicalize().unwrap(), repo, brand }
    }

    /// The brand's folder of a project.
    pub fn dir(&self) -> &'static str {
        match self.brand {
            Brand::Winter => ".winter",
            _ => ".claude",
        }
    }

    /// The project's settings file, relative to its folder.
    pub fn settings(&self) -> String {
        format!("{}/settings.json", self.dir())
    }

    /// The local settings file, relative to its folder.
    pub fn local(&self) -> String {
        format!("{}/settings.local.json", self.dir())
    }

    /// The real path of a place beside the project.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.top.parent().unwrap().join(name)
    }

    /// Winter's home, which does not exist until something is built.
    pub fn home(&self) -> PathBuf {
        self.beside("winter-home")
    }

    /// The person's own settings file.
    pub fn own(&self, text: &str) {
        std::fs::write(self.beside("shared/settings.json"), text).unwrap();
    }

    /// The input of a session that works at the top of the trusted project. What lies beside the project is the
    /// person's home folder, so that nothing of the machine has a say.
    pub fn input(&self) -> RunHomeInput {
        let mut input = RunHomeInput::new(self.home(), &self.top);
        input.shared_home = self.beside("shared");
        input.trusted_project_root = Some(self.top.clone());
        input.git_root = Some(self.top.clone());
        input.user_home = Some(self.beside(""));
        input.brand = self.brand.clone();
        input
    }

    /// The plan for an input, with all that it needs granted.
    pub fn plan(&self, input: &RunHomeInput) -> Plan {
        plan(input).unwrap_or_else(|error| panic!("{error} ({})", error.code()))
    }

    /// Asserts what becomes of [`OFFER`] in the local file at the top: with the top named by the caller and without,
    /// with powers and without.
    pub fn expect(&self, expected: Treatment) {
        self.expect_of(&self.input(), &self.top.join(self.local()), expected);
        let input = RunHomeInput { git_root: None, ..self.input() };
        self.expect_of(&input, &self.top.join(self.local()), expected);
    }

    /// The same for an input and a file of the caller's.
    pub fn expect_of(&self, input: &RunHomeInput, file: &Path, expected: Treatment) {
        for powers in [Powers::Keep, Powers::Drop] {
            let plan = self.plan(&RunHomeInput { powers, ..input.clone() });
            let found = treatment(&plan, file, powers == Powers::Keep);
            assert_eq!(found, expected, "{:?} {powers:?} {:#}", self.brand, json::report(&plan.report));
        }
    }
}

/// A runner with these grants.
pub fn runner(grants: Grants) -> Runner {
    Runner::new(Config { grants, ..Config::default() }).expect("the engine runs here")
}

/// The plan for an input, with all that it needs granted, or why there is none.
///
/// # Errors
/// The runner's own.
pub fn plan(input: &RunHomeInput) -> Result<Plan, RunnerError> {
    runner(Grants::for_run_homes(input.reads())).plan_run_home(input)
}

/// The effective settings as JSON.
pub fn effective(plan: &Plan) -> Value {
    serde_json::from_str(&plan.effective_settings).expect("the effective settings are JSON")
}

/// The report as JSON.
pub fn report(plan: &Plan) -> Value {
    json::report(&plan.report)
}

/// What was dropped from a tier, as `rule` and `reason`, in the report's order.
pub fn dropped(plan: &Plan, tier: &str) -> Vec<(String, String)> {
    let all = report(plan);
    let of_tier = all["dropped-rules"].as_array().unwrap().iter().filter(|one| one["tier"] == tier);
    of_tier.map(|one| (text(&one["rule"]), text(&one["reason"]))).collect()
}

/// The text of a JSON string; nothing of anything else.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads off a plan what became of [`OFFER`]; report and effective settings must agree about it.
fn treatment(plan: &Plan, file: &Path, keep: bool) -> Treatment {
    let (report, effective) = (report(plan), effective(plan));
    let source = file.to_str().unwrap();
    let of_file = |list: &str, key: &str| -> Vec<Value> {
        report[list].as_array().unwrap().iter().filter(|one| one[key] == source).cloned().collect()
    };
    let dropped = of_file("dropped-rules", "source");
    let notices: Vec<Value> = of_file("notices", "path");
    let mode = &effective["permissions"]["defaultMode"];
    let has_rule = effective["permissions"]["allow"] == serde_json::json!(["Bash(make:*)"]);
    let has_hook = !effective["hooks"]["Stop"].is_null();
    if effective["language"] != "de" {
        assert!(mode.is_null() && !has_rule && !has_hook && dropped.is_empty() && notices.is_empty(), "{report:#}");
        return Treatment::NotRead;
    }
    if dropped.is_empty() {
        assert!(mode == "acceptEdits" && has_rule && has_hook && notices.is_empty(), "{effective:#} {report:#}");
        return Treatment::Own;
    }
    let because = ["index", "head", "link", "unsupported", "timed-out", "failed"]
        .into_iter()
        .find(|because| dropped[0]["because"] == *because)
        .expect("a reason");
    let taken: Vec<Value> = TAKEN
        .iter()
        .filter(|(_, _, _, acts)| !keep || !acts)
        .map(|(line, rule, reason, _)| {
            serde_json::json!({"tier": "local", "source": source, "line": line, "rule": rule, "reason": reason,
                "withheld": null, "because": because})
        })
        .collect();
    assert_eq!(dropped, taken);
    assert!(mode.is_null(), "{effective:#}");
    assert_eq!((has_rule, has_hook), (keep, keep), "{effective:#}");
    let [notice] = notices.as_slice() else { panic!("one remark was expected: {notices:?}") };
    assert_eq!(notice["kind"], "shipped-local");
    assert!(text(&notice["text"]).ends_with(&format!("({because})")), "{notice}");
    Treatment::Shipped(because)
}
