//! Exhaustive search: two zones, a gateway, one object, and every order of the messages.
//!
//! The network is the set of all messages that were ever sent. Each message may arrive at any time, any number of times, or never:
//! so the search covers loss, repetition and reordering of every extent. From each state the object becomes real and all commands
//! are applied, even if all messages so far are lost. A zone ends at any step, once, and starts again from
//! its journal. The state of the object is the list of the commands that were applied to it.
//!
//! A state of the search has numbers in the place of nodes and messages, so millions of states fit into memory.

mod world;

use std::collections::{HashMap, HashSet};

use world::{Action, Search, World};

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    departures: u8,
    commands: u8,
    crashes: u8,
    /// Whether a gateway plays the records of the zones.
    has_gateway: bool,
}

/// Visited states.
#[derive(Default)]
struct Visited {
    numbers: HashMap<World, u32>,
    /// Preceding state and action, by state.
    origins: Vec<(u32, Option<Action>)>,
    /// States that have recovered from a loss of every message.
    recovered: HashSet<World>,
    /// Highest number of sent messages.
    messages: u32,
}

impl Visited {
    /// Returns the actions that lead to a state.
    fn path(&self, mut number: u32) -> Vec<Action> {
        let mut path = Vec::new();
        while let (former, Some(action)) = self.origins[number as usize] {
            path.push(action);
            number = former;
        }
        path.reverse();
        path
    }
}

fn index(place: usize) -> u32 {
    u32::try_from(place).expect("few states")
}

/// Visits every state within the bounds.
fn search(bounds: Bounds) -> Visited {
    let mut search = Search::new(bounds);
    let mut visited = Visited::default();
    let mut worlds = vec![search.begin()];
    visited.numbers.insert(worlds[0], 0);
    visited.origins.push((0, None));
    let mut number = 0;
    while number < worlds.len() {
        let world = worlds[number];
        let former = index(number);
        for action in search.actions(&world) {
            let mut after = world;
            search.act(&mut after, action);
            visited.messages = visited.messages.max(after.messages());
            if visited.numbers.contains_key(&after) {
                continue;
            }
            let mut checked = search.check(&after);
            let silent = after.silent();
            if checked.is_ok() && visited.recovered.insert(silent) {
                checked = search.recover(silent);
            }
            if let Err(broken) = checked {
                panic!("{broken}: {:?} {action:?}", visited.path(former));
            }
            visited.numbers.insert(after, index(worlds.len()));
            visited.origins.push((former, Some(action)));
            worlds.push(after);
        }
        number += 1;
    }
    visited
}

fn prove(bounds: Bounds, least_states: usize, least_messages: u32) {
    let visited = search(bounds);
    let found = (visited.origins.len(), visited.messages);
    println!("{bounds:?}: {} states, up to {} messages", found.0, found.1);
    assert!(
        found.0 > least_states && found.1 >= least_messages,
        "{found:?}"
    );
}

#[test]
fn a_handover_keeps_its_promises_in_every_order() {
    let bounds = |departures, commands| Bounds {
        departures,
        commands,
        crashes: 1,
        has_gateway: false,
    };
    prove(bounds(3, 0), 500, 6);
    prove(bounds(1, 2), 1_000, 7);
    prove(bounds(2, 1), 5_000, 7);
    if std::env::var("SYNCVAR_WHOLE_SEARCH").is_ok() {
        prove(bounds(3, 2), 400_000, 12);
    }
}

#[test]
fn a_gateway_shows_one_copy_in_every_order() {
    let bounds = |departures, crashes| Bounds {
        departures,
        commands: 0,
        crashes,
        has_gateway: true,
    };
    prove(bounds(2, 1), 2_000, 4);
    prove(bounds(3, 0), 5_000, 6);
    if std::env::var("SYNCVAR_WHOLE_SEARCH").is_ok() {
        prove(bounds(3, 1), 40_000, 6);
    }
}
