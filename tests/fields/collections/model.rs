//! Whatever is done to a collection, it does as its counterpart of `std` does, and so do its replicas.

#[path = "model/dictionary.rs"]
mod dictionary;
#[path = "model/list.rs"]
mod list;
#[path = "model/set.rs"]
mod set;
#[path = "model/subject.rs"]
pub(crate) mod subject;
#[path = "model/world.rs"]
mod world;

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    Channel, SyncField,
    testing::Conditions,
    wire::{Encoding, NetworkReader, NetworkWriter},
};
use syncvar_testing::cases;

use crate::collections::delta;
use subject::Subject;
use world::{Action, World, action};

/// What is done before each of several updates.
fn rounds<C: Subject>() -> impl Strategy<Value = (C::Model, Vec<Vec<C::Op>>)> {
    (C::content(), vec(vec(C::op(), 0..14), 1..8))
}

/// A collection, and replicas of it with and without a hook.
struct Replicas<C> {
    dialect: Encoding,
    server: C,
    with_hook: C,
    without: C,
}

impl<C: Subject> Replicas<C> {
    fn new(dialect: Encoding, content: &C::Model) -> Self {
        let mut server = C::from_model(content);
        let bytes = full(&server, dialect);
        server.clear_dirty();
        let mut replicas = Self {
            dialect,
            server,
            with_hook: C::default(),
            without: C::default(),
        };
        for replica in [&mut replicas.with_hook, &mut replicas.without] {
            let mut reader = NetworkReader::with_encoding(&bytes, dialect);
            replica.read_full(&mut reader).unwrap();
            reader.finish().unwrap();
            assert_eq!(replica.model(), *content);
        }
        replicas
    }

    /// Sends what has changed.
    fn update(&mut self) {
        let before = self.with_hook.model();
        if self.server.is_dirty() {
            let bytes = delta(&self.server, self.dialect);
            let most = full(&self.server, self.dialect).len().max(64) + 2;
            assert!(bytes.len() <= most, "{} bytes, {most} do", bytes.len());
            let mut reader = NetworkReader::with_encoding(&bytes, self.dialect);
            self.without.read_delta(&mut reader).unwrap();
            reader.finish().unwrap();
            let mut reader = NetworkReader::with_encoding(&bytes, self.dialect);
            let told = self.with_hook.read_delta_with_previous(&mut reader);
            reader.finish().unwrap();
            let mut after = before.clone();
            if let Some(told) = told.unwrap() {
                C::replay(&mut after, &told);
            }
            assert_eq!(after, self.with_hook.model());
            self.server.clear_dirty();
        }
        assert!(!self.server.is_dirty());
        assert_eq!(self.with_hook.model(), self.server.model());
        assert_eq!(self.without.model(), self.server.model());
    }
}

/// The bytes of a full state.
pub(crate) fn full(field: &impl SyncField, dialect: Encoding) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(dialect);
    field.write_full(&mut writer);
    assert_eq!(writer.error(), None);
    writer.as_bytes().to_vec()
}

fn run<C: Subject>((content, rounds): (C::Model, Vec<Vec<C::Op>>), dialect: Encoding) {
    let mut model = content;
    let mut replicas = Replicas::<C>::new(dialect, &model);
    for round in rounds {
        for op in round {
            replicas.server.act(&mut model, &op);
            // As the guard of a behaviour does: another one may be there now.
            syncvar::fields::FieldPlace::end_write(&mut replicas.server);
        }
        replicas.update();
    }
}

fn dialect() -> impl Strategy<Value = Encoding> {
    prop_oneof![Just(Encoding::Unet), Just(Encoding::Compact)]
}

proptest! {
    #![proptest_config(cases(2000))]

    /// CHECKLIST T21; the delta is never much longer than the content, nor than 64 bytes.
    #[test]
    fn a_list_does_as_a_vec_and_its_changes_make_replicas_equal(
        rounds in rounds::<SyncList<u32>>(),
        dialect in dialect(),
    ) {
        run::<SyncList<u32>>(rounds, dialect);
    }

    // checklist: T21
    #[test]
    fn dictionary_equals_a_hash_map_and_its_replicas(
        rounds in rounds::<SyncDictionary<String, i32>>(),
        dialect in dialect(),
    ) {
        run::<SyncDictionary<String, i32>>(rounds, dialect);
    }

    // checklist: T21
    #[test]
    fn hash_set_equals_that_of_std_and_its_replicas(
        rounds in rounds::<SyncHashSet<i32>>(),
        dialect in dialect(),
    ) {
        run::<SyncHashSet<i32>>(rounds, dialect);
    }

    // checklist: T21
    #[test]
    fn sorted_set_equals_a_b_tree_set_and_its_replicas(
        rounds in rounds::<SyncSortedSet<i32>>(),
        dialect in dialect(),
    ) {
        run::<SyncSortedSet<i32>>(rounds, dialect);
    }
}

/// A slow link that loses packets.
fn slow(seed: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(70),
        jitter: Duration::from_millis(90),
        loss: 0.2,
        seed,
        ..Conditions::default()
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// LESSONS 9, D7: clients that join, leave and come back at any moment have it all once, and each
    /// hook is told what makes what was before what is now.
    #[test]
    fn every_ready_client_ends_with_the_collections_of_the_server(actions in vec(action(), 1..60)) {
        let mut world = World::new(Channel::Reliable, Conditions::default());
        for action in actions {
            world.act(action);
        }
        world.settle();
        world.check()?;
    }

    #[test]
    fn over_slow_links_that_lose_packets_too(actions in vec(action(), 1..60), seed in any::<u64>()) {
        let mut world = World::new(Channel::Reliable, slow(seed));
        for action in actions {
            world.act(action);
        }
        world.settle();
        world.check()?;
    }

    /// On an unreliable channel the last change that arrives is all that counts.
    #[test]
    fn last_change_on_an_unreliable_channel_makes_all_equal(
        actions in vec(action(), 1..40),
        seed in any::<u64>(),
    ) {
        let mut world = World::new(Channel::Unreliable, slow(seed));
        for action in actions {
            world.act(action);
        }
        world.change_until_equal()?;
    }
}

proptest! {
    #![proptest_config(cases(40))]

    /// LESSONS 9: whatever the moment of a join, no operation arrives twice and none is missing. Each
    /// hook has checked what it was told.
    #[test]
    fn a_client_may_join_between_any_two_operations(edits in vec(world::edit(), 1..12)) {
        for moment in 0..=edits.len() {
            for updated in [false, true] {
                let mut world = World::new(Channel::Reliable, Conditions::default());
                world.settle();
                for (number, edit) in edits.iter().enumerate() {
                    if number == moment {
                        world.act(Action::Join);
                        // With and without time to become ready before the next operation.
                        (0..usize::from(updated) * 3).for_each(|_| world.act(Action::Step));
                    }
                    for object in 0..2 {
                        world.act(Action::Edit(object, vec![edit.clone()]));
                    }
                    world.act(Action::Step);
                }
                if moment == edits.len() {
                    world.act(Action::Join);
                }
                world.settle();
                world.check()?;
            }
        }
    }
}

/// The world checks what its hooks are told, and they are told something.
#[test]
fn the_hooks_of_the_world_run() {
    let mut world = World::new(Channel::Reliable, Conditions::default());
    world.settle();
    world.change_until_equal().unwrap();
    assert_eq!(world.hooks(), 4);
}
