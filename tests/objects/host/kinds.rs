//! What hooks of a host are told, by the kind of field: the same as those of any client.

use syncvar::prelude::*;
use syncvar::{
    SyncField,
    codec::Half,
    fields::HookField,
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Chest {
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<u8>,
    #[sync_var(hook = on_price)]
    prices: SyncDictionary<u8, String>,
    #[sync_var(hook = on_tag)]
    tags: SyncHashSet<u8>,
    #[sync_var(batch_hook = on_ranks)]
    ranks: SyncSortedSet<u8>,
    #[sync_var(hook = on_weight, with = Half)]
    weight: SyncVar<f32>,
    #[sync_var]
    label: SyncVar<String>,
    log: Vec<String>,
}

impl Chest {
    fn on_item(&mut self, change: &ListChange<u8>) {
        self.log.push(format!("{change:?}"));
    }

    fn on_items(&mut self, changes: &[ListChange<u8>]) {
        self.log
            .push(format!("{} of {}", changes.len(), self.items.len()));
    }

    fn on_price(&mut self, change: &DictionaryChange<u8, String>) {
        self.log.push(format!("{change:?}"));
    }

    fn on_tag(&mut self, change: &SetChange<u8>) {
        self.log.push(format!("{change:?}"));
    }

    fn on_ranks(&mut self, changes: &[SetChange<u8>]) {
        self.log.push(format!("{changes:?}"));
    }

    fn on_weight(&mut self, previous: f32) {
        self.log
            .push(format!("weight {previous} -> {}", self.weight));
    }
}

/// A base with a hook.
#[derive(NetworkBehaviour, Default)]
struct Creature {
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    log: Vec<String>,
}

impl Creature {
    fn on_name(&mut self, previous: String) {
        self.log.push(previous);
    }
}

/// Nothing of its own.
#[derive(NetworkBehaviour, Default)]
struct Animal {
    #[network_behaviour(base)]
    base: Creature,
}

/// A hook of its own.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Dog {
    #[network_behaviour(base)]
    base: Animal,
    #[sync_var(hook = on_barks)]
    barks: SyncVar<u32>,
    #[sync_var(with = Half)]
    age: SyncVar<f32>,
}

impl Dog {
    fn on_barks(&mut self, previous: u32) {
        self.base.base.log.push(previous.to_string());
    }
}

/// A field of one's own.
#[derive(Default)]
struct Score {
    value: u32,
    sent: u32,
}

impl SyncField for Score {
    const SCHEMA: TypeSchema = TypeSchema::Named("Score");

    fn is_dirty(&self) -> bool {
        self.value != self.sent
    }
    fn set_dirty(&mut self) {}
    fn clear_dirty(&mut self) {
        self.sent = self.value;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        writer.write(&self.value);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&self.value);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read_full(reader)
    }
}

impl HookField for Score {
    type Previous = u32;

    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<u32>, ReadError> {
        let previous = self.value;
        self.read_delta(reader)?;
        Ok((previous != self.value).then_some(previous))
    }
    fn remembered(&self) -> Option<u32> {
        Some(self.value)
    }
    fn has_changed_since(&self, previous: &mut Option<u32>) -> bool {
        *previous = previous.filter(|previous| *previous != self.value);
        previous.is_some()
    }
}

type Health = SyncVar<u32>;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Round {
    #[sync_var(hook = on_score)]
    score: Score,
    #[sync_var(hook = on_health)]
    health: Health,
    log: Vec<u32>,
}

impl Round {
    fn on_score(&mut self, previous: u32) {
        self.log.push(previous);
    }

    fn on_health(&mut self, previous: u32) {
        self.log.push(1000 + previous);
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Chest>("chest")
        .register::<Dog>("dog")
        .register::<(Round, Round, Chest)>("rounds")
}

fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::pair(prefabs);
    net.server.connect_local();
    net.settle();
    net
}

fn chest(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Chest)) {
    change(&mut net.server.get_mut(id).unwrap());
}

/// The hooks on the host, which were those on the client.
fn logs(net: &mut MemoryNetwork, id: NetId) -> Vec<String> {
    net.settle();
    let here = std::mem::take(&mut net.server.get_mut::<Chest>(id).unwrap().log);
    let mut replica = net.client_mut(0).get_mut::<Chest>(id).unwrap();
    let there = std::mem::take(&mut replica.log);
    drop(replica);
    assert_eq!(here, there);
    net.settle();
    here
}

// checklist: M4
#[test]
fn collection_hooks_equal_those_of_a_remote_client() {
    let mut net = network();
    let mut made = Chest::default();
    made.items.extend([1, 2]);
    let id = net.server.spawn(made);
    assert_eq!(logs(&mut net, id), [""; 0]);
    chest(&mut net, id, |chest| {
        chest.items.push(3);
        chest.prices.insert(1, "a".into());
        chest.tags.insert(5);
        chest.ranks.insert(6);
    });
    let expected = [
        "Add { index: 2, value: 3 }",
        "1 of 3",
        r#"Add { key: 1, value: "a" }"#,
        "Add { value: 5 }",
        "[Add { value: 6 }]",
    ];
    assert_eq!(logs(&mut net, id), expected);
    chest(&mut net, id, |chest| {
        chest.items.clear();
        chest.prices.insert(1, "b".into());
        chest.tags.clear();
        chest.ranks.remove(&6);
    });
    let expected = [
        "Clear { previous: [1, 2, 3] }",
        "1 of 0",
        r#"Set { key: 1, previous: "a", value: "b" }"#,
        "Clear { previous: [5] }",
        "[Clear { previous: [6] }]",
    ];
    net.settle();
    assert_eq!(net.server.get::<Chest>(id).unwrap().log, expected);
}

