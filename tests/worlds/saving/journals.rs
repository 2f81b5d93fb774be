//! Journals: the state of each tick, and servers that continue from it.

use std::time::Duration;

use syncvar::behaviour::Optional;
use syncvar::prelude::*;
use syncvar::saving::{PendingSave, Save, SaveError};
use syncvar::testing::{Conditions, Random};
use syncvar_testing::drain;

use super::{Place, RED, Shield, Unit, config, network, objects, prefabs, unit};

/// A world whose journal is kept.
struct Journaled {
    net: MemoryNetwork,
    /// State with the records so far.
    save: Save,
    /// Save in slices.
    pending: Option<PendingSave>,
    /// Completed saves in slices.
    completed: usize,
    ids: Vec<NetId>,
    number: u8,
}

impl Journaled {
    fn new(link: Conditions) -> Self {
        let (mut net, ids) = network(link);
        let save = net.server.start_journal().unwrap();
        Self {
            net,
            save,
            pending: None,
            completed: 0,
            ids,
            number: 0,
        }
    }

    fn step(&mut self) {
        self.net.step();
        while let Some(record) = self.net.server.poll_journal() {
            self.save.push(record).unwrap();
        }
        if let Some(save) = self.pending.as_ref().and_then(PendingSave::poll) {
            // The records behind it continue it.
            self.save = save.unwrap();
            self.pending = None;
            self.completed += 1;
        }
    }

    fn load(&self) -> NetworkServer {
        let mut server = NetworkServer::with_config(prefabs(), config());
        server.load(&self.save).unwrap();
        server
    }

    /// Compares the server of the journal with the server in the network.
    fn check(&mut self, seed: u64) {
        let mut server = self.load();
        assert_equal(&mut server, &mut self.net.server, seed);
    }

    fn object(&mut self, random: &mut Random) -> NetId {
        *random.pick(&self.ids).unwrap()
    }

    /// Changes anything.
    fn act(&mut self, random: &mut Random) {
        self.number = self.number.wrapping_add(1);
        let (id, client) = (self.object(random), random.below(2) as usize);
        let connection = self.net.connection(client);
        if random.chance(50) {
            self.toggle_link(client);
        }
        let server = &mut self.net.server;
        // A connection before its first ready has no session: a loaded server does not know it.
        if !server.is_ready(connection) && !server.is_away(connection) {
            return;
        }
        let on = random.chance(500);
        // Of a removed object each is an error.
        match random.below(20) {
            0 => self.ids.push(server.spawn(unit(self.number))),
            1 => drop(server.despawn(id)),
            2 => drop(server.set_owner(id, on.then_some(connection))),
            3 => drop(server.set_group(id, on.then_some(RED))),
            4 if on => drop(server.join_group(connection, RED)),
            4 => drop(server.leave_group(connection, RED)),
            5 if on => drop(server.hide(id, connection)),
            5 => drop(server.show(id, connection)),
            6 if on => drop(server.hide_from_all(id)),
            6 => drop(server.show_to_all(id)),
            7 if on => drop(server.show_by_interest(id)),
            7 => drop(server.restore(id, connection)),
            8 => drop(server.set_parent(id, on.then_some(self.ids[0]))),
            9 => drop(server.set_player_key(connection, vec![self.number % 3])),
            10 => drop(server.set_player(connection, 1, on.then_some(id))),
            11 => {
                if let Ok(mut shield) = server.get_mut::<Optional<Shield>>(id) {
                    shield.set(on.then(Shield::default));
                }
            }
            12 => {
                if let Ok(mut shield) = server.get_mut::<Shield>(id) {
                    shield.strength += 1;
                    shield.maker.set(format!("smith {}", self.number));
                }
            }
            13 => {
                if let Ok(mut unit) = self.net.client_mut(client).get_mut::<Unit>(id) {
                    unit.aim += 1;
                }
            }
            15 => {
                if let Ok(mut place) = server.get_mut::<Place>(id) {
                    place.x.set(f32::from(self.number));
                    place.seed += 1;
                    place.path.push(self.number.into());
                }
            }
            16 => {
                // An object of an earlier id, or of one far away.
                let options = SpawnOptions {
                    net_id: Some(if on { id } else { NetId(1 << 25 | id.0) }),
                    ..SpawnOptions::default()
                };
                self.ids
                    .extend(server.try_spawn(unit(self.number), options));
            }
            17 => server.set_note(vec![self.number % 3], vec![self.number; on.into()]),
            _ => {
                if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                    unit.health += 1;
                    unit.gold += 1;
                    unit.account.set(format!("account {}", self.number));
                    unit.plan.push(format!("plan {}", self.number));
                    unit.mask.set(self.number);
                    unit.target.set(self.ids[0].into());
                }
            }
        }
    }

    fn toggle_link(&mut self, client: usize) {
        if self.net.is_connected(client) {
            self.net.cut(client);
        } else {
            self.net.reconnect(client);
        }
    }

    /// Ends the process of the server, and continues with the server of the journal.
    fn restart(&mut self) {
        for client in 0..2 {
            if self.net.is_connected(client) {
                self.net.cut(client);
            }
        }
        self.net.server = self.load();
        self.pending = None;
        self.save = self.net.server.start_journal().unwrap();
        for client in 0..2 {
            self.net.reconnect(client);
        }
    }
}

