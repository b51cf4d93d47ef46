//! The limits, with real components that ask for too much: see `test_components` in the build script.

use std::time::Instant;

use super::*;

const LIMITS: Limits = Limits { deadline: Duration::from_millis(200), memory: 16 << 20 };

fn run(sandbox: &Sandbox) -> Result<(), RunnerError> {
    sandbox.call(&Grants::default(), |store, instance| {
        let run = instance.get_typed_func::<(), ()>(&mut *store, "run")?;
        run.call(&mut *store, ())
    })
}

macro_rules! component {
    ($name:literal) => {
        Sandbox::compiled(include_bytes!(concat!(env!("OUT_DIR"), "/test-", $name, ".cwasm")), LIMITS).unwrap()
    };
}

#[test]
fn an_endless_guest_ends_within_twice_its_deadline_and_the_next_call_works() {
    let (endless, idle) = (component!("endless"), component!("idle"));
    for _ in 0..3 {
        let started = Instant::now();
        let error = run(&endless).unwrap_err();
        assert!(started.elapsed() < 2 * LIMITS.deadline, "{:?}", started.elapsed());
        assert!(started.elapsed() >= LIMITS.deadline, "{:?}", started.elapsed());
        assert!(matches!(error, RunnerError::TimedOut(_)), "{error}");
        assert_eq!((error.code(), error.exit_code()), ("timed-out", 5));
        run(&idle).unwrap();
    }
}

#[test]
fn the_runner_answers_after_a_guest_of_its_engine_was_ended() {
    let guest = Guest::embedded(Limits { deadline: Duration::from_millis(1), ..LIMITS }).unwrap();
    let grants = Grants::default();
    // Far more than a millisecond of guest time: every byte is escaped.
    let long = "[".repeat(8 << 20);
    let spelling = bindings::exports::winter::runtime::types::Spelling::Hex;
    let rule = |path: &str| {
        guest.call(&grants, |store, exports| exports.winter_runtime_escape().call_rule_path(store, path, spelling))
    };
    assert!(matches!(rule(&long), Err(RunnerError::TimedOut(_) | RunnerError::OutOfMemory(_))));
    assert_eq!(rule("a").unwrap(), "a");
}

#[test]
fn a_guest_that_eats_memory_is_stopped_at_its_bound() {
    let greedy = component!("greedy");
    for _ in 0..2 {
        let error = run(&greedy).unwrap_err();
        assert!(matches!(error, RunnerError::OutOfMemory(_)), "{error}");
    }
}

#[test]
fn a_guest_that_traps_is_a_typed_error() {
    let error = run(&component!("trap")).unwrap_err();
    assert!(matches!(&error, RunnerError::GuestFailed(what) if what.contains("unreachable")), "{error}");
}

#[test]
fn host_time_is_not_guest_time() {
    let idle = component!("idle");
    idle.call(&Grants::default(), |store, instance| {
        let host = store.data().host.time().in_host();
        std::thread::sleep(2 * LIMITS.deadline);
        drop(host);
        let run = instance.get_typed_func::<(), ()>(&mut *store, "run")?;
        run.call(&mut *store, ())
    })
    .unwrap();
}

#[test]
fn what_was_not_granted_is_denied_by_name() {
    let guest = Guest::embedded(LIMITS).unwrap();
    let mut grants = Grants { git_index: true, ..Grants::default() };
    let folder = tempfile::tempdir().unwrap();
    let ask = |grants: &Grants| {
        guest.call(grants, |store, exports| {
            let cwd = crate::capability::files::Folder::grant(folder.path()).unwrap();
            let cwd = store.data_mut().host.lend(cwd)?;
            let input = crate::run_home::wit_input(&crate::RunHomeInput::new(folder.path(), folder.path())).unwrap();
            let places = bindings::exports::winter::runtime::run_home::Places {
                shared_home: None,
                cwd,
                trusted_root: None,
                git_top: None,
                git_entry: None,
                global_home: None,
                links: None,
                granted: Vec::new(),
            };
            exports.winter_runtime_run_home().call_build(store, &input, &places)
        })
    };
    let error = ask(&grants).unwrap_err();
    assert!(matches!(&error, RunnerError::Denied(denied) if denied.capability == "clock"), "{error}");
    assert_eq!(error.exit_code(), 4);
    grants.clock = true;
    ask(&grants).unwrap().unwrap();
}
