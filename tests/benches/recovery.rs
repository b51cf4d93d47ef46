//! Recovering 1 GiB of transcripts, beside copying it.
//!
//! `many` has 64 sessions of 16 MiB, `one` has one of 1 GiB. `level` compares with what the shared home holds already, `all_new`
//! proves, copies and syncs all of it, `half` compares the first half of each and appends the second. Their peers are
//! the system's `cp -r` of the same, which syncs nothing, and the same with `sync -f` after it.
//! Before them the peak memory of the program is printed.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use divan::Bencher;
use divan::counter::BytesCount;
use serde_json::json;
use tempfile::TempDir;
use winter_runner::recovery::RecoverInput;
use winter_runner::{Config, Runner};

const TOTAL: u64 = 1 << 30;

fn main() {
    // Only when everything is asked for: a filter means something else.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        for files in [64, 1] {
            let place = Place::new(files);
            let mut command = Command::new(winter_tests::winter());
            command.env_clear().stdout(Stdio::null()).arg("recover").arg(place.at("run")).arg("--home");
            command.arg(place.at("winter")).arg("--shared-home").arg(place.at("shared"));
            let (peak, status) = winter_tests::peak(&mut command);
            assert!(status.success());
            let peak = peak.map_or_else(|| "not told by the system".to_owned(), |peak| format!("{peak} KiB"));
            println!("peak memory of recovering 1 GiB in {files} transcripts: {peak}");
        }
    }
    divan::main();
}

/// A working copy with 1 GiB of transcripts, and room beside it.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new(files: u64) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        let folder = place.at("run/projects/-src-it");
        fs::create_dir_all(&folder).unwrap();
        for file in 0..files {
            write(&folder.join(format!("0198c0de-{file:04}.jsonl")), TOTAL / files);
        }
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The shared home holds this part of each transcript.
    fn holding(&self, part: impl Fn(u64) -> u64) {
        let _ = fs::remove_dir_all(self.at("shared"));
        fs::create_dir_all(self.at("shared/projects/-src-it")).unwrap();
        for entry in fs::read_dir(self.at("run/projects/-src-it")).unwrap() {
            let from = entry.unwrap().path();
            let to = self.at("shared/projects/-src-it").join(from.file_name().unwrap());
            let length = part(fs::metadata(&from).unwrap().len());
            if length > 0 {
                fs::copy(&from, &to).unwrap();
                File::options().write(true).open(&to).unwrap().set_len(length).unwrap();
            }
        }
        // What the benches write is written back in their own time.
        assert!(Command::new("sync").arg("-f").arg(self.dir.path()).status().unwrap().success());
    }

    fn recover(&self, outcome: &str) {
        let input = RecoverInput { root: self.at("run"), shared_home: self.at("shared"), home: self.at("winter") };
        let report = Runner::new(Config::default()).unwrap().recover(&input, &mut |_| {}).unwrap();
        assert!(report.transcripts.iter().all(|one| one.outcome == outcome), "{report:?}");
    }

    fn copy(&self) {
        let copied = Command::new("cp").arg("-r").arg(self.at("run/projects")).arg(self.at("shared/copied")).status();
        assert!(copied.unwrap().success());
    }

    fn copy_and_sync(&self) {
        self.copy();
        assert!(Command::new("sync").arg("-f").arg(self.at("shared")).status().unwrap().success());
    }
}

/// A transcript of about that many bytes: lines as a session has them, of 1 to 7 KiB.
fn write(path: &Path, bytes: u64) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let (mut written, mut number) = (0, 0_usize);
    while written < bytes {
        let text = "let it = \"said\";\n\tfn of(&self) -> u64 { self.0 } // a line of code\n".repeat(6 + number % 40);
        let id = format!("0198c0de-0000-7000-8000-{number:012}");
        let line = json!({
            "parentUuid": id, "isSidechain": false, "userType": "external", "cwd": "/home/me/src/it", "sessionId": id,
            "version": "2.1.250", "gitBranch": "main", "type": "assistant", "uuid": id,
            "timestamp": "2026-11-11T11:11:11.111Z",
            "message": {"role": "assistant", "id": "msg_01", "content": [{"type": "text", "text": text}], "usage":
                {"input_tokens": 4, "cache_read_input_tokens": 15000, "output_tokens": 300, "service_tier": "standard"}},
            "toolUseResult": {"type": "text", "file": {"filePath": "/x", "content": text, "numLines": 12}},
        });
        let line = format!("{line}\n");
        file.write_all(line.as_bytes()).unwrap();
        written += line.len() as u64;
        number += 1;
    }
    file.flush().unwrap();
}

macro_rules! group {
    ($name:ident, $files:literal) => {
        #[divan::bench_group(sample_count = 7, sample_size = 1)]
        mod $name {
            use super::{Bencher, BytesCount, Place, TOTAL};

            fn run(bencher: Bencher<'_, '_>, part: fn(u64) -> u64, what: fn(&Place)) {
                let place = Place::new($files);
                bencher
                    .counter(BytesCount::new(TOTAL))
                    .with_inputs(|| place.holding(part))
                    .bench_local_values(|()| what(&place));
            }

            #[divan::bench]
            fn all_new(bencher: Bencher<'_, '_>) {
                run(bencher, |_| 0, |place| place.recover("appended"));
            }

            #[divan::bench]
            fn half(bencher: Bencher<'_, '_>) {
                run(bencher, |length| length / 2, |place| place.recover("appended"));
            }

            #[divan::bench]
            fn level(bencher: Bencher<'_, '_>) {
                run(bencher, |length| length, |place| place.recover("clean"));
            }

            #[divan::bench]
            fn copy(bencher: Bencher<'_, '_>) {
                run(bencher, |_| 0, Place::copy);
            }

            #[divan::bench]
            fn copy_and_sync(bencher: Bencher<'_, '_>) {
                run(bencher, |_| 0, Place::copy_and_sync);
            }
        }
    };
}

group!(many, 64);
group!(one, 1);
