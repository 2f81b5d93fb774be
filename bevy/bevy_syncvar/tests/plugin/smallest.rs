//! Sizes of the programs: the smallest one, whose output `.ci/run` compares, and the shooter.

#[path = "../../examples/smallest.rs"]
mod program;

use std::collections::BTreeSet;

const SMALLEST: &str = include_str!("../../examples/smallest.rs");
const SHOOTER: &str = include_str!("../../../bevy_syncvar_examples/src/bin/shooter.rs");
const LIBRARY: &str = include_str!("../../src/lib.rs");

/// Names of the plugin besides its prelude: attributes, methods and fields.
const MEMBERS: [&str; 12] = [
    "bevy_syncvar",
    "by",
    "filter_parents",
    "net_calls",
    "net_entity_event",
    "net_event",
    "network_behaviour",
    "previous",
    "refuse",
    "rewind",
    "seen",
    "sync_var",
];

/// Families of methods for the registration.
const REGISTRATIONS: [&str; 3] = ["replicate", "predict", "rollback"];

/// Returns the words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty())
}

/// Returns the names of the prelude.
fn prelude() -> BTreeSet<&'static str> {
    let (_, prelude) = LIBRARY.split_once("pub mod prelude {").unwrap();
    let (prelude, _) = prelude.split_once("\n}").unwrap();
    let grammar = ["pub", "use", "crate", "syncvar"];
    words(prelude)
        .filter(|word| !grammar.contains(word))
        .collect()
}

/// Returns the words of a line that belong to the plugin.
fn of_network<'a>(line: &'a str, prelude: &BTreeSet<&str>) -> Vec<&'a str> {
    let is_registration = |word: &str| {
        let family = word.split('_').next().unwrap_or(word);
        REGISTRATIONS.contains(&family)
    };
    let known =
        |word: &&str| prelude.contains(word) || MEMBERS.contains(word) || is_registration(word);
    words(line).filter(known).collect()
}

/// Returns the lines of code of a program, without its tests and the script that plays it in them.
fn code(source: &str) -> Vec<&str> {
    let source = source.split("#[cfg(test)]").next().unwrap_or(source);
    let (game, rest) = source.split_once("const EXAMPLE").unwrap_or((source, ""));
    let main = rest.split_once("\n};").map_or("", |(_, main)| main);
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    game.lines().chain(main.lines()).filter(is_code).collect()
}

#[test]
fn the_smallest_program_is_small_and_runs() {
    let lines = code(SMALLEST);
    assert!(lines.len() <= 30, "{} lines", lines.len());
    let prelude = prelude();
    let words = lines.iter().flat_map(|line| of_network(line, &prelude));
    let concepts: BTreeSet<&str> = words.filter(|word| *word != "bevy_syncvar").collect();
    assert!(concepts.len() <= 8, "{concepts:?}");
    assert!(concepts.contains("Replicated"), "{concepts:?}");
    program::main();
}

#[test]
fn the_network_touches_few_lines_of_the_shooter() {
    let lines = code(SHOOTER);
    assert!(lines.len() <= 145, "{} lines", lines.len());
    let prelude = prelude();
    let touched = lines
        .iter()
        .filter(|line| !of_network(line, &prelude).is_empty());
    let touched: Vec<_> = touched.collect();
    assert!(touched.len() <= 22, "{} lines: {touched:#?}", touched.len());
    assert!(touched.len() > 10, "{touched:#?}");
}
