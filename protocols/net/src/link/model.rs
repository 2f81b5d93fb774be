//! Reference server and clients over [`Sender`](super::sender::Sender) and
//! [`Receiver`](super::receiver::Receiver), for the schedules of lossy links.
//!
//! Small and slow on purpose: objects of five numbers, typed packets, linear searches. Each rule can be
//! switched off alone, which shows that the schedules find the hole behind it.

mod client;
mod connection;
mod packet;
mod rules;
mod server;
mod system;
mod update;

use syncvar_testing::cases;
use syncvar_testing::loss::{FIELDS, Failure, ORDERED, OWNED, SECRET, check};

use rules::Rule;
use system::Model;

/// Fields as bits.
type Mask = u8;

const ALL: Mask = (1 << FIELDS) - 1;
const SECRET_BIT: Mask = 1 << SECRET;
const OWNED_BIT: Mask = 1 << OWNED;
const ORDERED_BIT: Mask = 1 << ORDERED;

/// Fields that each observer reads by datagram.
const SHARED_BITS: Mask = 0b11;

fn bits(mask: Mask) -> impl Iterator<Item = usize> {
    (0..FIELDS).filter(move |field| mask >> field & 1 == 1)
}

/// Returns the bits of the fields for which a condition holds.
fn only(mask: Mask, mut holds: impl FnMut(usize) -> bool) -> Mask {
    bits(mask)
        .filter(|field| holds(*field))
        .map(|field| 1 << field)
        .sum()
}

fn play(seed: u64, without: Option<Rule>) -> Result<(), Box<Failure>> {
    check(seed, |setup| Model::new(setup, without))
}

#[test]
fn random_schedules_keep_all_properties() {
    for seed in 0..cases(2_000).cases {
        if let Err(failure) = play(seed.into(), None) {
            panic!("seed {seed}: {failure}");
        }
    }
}

#[test]
fn schedules_find_each_rule_that_is_off() {
    for (rule, seed, property) in &rules::FOUND_BY {
        let error = play(*seed, Some(*rule)).map_err(|failure| failure.error);
        let error = error.expect_err(&format!("{rule:?} is not missed"));
        assert!(error.starts_with(property), "{rule:?}: {error}");
    }
}
