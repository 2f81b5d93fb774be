//! Plays random pairs of schemas against their oracle: `schemas [--count N] [--seed FIRST]`.
//!
//! A process may learn schemas up to a limit of memory: each part of the pairs runs in a process of its own.

use std::process::{Command, ExitCode};

use syncvar_testing::schemas::check;

/// Pairs of a process.
const PART: u16 = 1_000;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        let text = at.and_then(|at| arguments.get(at + 1));
        text.map_or(usual, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("--seed", 0), number("--count", PART.into()));
    let failures = if count > PART.into() {
        play_parts(first, count)
    } else {
        play(first, count)
    };
    println!("{failures} of {count} pairs fail");
    if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn play(first: u64, count: u64) -> u64 {
    // The failures have the messages.
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for seed in first..first + count {
        if let Err(failure) = check(seed) {
            failures += 1;
            println!("seed {seed}: {failure}\n");
        }
    }
    failures
}

/// Plays the pairs in processes of their own. Returns the number of parts that fail.
fn play_parts(first: u64, count: u64) -> u64 {
    let program = std::env::current_exe().expect("the path of this program");
    let mut failures = 0;
    for part in (first..first + count).step_by(usize::from(PART)) {
        let rest = u64::from(PART).min(first + count - part);
        let status = Command::new(&program)
            .args(["--seed", &part.to_string(), "--count", &rest.to_string()])
            .status()
            .expect("a process for a part of the pairs");
        failures += u64::from(!status.success());
    }
    failures
}
