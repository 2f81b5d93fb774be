//! Memory of each attack: at its peak, and afterwards.

use allocation_counter::measure;
use proptest::prelude::*;
use syncvar_testing::attacks::{Attack, attacks, delta_programs, programs};
use syncvar_testing::cases;

/// Largest memory during an attack, in KiB.
const PEAK: u64 = 64 * 1024;

/// Largest memory after an attack, in KiB.
const KEPT: i64 = 16 * 1024;

/// Runs the attacks whose names begin with a text. `ATTACK=text` selects some of them.
fn assert_bounded(begins: fn(&str) -> bool) {
    let selected = std::env::var("ATTACK").unwrap_or_default();
    let mut beyond = Vec::new();
    let named = attacks().into_iter();
    for (name, prepare) in named.filter(|(name, _)| begins(name) && name.contains(&selected)) {
        let mut attack = prepare();
        let mut sent = 0;
        let memory = measure(|| sent = attack.run());
        let (peak, kept) = (memory.bytes_max / 1024, memory.bytes_current / 1024);
        let figures = format!(
            "{name}: {} bytes, {} times, peak {peak} KiB, kept {kept} KiB, sent {} KiB",
            attack.len(),
            attack.updates,
            sent / 1024,
        );
        println!("{figures}");
        if peak > PEAK || kept > KEPT {
            beyond.push(figures);
        }
    }
    assert!(beyond.is_empty(), "{}", beyond.join("\n"));
}

#[test]
fn attacks_on_a_server_take_bounded_memory() {
    assert_bounded(|name| !name.starts_with("client") && !name.starts_with("mirror"));
}

#[test]
fn attacks_on_a_client_take_bounded_memory() {
    assert_bounded(|name| name.starts_with("client"));
}

#[test]
fn attacks_on_mirrors_ends_take_bounded_memory() {
    assert_bounded(|name| name.starts_with("mirror"));
}

fn assert_small(mut attack: Attack) {
    let memory = measure(|| {
        attack.run();
    });
    let (peak, kept) = (memory.bytes_max / 1024, memory.bytes_current / 1024);
    assert!(
        peak <= PEAK && kept <= KEPT,
        "peak {peak} KiB, kept {kept} KiB"
    );
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn random_attacks_take_bounded_memory(program in programs()) {
        assert_small(program.prepare());
    }
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn random_deltas_take_bounded_memory(program in delta_programs()) {
        assert_small(program.prepare());
    }
}
