//! Journals of real processes that are killed: at random, within a save or a rotation, with a full storage.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use syncvar::log::{Journal, JournalOptions, JournalSync};
use syncvar::testing::Random;

use crate::journals::{check, directory, play, recover};

/// Directory of the journal, in a process that is killed.
const DIRECTORY: &str = "SYNCVAR_JOURNAL_DIRECTORY";

/// End of a line: updates gather a state.
const SLICES: &str = " between slices";

/// Number of kills in place of the usual one.
const KILLS: &str = "SYNCVAR_JOURNAL_KILLS";

/// Life of a process that is killed: it goes on from the journal, and prints each tick that the journal has.
#[test]
fn process_of_a_journal() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let directory = PathBuf::from(directory);
    let mut server = recover(&directory);
    let mut tick = check(&server);
    let options = JournalOptions {
        save_interval: Duration::from_millis(300),
        // Of 46: kills come between two slices of a state.
        objects_per_update: 8,
        sync: JournalSync::Every(Duration::from_secs(1)),
        retry_interval: Duration::from_millis(100),
    };
    let mut journal = Journal::open(&directory, &mut server, options).unwrap();
    let mut output = std::io::stdout();
    let start = server.now();
    for number in 1.. {
        tick += 1;
        play(&mut server, tick);
        server.update(start + number * Duration::from_millis(33));
        let result = match journal.update(&mut server) {
            Ok(()) => "tick",
            Err(_) => "failed",
        };
        let is_gathered = server.begin_save(1).is_err();
        let state = if is_gathered { SLICES } else { "" };
        writeln!(output, "{result} {tick}{state}").unwrap();
        // A server waits for its next tick, and the thread of a state has time.
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Output of a process.
struct Output {
    /// Last tick that the journal had.
    reported: u64,
    /// Number of ticks with a failure of the storage.
    failures: usize,
    /// Whether the process ended between two slices of a state.
    between_slices: bool,
}

/// Starts the process and kills it at a moment behind its first line, which stands before the journal is opened.
fn run(mut command: Command, wait: impl FnOnce()) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let output = BufReader::new(process.stdout.take().unwrap());
    let (sender, first_line) = channel();
    let reader = std::thread::spawn(move || {
        let lines = output.lines().map_while(Result::ok);
        let told = lines.inspect(|_| {
            // Nobody waits any more.
            let _ = sender.send(());
        });
        told.collect()
    });
    // A process without a line has failed, and has no sender any more.
    let _ = first_line.recv();
    wait();
    process.kill().unwrap();
    process.wait().unwrap();
    let lines: Vec<String> = reader.join().unwrap();
    let ticks = lines.iter().filter_map(|line| {
        let line = line.strip_suffix(SLICES).unwrap_or(line);
        line.strip_prefix("tick ")?.parse().ok()
    });
    let failed = lines.iter().filter(|line| line.starts_with("failed"));
    Output {
        reported: ticks.max().unwrap_or_default(),
        failures: failed.count(),
        between_slices: lines.last().is_some_and(|line| line.ends_with(SLICES)),
    }
}

fn process(directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = "kills::process_of_a_journal";
    command
        .args([test, "--exact", "--nocapture"])
        .env(DIRECTORY, directory);
    command
}

#[test]
fn killed_process_loses_no_tick_that_the_journal_had() {
    let directory = directory("killed");
    let mut random = Random::new(7);
    let (mut reached, mut hits, count) = (0, 0, kills(12));
    for _ in 0..count {
        let time = Duration::from_millis(u64::from(20 + random.below(180)));
        let output = run(process(&directory), || std::thread::sleep(time));
        let tick = check(&recover(&directory));
        assert_eq!(output.failures, 0);
        let reported = output.reported;
        assert!(
            tick >= reported && tick >= reached,
            "{reported}, {reached}, {tick}"
        );
        hits += u32::from(output.between_slices);
        reached = tick;
    }
    assert!(reached > 20, "{reached}");
    assert!(
        hits > count / 8,
        "{hits} of {count} kills between two slices"
    );
    fs::remove_dir_all(&directory).unwrap();
}