/// Compares a loaded server with the server of the save.
pub(super) fn assert_equal(loaded: &mut NetworkServer, server: &mut NetworkServer, seed: u64) {
    let (loaded, present) = (loaded.save().unwrap(), server.save().unwrap());
    assert_eq!(objects(&loaded), objects(&present), "seed {seed}");
    assert_eq!(facts(&loaded), facts(&present), "seed {seed}");
}

/// Returns the bytes behind the messages of a save: the facts of the server.
fn facts(save: &Save) -> Vec<u8> {
    let bytes = save.keyframe().as_bytes();
    let messages = objects(save);
    let last = messages.last().map_or(&[][..], |messages| messages);
    let ends = bytes
        .windows(last.len().max(1))
        .rposition(|part| part == last);
    bytes[ends.map_or(0, |at| at + last.len())..].to_vec()
}

/// Plays a random world. Returns the number of its saves in slices.
fn play(seed: u64, link: Conditions) -> usize {
    let mut world = Journaled::new(link);
    let mut random = Random::new(seed);
    for step in 0..120 {
        for _ in 0..random.below(4) {
            world.act(&mut random);
        }
        let completed = world.completed;
        world.step();
        if step % 7 == 0 || world.completed > completed {
            world.check(seed);
        }
        if world.pending.is_none() && random.chance(150) {
            let slice = 1 + random.below(4) as usize;
            world.pending = Some(world.net.server.begin_save(slice).unwrap());
        }
        if random.chance(30) {
            world.restart();
        }
        if random.chance(50) {
            // The next part of the journal.
            world.save = world.net.server.start_journal().unwrap();
        }
    }
    for client in 0..2 {
        if !world.net.is_connected(client) {
            world.net.reconnect(client);
        }
        world.net.set_link(client, Conditions::default());
    }
    world.net.settle();
    world.net.assert_replicas_equal();
    world.completed
}

#[test]
fn journal_has_the_state_of_each_tick_and_servers_continue_from_it() {
    let completed = (0..40).map(|seed| play(seed, Conditions::default()));
    assert!(completed.sum::<usize>() > 100);
}

#[test]
fn journal_does_not_depend_on_links() {
    let link = Conditions {
        delay: Duration::from_millis(60),
        loss: 0.1,
        ..Conditions::default()
    };
    for seed in 100..130 {
        play(seed, link.clone());
    }
}

#[test]
fn journal_ends_at_a_missing_record() {
    let mut world = Journaled::new(Conditions::default());
    world.net.server.spawn(unit(1));
    world.net.step();
    assert!(world.net.server.poll_journal().is_some());
    world.net.server.spawn(unit(1));
    world.net.step();
    let record = world.net.server.poll_journal().unwrap();
    let error = world.save.push(record).unwrap_err();
    assert!(matches!(error, SaveError::NoSuccessor { .. }), "{error}");
}

#[test]
fn idle_journal_writes_a_record_after_a_silence() {
    let mut world = Journaled::new(Conditions::default());
    let tick = world.save.tick();
    for _ in 0..30 {
        world.step();
    }
    assert!(world.save.tick() > tick + 20, "{}", world.save.tick());
    drain(&mut world.net, 0);
    world.net.server.stop_journal();
    world.net.server.spawn(unit(1));
    world.net.step();
    assert!(world.net.server.poll_journal().is_none());
}