// checklist: M4
#[test]
fn equal_collection_values_are_no_change() {
    let mut net = network();
    let id = net.server.spawn(Chest::default());
    net.settle();
    chest(&mut net, id, |chest| {
        chest.items.push(3);
        chest.tags.insert(4);
    });
    chest(&mut net, id, |chest| {
        chest.items.pop();
        chest.tags.remove(&4);
        chest.label.set("x".into());
        chest.items.set_dirty();
    });
    net.settle();
    assert_eq!(net.server.get::<Chest>(id).unwrap().log, [""; 0]);
}

// checklist: M4
#[test]
fn a_value_with_a_codec_has_changed_if_it_has_as_it_travels() {
    let mut net = network();
    let id = net.server.spawn(Chest::default());
    net.settle();
    chest(&mut net, id, |chest| *chest.weight = 1.0);
    assert_eq!(logs(&mut net, id), ["weight 0 -> 1"]);
    chest(&mut net, id, |chest| *chest.weight += 0.000_01);
    assert_eq!(logs(&mut net, id), [""; 0]);
}

// checklist: M4
#[test]
fn hooks_of_bases_run_at_any_depth() {
    let mut net = network();
    let id = net.server.spawn(Dog::default());
    net.settle();
    {
        let mut dog = net.server.get_mut::<Dog>(id).unwrap();
        dog.barks.set(1);
        dog.base.base.name.set("Rex".into());
    }
    net.settle();
    net.server
        .get_mut::<Dog>(id)
        .unwrap()
        .base
        .base
        .name
        .set("Max".into());
    net.settle();
    let expected = ["", "0", "Rex"];
    assert_eq!(net.server.get::<Dog>(id).unwrap().base.base.log, expected);
    assert_eq!(
        net.client(0).get::<Dog>(id).unwrap().base.base.log,
        expected
    );
}

// checklist: M4
#[test]
fn custom_field_keeps_its_previous_value_per_behaviour() {
    let mut net = network();
    let id = net
        .server
        .spawn((Round::default(), Round::default(), Chest::default()));
    net.settle();
    while net.server.poll_local_event().is_some() {}
    {
        let mut second = net.server.get_mut_at::<Round>(id, 1).unwrap();
        second.score.value = 7;
        second.health.set(8);
    }
    net.server.get_mut::<Chest>(id).unwrap().items.push(1);
    net.settle();
    assert_eq!(net.server.get::<Round>(id).unwrap().log, [0; 0]);
    assert_eq!(net.server.get_at::<Round>(id, 1).unwrap().log, [0, 1000]);
    assert_eq!(net.server.get::<Chest>(id).unwrap().log.len(), 2);
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_local_event()).collect();
    let told = events.iter().map(|event| match event {
        ClientEvent::Changed {
            behaviour, fields, ..
        } => (*behaviour, fields.dirty_bits()),
        other => panic!("{other:?}"),
    });
    assert_eq!(told.collect::<Vec<_>>(), [(1, 0b11), (2, 0b1)]);
}

/// Changes a collection of a chest that the local client sees, then not, then again; returns what its
/// hooks were told.
fn changes_in_and_out_of_sight<R>(mut change: impl FnMut(&mut Chest, u8) -> R) -> Vec<String> {
    let mut net = network();
    let local = net.server.connect_local();
    let id = net.server.spawn(Chest::default());
    net.settle();
    chest(&mut net, id, |chest| drop(change(chest, 1)));
    net.settle();
    net.server.hide(id, local).unwrap();
    net.settle();
    chest(&mut net, id, |chest| drop(change(chest, 2)));
    net.settle();
    net.server.show(id, local).unwrap();
    chest(&mut net, id, |chest| drop(change(chest, 3)));
    net.settle();
    chest(&mut net, id, |chest| drop(change(chest, 4)));
    net.settle();
    std::mem::take(&mut net.server.get_mut::<Chest>(id).unwrap().log)
}

#[test]
fn client_server_actions_respect_aoi_of_a_dictionary() {
    let told = changes_in_and_out_of_sight(|chest, key| chest.prices.insert(key, "a".into()));
    let expected = [
        r#"Add { key: 1, value: "a" }"#,
        r#"Add { key: 4, value: "a" }"#,
    ];
    assert_eq!(told, expected);
}

#[test]
fn client_server_actions_respect_aoi_of_a_list() {
    let told = changes_in_and_out_of_sight(|chest, value| chest.items.push(value));
    let expected = [
        "Add { index: 0, value: 1 }",
        "1 of 1",
        "Add { index: 3, value: 4 }",
        "1 of 4",
    ];
    assert_eq!(told, expected);
}

#[test]
fn client_server_actions_respect_aoi_of_a_set() {
    let told = changes_in_and_out_of_sight(|chest, value| chest.tags.insert(value));
    assert_eq!(told, ["Add { value: 1 }", "Add { value: 4 }"]);
}

#[test]
fn host_hook_receives_the_collection_change() {
    let mut net = MemoryNetwork::new(prefabs);
    net.server.connect_local();
    let id = net.server.spawn(Chest::default());
    net.settle();
    chest(&mut net, id, |chest| {
        drop(chest.prices.insert(1, "a".into()));
    });
    net.settle();
    let told = &net.server.get::<Chest>(id).unwrap().log;
    assert_eq!(*told, [r#"Add { key: 1, value: "a" }"#]);
}
