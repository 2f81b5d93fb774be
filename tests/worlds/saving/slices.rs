//! Saves in slices: the state of the update with the last slice, whatever happens between the slices.

use std::time::Duration;

use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::saving::{PendingSave, Save, SaveError};

use super::journals::assert_equal;
use super::{RED, Unit, config, prefabs, unit};

/// Objects of the small world that change, with the ids 1 and 2. A third one stays.
const OBJECTS: u32 = 2;

/// Changes of the small world in an update.
const ACTIONS: u32 = 5 * OBJECTS + 1;

struct World {
    server: NetworkServer,
    time: Duration,
}

impl World {
    fn new() -> Self {
        let mut server = NetworkServer::with_config(prefabs(), config());
        for number in 1..=3 {
            server.spawn(unit(number));
        }
        let time = Duration::from_secs(1);
        server.update(time);
        Self { server, time }
    }

    fn update(&mut self) {
        self.time += Duration::from_millis(50);
        self.server.update(self.time);
    }

    /// Makes the change of a number in an update of a number. Some changes of a removed object are errors.
    fn act(&mut self, action: u32, update: u8) {
        let (server, id) = (&mut self.server, NetId(1 + action % OBJECTS));
        match action / OBJECTS {
            0 => {
                if let Ok(mut unit) = server.get_mut::<Unit>(id) {
                    unit.health += i32::from(update);
                    unit.account.set(format!("account {update}"));
                    unit.plan.push(format!("plan {update}"));
                }
            }
            1 => drop(server.despawn(id)),
            2 => {
                let options = SpawnOptions {
                    net_id: Some(id),
                    ..SpawnOptions::default()
                };
                drop(server.try_spawn(unit(10 + update), options));
            }
            3 => drop(server.set_parent(id, Some(NetId(1 + (action + 1) % OBJECTS)))),
            4 => drop(server.set_group(id, Some(Tag(update.into())))),
            _ => drop(server.spawn(unit(20 + update))),
        }
    }

    fn check(&mut self, save: &Save, case: u32) {
        let mut loaded = NetworkServer::with_config(prefabs(), config());
        loaded.load(save).unwrap();
        assert_equal(&mut loaded, &mut self.server, case.into());
    }
}

#[test]
fn every_order_of_changes_between_slices_gives_the_state_of_the_last_update() {
    for case in 0..ACTIONS.pow(3) {
        let mut world = World::new();
        let pending = world.server.begin_save(1).unwrap();
        // Fewer objects need fewer slices.
        let save = (0..3_u8).find_map(|update| {
            world.act(case / ACTIONS.pow(update.into()) % ACTIONS, update);
            world.update();
            pending.poll()
        });
        world.check(&save.unwrap().unwrap(), case);
    }
}

#[test]
fn save_in_slices_works_beside_a_journal_that_begins_and_ends() {
    for case in 0..27 {
        let mut world = World::new();
        let mut journal = None;
        let pending = world.server.begin_save(1).unwrap();
        for update in 0..3_u8 {
            world.act(u32::from(update), update);
            match case / 3_u32.pow(update.into()) % 3 {
                0 => {}
                1 => journal = Some(world.server.start_journal().unwrap()),
                _ => world.server.stop_journal(),
            }
            world.act(u32::from(update), update);
            world.update();
        }
        let mut save = pending.poll().unwrap().unwrap();
        world.check(&save, case);
        while let Some(record) = world.server.poll_journal() {
            if let Some(journal) = &mut journal {
                journal.push(record).unwrap();
            }
        }
        world.act(0, 3);
        world.server.set_group(NetId(2), Some(RED)).unwrap();
        world.update();
        while let Some(record) = world.server.poll_journal() {
            save.push(record.clone()).unwrap();
            world.check(&save, case);
            let journal = journal.as_mut().unwrap();
            journal.push(record).unwrap();
            world.check(journal, case);
        }
    }
}

#[test]
fn one_save_is_in_progress_until_its_program_drops_it() {
    let mut world = World::new();
    let first = world.server.begin_save(1).unwrap();
    assert_eq!(
        world.server.begin_save(1).unwrap_err(),
        SaveError::InProgress
    );
    world.update();
    drop(first);
    let second = world.server.begin_save(2).unwrap();
    world.update();
    assert!(second.poll().is_none());
    world.update();
    let save = second.poll().unwrap().unwrap();
    world.check(&save, 0);
    assert!(second.poll().is_none());
    // A kept result does not stop the next save.
    let third = world.server.begin_save(9).unwrap();
    world.update();
    assert!(third.poll().unwrap().is_ok());
}

#[test]
fn value_without_a_form_ends_a_save_in_slices() {
    let long = "x".repeat(40_000);
    // Before its slice, and behind it.
    for object in [3, 1] {
        let mut world = World::new();
        let pending = world.server.begin_save(1).unwrap();
        world.update();
        let mut unit = world.server.get_mut::<Unit>(NetId(object)).unwrap();
        unit.account.set(long.clone());
        drop(unit);
        world.update();
        world.update();
        let error = pending.poll().unwrap().unwrap_err();
        let expected = NetId(object);
        assert!(matches!(error, SaveError::Value { object, .. } if object == expected));
        let next = world.server.begin_save(9).unwrap();
        let mut unit = world.server.get_mut::<Unit>(NetId(object)).unwrap();
        unit.account.set("short".into());
        drop(unit);
        world.update();
        let save = next.poll().unwrap().unwrap();
        world.check(&save, object);
    }
}

#[test]
fn save_with_many_changes_takes_the_rest_in_one_update() {
    let mut world = World::new();
    for _ in 0..200 {
        world.server.spawn(unit(1));
    }
    let texts = ["x", "y"].map(|letter| letter.repeat(30_000));
    let pending = world.server.begin_save(1).unwrap();
    let mut updates = 0;
    let save = loop {
        for number in 1..=60 {
            let mut unit = world.server.get_mut::<Unit>(NetId(number)).unwrap();
            unit.account.set(texts[updates % 2].clone());
        }
        world.update();
        updates += 1;
        if let Some(save) = pending.poll() {
            break save.unwrap();
        }
    };
    // 64 MiB of changes of the objects so far.
    assert!((60..80).contains(&updates), "{updates}");
    world.check(&save, 0);
}

#[test]
fn save_of_an_empty_server_needs_one_update() {
    let mut server = NetworkServer::new(prefabs());
    let pending: PendingSave = server.begin_save(0).unwrap();
    assert!(pending.poll().is_none());
    server.update(Duration::from_secs(1));
    let save = pending.poll().unwrap().unwrap();
    let mut loaded = NetworkServer::new(prefabs());
    loaded.load(&save).unwrap();
    assert_eq!(loaded.object_count(), 0);
}