/// Returns the number of kills.
fn kills(usual: u32) -> u32 {
    let kills = std::env::var(KILLS).ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(usual)
}

/// Moment in the life of a journal, seen by the files in its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// The file of a new state is being written.
    Save,
    /// The file of a new state has its name, and the file before it is still there.
    Rotation,
}

impl Moment {
    fn is_now(self, directory: &Path) -> bool {
        let names = fs::read_dir(directory).into_iter().flatten().flatten();
        let names: Vec<_> = names
            .map(|it| it.file_name().into_string().unwrap())
            .collect();
        let count = |suffix| names.iter().filter(|name| name.ends_with(suffix)).count();
        match self {
            Self::Save => count(".draft") > 0,
            Self::Rotation => count(".mcap") > 1,
        }
    }

    /// Waits for the moment to come, a number of times.
    fn wait(self, directory: &Path, times: u32) {
        for _ in 0..times {
            for wanted in [false, true] {
                let begin = Instant::now();
                while self.is_now(directory) != wanted {
                    assert!(begin.elapsed() < Duration::from_mins(1), "no {self:?}");
                }
            }
        }
    }
}

/// Also in `open`, whose file replaces those of the process before.
#[test]
fn kills_within_a_save_or_a_rotation_cost_no_tick_that_the_journal_had() {
    for moment in [Moment::Save, Moment::Rotation] {
        let directory = directory(&format!("{moment:?}"));
        let mut random = Random::new(8);
        let (mut reached, mut hits, count) = (0, 0, kills(8));
        for _ in 0..count {
            let times = 1 + random.below(3);
            let output = run(process(&directory), || moment.wait(&directory, times));
            hits += u32::from(moment.is_now(&directory));
            let tick = check(&recover(&directory));
            assert_eq!(output.failures, 0);
            let reported = output.reported;
            assert!(
                tick >= reported && tick >= reached,
                "{moment:?}: {reported}, {reached}, {tick}"
            );
            reached = tick;
        }
        assert!(hits > count / 8, "{hits} of {count} kills at a {moment:?}");
        fs::remove_dir_all(&directory).unwrap();
    }
}

/// A file of the process may have 2 or 4 KiB: appends fail, and a new state heals the journal.
#[test]
#[cfg(unix)]
fn full_storage_costs_no_tick_that_the_journal_had() {
    let directory = directory("full");
    let command = process_with_files_of_four_blocks(&directory);
    let Output {
        reported, failures, ..
    } = run(command, || std::thread::sleep(Duration::from_secs(1)));
    let tick = check(&recover(&directory));
    assert!(tick >= reported && reported > 20, "{reported}, {tick}");
    assert!(failures > 5, "{failures}");
    fs::remove_dir_all(&directory).unwrap();
}

/// At any moment, also with a file that has failed, or in a new state that does not fit.
#[test]
#[cfg(unix)]
fn kills_with_a_full_storage_cost_no_tick_that_the_journal_had() {
    let directory = directory("full-killed");
    let mut random = Random::new(9);
    let (mut reached, mut failed) = (0, 0);
    for _ in 0..kills(8) {
        let time = Duration::from_millis(u64::from(50 + random.below(250)));
        let command = process_with_files_of_four_blocks(&directory);
        let output = run(command, || std::thread::sleep(time));
        failed += output.failures;
        let reported = output.reported;
        let tick = check(&recover(&directory));
        assert!(
            tick >= reported && tick >= reached,
            "{reported}, {reached}, {tick}"
        );
        reached = tick;
    }
    assert!(reached > 20 && failed > 5, "{reached}, {failed}");
    fs::remove_dir_all(&directory).unwrap();
}

#[cfg(unix)]
fn process_with_files_of_four_blocks(directory: &Path) -> Command {
    let mut command = Command::new("sh");
    let script =
        "trap '' XFSZ; ulimit -f 4; exec \"$0\" kills::process_of_a_journal --exact --nocapture";
    command
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(DIRECTORY, directory);
    command
}
