//! Plays random programs against their oracle: `programs [--count N] [--seed FIRST]`.

use std::process::ExitCode;

use syncvar_testing::programs::check;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let number = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        let text = at.and_then(|at| arguments.get(at + 1));
        text.map_or(usual, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("--seed", 0), number("--count", 1_000));
    // The failures have the messages.
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for seed in first..first + count {
        if let Err(failure) = check(seed) {
            failures += 1;
            println!("seed {seed}: {failure}\n");
        }
    }
    println!("{failures} of {count} programs fail");
    if failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
