//! `NetworkBehaviourSerializeTest` and `NetworkBehaviourChildSerializeTest`: classes with and without fields of
//! their own, as the only component of an object and as one behind another. `tests/wire/payload/by_hand.rs` has those
//! that decide what they write.

use syncvar::NetworkBehaviour;
use syncvar::mirror::{MirrorPrefab, MirrorPrefabs};
use syncvar::prelude::*;

use super::world::world_of;
use syncvar_testing::mirror::MirrorNetwork;

/// Without any fields.
#[derive(NetworkBehaviour, Default)]
struct Plain {}

#[derive(NetworkBehaviour, Default)]
struct WithVar {
    #[sync_var]
    list: SyncList<String>,
    #[sync_var]
    value: SyncVar<i32>,
}

/// Of a base without fields.
#[derive(NetworkBehaviour, Default)]
struct SubClass {
    #[network_behaviour(base)]
    base: Plain,
    #[sync_var]
    list: SyncList<String>,
    #[sync_var]
    value: SyncVar<i32>,
}

/// Without fields of its own.
#[derive(NetworkBehaviour, Default)]
struct Override {
    #[network_behaviour(base)]
    base: WithVar,
}

/// With fields of its own.
#[derive(NetworkBehaviour, Default)]
struct OverrideWithVar {
    #[network_behaviour(base)]
    base: WithVar,
    #[sync_var]
    more: SyncList<String>,
    #[sync_var]
    other: SyncVar<i32>,
}

/// All that can be set and seen of such a class: every list and value of it.
trait Parts: NetworkBehaviour + Default {
    fn parts(&mut self) -> Vec<(&mut SyncList<String>, &mut SyncVar<i32>)>;
}

impl Parts for WithVar {
    fn parts(&mut self) -> Vec<(&mut SyncList<String>, &mut SyncVar<i32>)> {
        vec![(&mut self.list, &mut self.value)]
    }
}

impl Parts for SubClass {
    fn parts(&mut self) -> Vec<(&mut SyncList<String>, &mut SyncVar<i32>)> {
        vec![(&mut self.list, &mut self.value)]
    }
}

impl Parts for Override {
    fn parts(&mut self) -> Vec<(&mut SyncList<String>, &mut SyncVar<i32>)> {
        self.base.parts()
    }
}

impl Parts for OverrideWithVar {
    fn parts(&mut self) -> Vec<(&mut SyncList<String>, &mut SyncVar<i32>)> {
        let mut parts = self.base.parts();
        parts.push((&mut self.more, &mut self.other));
        parts
    }
}

fn seen<B: Parts>(behaviour: &mut B) -> Vec<(Vec<String>, i32)> {
    let parts = behaviour.parts().into_iter();
    parts
        .map(|(list, value)| (list.to_vec(), **value))
        .collect()
}

fn prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<WithVar>(MirrorPrefab::new("with", 1.into()))
        .register::<SubClass>(MirrorPrefab::new("sub", 2.into()))
        .register::<Override>(MirrorPrefab::new("override", 3.into()))
        .register::<OverrideWithVar>(MirrorPrefab::new("override with", 4.into()))
        .register::<(Plain, WithVar)>(MirrorPrefab::new("child with", 5.into()))
        .register::<(Plain, SubClass)>(MirrorPrefab::new("child sub", 6.into()))
        .register::<(Plain, Override)>(MirrorPrefab::new("child override", 7.into()))
        .register::<(Plain, OverrideWithVar)>(MirrorPrefab::new("child override with", 8.into()))
}

/// Its full state arrives, then a change of all of it, then one of each part alone.
#[track_caller]
fn arrives<B: Parts>(as_child: bool) {
    let mut world = world_of(prefabs);
    let (client, _) = world.join(WithVar::default());
    let mut behaviour = B::default();
    for (list, value) in behaviour.parts() {
        list.push("first".into());
        value.set(1);
    }
    let object = if as_child {
        world.server.spawn((Plain::default(), behaviour))
    } else {
        world.server.spawn(behaviour)
    };
    let check = |world: &mut MirrorNetwork| {
        world.frame();
        let on_server = seen(&mut *world.server.get_mut::<B>(object).unwrap());
        let client = world.client(client);
        let on_client = seen(&mut *client.get_mut::<B>(object).unwrap());
        assert_eq!(on_client, on_server);
        on_client
    };
    assert!(
        check(&mut world)
            .iter()
            .all(|part| *part == (vec!["first".into()], 1))
    );
    let mut behaviour = world.server.get_mut::<B>(object).unwrap();
    for (list, value) in behaviour.parts() {
        list.push("second".into());
        value.set(2);
    }
    let count = behaviour.parts().len();
    drop(behaviour);
    assert!(
        check(&mut world)
            .iter()
            .all(|(list, value)| list.len() == 2 && *value == 2)
    );
    for part in 0..count {
        let mut behaviour = world.server.get_mut::<B>(object).unwrap();
        behaviour.parts()[part].0.remove(0);
        drop(behaviour);
        assert_eq!(check(&mut world)[part].0, ["second"]);
        let mut behaviour = world.server.get_mut::<B>(object).unwrap();
        behaviour.parts()[part].1.set(3);
        drop(behaviour);
        assert_eq!(check(&mut world)[part].1, 3);
    }
}

// BehaviourWithSyncVarTest.
#[test]
fn a_class_with_a_list_and_a_value_arrives() {
    arrives::<WithVar>(false);
    arrives::<WithVar>(true);
}

// SubClassTest.
#[test]
fn class_with_a_fieldless_base_arrives() {
    arrives::<SubClass>(false);
    arrives::<SubClass>(true);
}

// OverrideBehaviourFromSyncVarTest.
#[test]
fn a_class_that_has_the_fields_of_its_base_only_arrives() {
    arrives::<Override>(false);
    arrives::<Override>(true);
}

// OverrideBehaviourWithSyncVarFromSyncVarTest, SubClassFromSyncVarTest, SerializeAndDeserializeObjectsAll,
// SerializeAndDeserializeObjectsDelta.
#[test]
fn a_class_with_fields_beside_those_of_its_base_arrives() {
    arrives::<OverrideWithVar>(false);
    arrives::<OverrideWithVar>(true);
}
