use proptest::prelude::*;

use super::*;
use crate::testing::test;

fn ask(name: &str, tier: Tier) -> Option<&'static str> {
    ask_class(name, tier, Powers::Drop).map(|class| class.id)
}

fn ask_class(name: &str, tier: Tier, powers: Powers) -> Option<&'static EnvClass> {
    refusal(name, tier, false, powers, &Profile::winter())
}

/// The class refuses `names` where its tiers hold, whatever the powers, and lets the person set the rest.
fn refuses(class: &'static EnvClass, names: &[&str]) {
    for name in names {
        for powers in [Powers::Drop, Powers::Keep] {
            for tier in [Tier::User, Tier::Project, Tier::Local] {
                let expected = class.tiers.hold(tier, false).then_some(class);
                assert_eq!(ask_class(name, tier, powers), expected, "{name} from {tier:?} under {powers:?}");
            }
        }
    }
}

#[test]
fn not_a_name() {
    refuses(&NO_NAME, &["", "=", "=C:", "A=B", "LD_PRELOAD=/x", "BASH_ENV\0", "\0", "NODE_ENV=x"]);
}

#[test]
fn set_by_the_door() {
    refuses(&ROUTER_OWNED, &["WINTER_HOME", "WINTER_STORE_HOME", "WINTER_PLUGIN_CACHE_DIR", "WINTER_DISABLE_CRON"]);
    refuses(&ROUTER_OWNED, &["WINTER_PROVIDER_MANAGED_BY_HOST"]);
    let claude = Profile::claude();
    for name in ROUTER_OWNED_CLAUDE_NAMES {
        let class = refusal(name, Tier::User, false, Powers::Keep, &claude);
        assert_eq!(class, Some(&ROUTER_OWNED), "{name}");
    }
    // Each brand's door sets its own names only; a person may give the other's to a program of theirs.
    assert_eq!(refusal("WINTER_HOME", Tier::User, false, Powers::Keep, &claude), None);
    assert_eq!(ask("CLAUDE_CODE_DISABLE_CRON", Tier::User), None);
}

#[test]
fn execution_the_contracts_own() {
    refuses(&EXECUTION, EXECUTION_INDIRECTION_ENV_NAMES);
    refuses(
        &EXECUTION,
        &["PYTHONPATH", "PYTHON", "PERL5OPT", "RUBYOPT", "LUA_INIT", "DOTNET_STARTUP_HOOKS", "LD_PRELOAD"],
    );
    refuses(
        &EXECUTION,
        &["COR_PROFILER", "CORECLR_PROFILER", "CORS_ORIGIN", "APPDOMAIN_MANAGER_ASM", "DYLD_LIBRARY_PATH"],
    );
    refuses(&EXECUTION, &["GIT_DIR", "GIT_CONFIG_KEY_0", "GIT_NEVER_HEARD_OF", "BASH_FUNC_echo%%", "BASH_FUNC_ls()"]);
    refuses(
        &EXECUTION,
        &["npm_config_script_shell", "NPM_CONFIG_USERCONFIG", "Npm_Config_x", "PIP_INDEX_URL", "UV_INDEX"],
    );
    refuses(&EXECUTION, &["CARGO_HOME", "CARGO_BUILD_RUSTC_WRAPPER"]);
    // `ENV` is a whole name, and the prefixes are read as they are written.
    for name in ["ENVIRONMENT", "ENV_FILE", "GITHUB_SHA", "PERL", "LDFLAGS_EXTRA", "PIPELINE", "git_dir", "ld_preload"]
    {
        assert_eq!(ask(name, Tier::User), None, "{name}");
    }
}

#[test]
fn traffic_opt_out() {
    refuses(&TRAFFIC, TRAFFIC_OPT_OUT_VARIABLES);
    assert_eq!(TRAFFIC_OPT_OUT_VARIABLES.len(), 4);
}

#[test]
fn execution_wider() {
    refuses(&EXECUTION_WIDER, &["PATH", "Path", "HOME", "SHELL", "TMPDIR", "ZDOTDIR", "PROMPT_COMMAND", "PS4", "IFS"]);
    refuses(&EXECUTION_WIDER, &["XDG_CONFIG_HOME", "CODEX_HOME", "GH_CONFIG_DIR", "AWS_CONFIG_FILE", "ComSpec"]);
    refuses(
        &EXECUTION_WIDER,
        &["R_PROFILE", "R_PROFILE_USER", "RUSTC_WRAPPER", "DENO_CERT", "GEM_PATH", "OPENSSL_CONF"],
    );
    refuses(
        &EXECUTION_WIDER,
        &["EDITOR", "PAGER", "AWS_PAGER", "LESSOPEN", "SSH_ASKPASS_REQUIRE", "RIPGREP_CONFIG_PATH"],
    );
    refuses(&EXECUTION_WIDER, &["USE_BUILTIN_RIPGREP", "CLAUDE_CODE_TMPDIR", "CLAUDE_CODE_MESSAGING_SOCKET"]);
}

