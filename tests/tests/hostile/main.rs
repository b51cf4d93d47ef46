//! Published attacks through files of a repository: one test each. A repository that carries it is made, a run home is
//! built from it, and what is dropped, under which reason and from which line, is compared, and the bytes of the run
//! folder are searched for what would have acted.

mod fixture;
mod frontmatter;
mod items;
mod places;
mod programs;
mod servers;
mod settings;

use std::path::Path;

/// A test for each row, and the table of them: the identifier under which the attack is known, and its test.
macro_rules! rows {
    ($($id:literal: $module:ident::$test:ident;)*) => {
        /// The attacks that have a test here.
        const ROWS: &[(&str, &str)] = &[$(($id, stringify!($test))),*];

        $(#[test]
        fn $test() {
            $module::$test();
        })*
    };
}

rows! {
    "CVE-2025-59536": settings::cve_2025_59536_hooks_and_self_approved_servers;
    "CVE-2026-21852": settings::cve_2026_21852_requests_sent_elsewhere;
    "CVE-2026-33068": settings::cve_2026_33068_a_mode_that_asks_nothing;
    "CVE-2026-40068": places::cve_2026_40068_a_pointer_to_a_trusted_repository;
    "CVE-2026-25725": places::cve_2026_25725_settings_that_were_absent_at_the_start;
    "CVE-2026-25724": places::cve_2026_25724_a_link_around_a_rule;
    "CVE-2026-39861": places::cve_2026_39861_a_link_where_winter_writes;
    "CVE-2025-59041": programs::cve_2025_59041_a_value_of_gits_in_a_command;
    "CVE-2025-65099": programs::cve_2025_65099_a_plugin_of_a_package_manager;
    "CVE-2025-59828": programs::cve_2025_59828_a_version_asked_for_in_the_project;
    "CVE-2026-46406": places::cve_2026_46406_a_path_that_can_be_foretold;
    "CVE-2025-61260": settings::cve_2025_61260_variables_that_move_the_home;
    "CVE-2025-54135": servers::cve_2025_54135_servers_that_appear_later;
    "CVE-2025-54136": servers::cve_2025_54136_an_entry_edited_after_it_was_read;
    "CVE-2025-59944": places::cve_2025_59944_other_cases_of_a_name;
    "CVE-2025-61592": settings::cve_2025_61592_a_repository_loosens;
    "CVE-2026-26268": programs::cve_2026_26268_git_settings_that_run_programs;
    "CVE-2025-53773": settings::cve_2025_53773_settings_changed_during_a_run;
    "CVE-2025-68433": servers::cve_2025_68433_servers_started_on_open;
    "CVE-2025-68432": settings::cve_2025_68432_a_program_named_by_a_key;
    "GHSA 2026-04-24": places::ghsa_2026_04_24_a_session_that_nobody_watches;
    "TrustFall": servers::trustfall_every_server_of_a_repository_at_once;
    "2.1.169": settings::changes_2_1_169_certificates_of_telemetry;
    "2.1.196": servers::changes_2_1_196_looking_is_filtered_as_running_is;
    "2.1.207": settings::changes_2_1_207_what_the_approval_classifier_is_told;
    "2.1.222": settings::changes_2_1_222_remote_control_switched_on;
    "2.1.212": places::changes_2_1_212_a_committed_link_for_the_whole_folder;
    "2.1.218": items::changes_2_1_218_frontmatter_of_agents;
    "by design": items::by_design_a_skill_that_grants_itself_tools;
    "PoC": settings::poc_2026_05_a_hook_at_the_start_of_the_session;
    "Rules File Backdoor": items::rules_file_backdoor_characters_that_nobody_sees;
    "CVE-2026-30615": servers::cve_2026_30615_a_local_server_that_nobody_started;
}

/// Attacks that no file of a repository carries, and why there is no test of them.
const NOT_FILES: &[(&str, &str)] =
    &[("CVE-2026-22812", "a server on the machine that anybody may call: a run home opens no port and no socket")];

#[test]
fn boundaries_are_nobodys_to_write() {
    items::boundaries_are_nobodys_to_write();
}

#[test]
fn every_known_attack_has_a_test_or_a_reason() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let table = workspace.parent().map(|above| above.join("shared/data/cves.tsv"));
    let Some(table) = table.and_then(|path| std::fs::read_to_string(path).ok()) else {
        println!("skipped: no ../shared/data");
        return;
    };
    let ids: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    assert!(!ids.is_empty());
    let known = || ROWS.iter().chain(NOT_FILES);
    for id in &ids {
        assert_eq!(known().filter(|(known, _)| id.contains(known)).count(), 1, "{id}");
    }
    for (known, _) in known() {
        assert_eq!(ids.iter().filter(|id| id.contains(known)).count(), 1, "{known} is no row");
    }
}