#[test]
fn endpoint_and_credential() {
    refuses(
        &ENDPOINT,
        &["ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "X_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"],
    );
    refuses(
        &ENDPOINT,
        &["MY_BEARER_TOKEN_2", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_PROFILE", "CLAUDE_CODE_USE_VERTEX"],
    );
    refuses(&ENDPOINT, &["http_proxy", "HTTPS_PROXY", "no_proxy", "All_Proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]);
    refuses(&ENDPOINT, &["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_ANYTHING", "VERTEX_REGION_CLAUDE_5_OPUS", "GITHUB_TOKEN"]);
}

#[test]
fn model_and_effort() {
    refuses(&MODEL, &["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_X_MODEL_NAME"]);
    refuses(&MODEL, &["CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_EFFORT_LEVEL", "MAX_THINKING_TOKENS"]);
    refuses(&MODEL, &["FALLBACK_FOR_ALL_PRIMARY_MODELS", "ANTHROPIC_SMALL_FAST_MODEL"]);
}

#[test]
fn anything_else() {
    // What the program reads is refused whatever the powers are.
    refuses(&REPOSITORY, &["IS_SANDBOX", "CLAUDE_CODE_ENABLE_AUTO_MODE", "BASH_DEFAULT_TIMEOUT_MS", "USER"]);
    for name in ["MY_OWN", "ENOENT", "node_env", "ld_preload", "_", "CLAUDE_CODE_OF_TOMORROW", "WINTER_OF_TOMORROW"] {
        assert_eq!(ask(name, Tier::Project), Some("repository-env"), "{name}");
        assert_eq!(ask(name, Tier::Local), Some("repository-env"), "{name}");
        assert_eq!(ask(name, Tier::User), None, "{name}");
    }
}

#[test]
fn harmless_names_pass_from_anywhere() {
    for name in
        ["NODE_ENV", "CI", "TZ", "LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "TERM", "DEBUG", "RUST_LOG", "PORT"]
    {
        for tier in [Tier::User, Tier::Project, Tier::Local] {
            assert_eq!(ask(name, tier), None, "{name}");
        }
    }
    for name in ["LC_ALL ", "LC_\u{430}", "LC_-", "NODE_ENV\n", "\u{feff}CI"] {
        assert_eq!(ask(name, Tier::Project), Some("repository-env"), "{name:?}");
    }
}

#[test]
fn a_trusted_repository_keeps_its_own_names_only() {
    let keep = |name| ask_class(name, Tier::Project, Powers::Keep).map(|class| class.id);
    for name in ["MY_OWN", "DATABASE_NAME", "camelCase", "_x1", "ENOENT", "MAX_DEPTH"] {
        assert_eq!(keep(name), None, "{name}");
    }
    for name in
        ["ld_preload", "Bash_Env", "path_", "p\u{430}th", "MY-OWN", "1ST", "MY OWN", "claude_code_x", "winter_x"]
    {
        let expected = (name != "path_").then_some("repository-env");
        assert_eq!(keep(name), expected, "{name}");
    }
    assert_eq!(keep("CLAUDE_CODE_OF_TOMORROW"), Some("repository-env"));
    assert_eq!(keep("path"), Some("execution-env"));
}

#[test]
fn another_brand_has_names_of_its_own() {
    let brand = Profile { env_prefix: "ACME_".into(), ..Profile::winter() };
    let keep = |name, tier| refusal(name, tier, true, Powers::Keep, &brand).map(|class| class.id);
    assert_eq!(keep("ACME_HOME", Tier::User), Some("router-owned-env"));
    assert_eq!(keep("ACME_ANYTHING", Tier::Local), Some("repository-env"));
    assert_eq!(keep("ACME_ANYTHING", Tier::User), None);
    assert!(rows(&brand).any(|row| row.spelt(&brand) == "ACME_STORE_HOME"));
}

#[test]
fn every_list_is_sorted_capital_and_without_doubles() {
    for group in groups() {
        for list in group.lists() {
            assert!(list.is_sorted_by(|one, other| one < other), "{list:?}");
            for text in list {
                assert!(portable(text) && *text == text.to_ascii_uppercase(), "{text}");
            }
        }
    }
}

#[test]
fn every_row_can_be_reached_and_no_name_stands_in_two() {
    for brand in Profile::built_in() {
        let mut seen = std::collections::BTreeSet::new();
        for row in rows(&brand) {
            let name = row.spelt(&brand);
            if name.contains('*') {
                continue;
            }
            let found = classify(&name, &brand).expect("its own row");
            // The door's names outrank the contract's constants, which hold for every brand.
            let outranked = found.standing == Standing::Refused(&ROUTER_OWNED);
            assert!(seen.insert(name.clone()) || outranked, "{name} stands twice");
            assert!(found == row || outranked, "{name}: {} is never reached past {}", row.about, found.spelt(&brand));
            let covering = rows(&brand)
                .filter(|other| {
                    other.standing == row.standing && other.shape != Shape::Exact && other.about == row.about
                })
                .find(|other| other.shape == Shape::Prefix && name.starts_with(other.pattern));
            assert_eq!(covering, None, "{name} is said twice");
        }
    }
}

#[test]
fn every_class_has_rows_and_every_row_a_class() {
    let brand = Profile::winter();
    for class in CLASSES {
        let held = rows(&brand).any(|row| row.standing == Standing::Refused(class));
        assert_eq!(held, class != &NO_NAME, "{}", class.name);
        assert!(!class.why.is_empty() && !class.source.is_empty());
    }
    for row in rows(&brand) {
        if let Standing::Refused(class) = row.standing {
            assert!(CLASSES.contains(&class), "{}", row.pattern);
        }
    }
}

/// A file beside the checkout, or none with a line that says so.
#[cfg(not(target_arch = "wasm32"))]
fn shared(name: &str) -> Option<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        println!("skipped: no ../shared/data");
    }
    text
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_name_of_the_program_is_classified() {
    let Some(names) = shared("program_env_names.txt") else { return };
    let brand = Profile::claude();
    let unknown: Vec<_> = names.lines().filter(|name| !name.is_empty() && classify(name, &brand).is_none()).collect();
    assert_eq!(unknown, Vec::<&str>::new(), "names that no row classifies");
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_list_of_the_program_is_classified() {
    let Some(lists) = shared("program_env_lists.txt") else { return };
    let brand = Profile::claude();
    let lines = lists.lines().filter(|line| !line.starts_with('#'));
    let unknown: Vec<_> =
        lines.flat_map(str::split_whitespace).filter(|name| classify(name, &brand).is_none()).collect();
    assert_eq!(unknown, Vec::<&str>::new(), "names that no row classifies");
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn the_reviewed_keys_agree() {
    let Some(keys) = shared("settings_keys.tsv") else { return };
    let mut checked = 0;
    for line in keys.lines() {
        let mut cells = line.split('\t');
        let Some(name) = cells.next().and_then(|key| key.strip_prefix("env.")) else { continue };
        let expected = match cells.nth(1) {
            Some("exec") => "execution-env",
            Some("credential" | "endpoint") => "endpoint-env",
            Some("model") => "model-env",
            _ => "repository-env",
        };
        assert_eq!(ask(name, Tier::Project), Some(expected), "{name}");
        checked += 1;
    }
    assert!(checked > 50, "{checked} rows of variables");
}

proptest! {
    #[test]
    fn nothing_unknown_passes_from_a_repository(
        name in "\\PC{0,12}|[A-Z_=\0 \\-]{0,12}",
        local in any::<bool>(),
        shipped in any::<bool>(),
    ) {
        let tier = if local { Tier::Local } else { Tier::Project };
        let brand = Profile::winter();
        if refusal(&name, tier, shipped, Powers::Drop, &brand).is_none() {
            let standing = classify(&name, &brand).map(|row| row.standing);
            prop_assert_eq!(standing, Some(Standing::Harmless));
        }
    }

    #[test]
    fn no_spelling_of_a_refused_name_passes(
        at in any::<prop::sample::Index>(),
        flips in any::<u64>(),
        keep in any::<bool>(),
    ) {
        let brand = Profile::winter();
        let refused: Vec<_> = rows(&brand)
            .filter(|row| matches!(row.standing, Standing::Refused(_)))
            .map(|row| row.spelt(&brand).replace('*', "X"))
            .collect();
        let name: String = at.get(&refused).chars().enumerate()
            .map(|(i, c)| if flips >> (i % 64) & 1 == 1 { c.to_ascii_lowercase() } else { c })
            .collect();
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        prop_assert!(refusal(&name, Tier::Project, false, powers, &brand).is_some(), "{}", name);
    }

    #[test]
    fn look_alikes_and_padding_never_pass(
        at in any::<prop::sample::Index>(),
        bad in "[^A-Za-z0-9_]",
        place in any::<prop::sample::Index>(),
        keep in any::<bool>(),
    ) {
        let brand = Profile::claude();
        let names: Vec<_> = rows(&brand).map(|row| row.spelt(&brand).replace('*', "X")).collect();
        let mut name = at.get(&names).clone();
        name.insert_str(place.index(name.len() + 1), &bad);
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        prop_assert!(refusal(&name, Tier::Local, false, powers, &brand).is_some(), "{:?}", name);
    }

    #[test]
    fn a_person_keeps_what_no_class_takes(name in "[A-Za-z_][A-Za-z0-9_]{0,12}") {
        let brand = Profile::winter();
        let class = refusal(&name, Tier::User, false, Powers::Drop, &brand);
        prop_assert!(class.is_none_or(|class| class.tiers == Tiers::Any));
    }
}
