//! What users write by hand: containers, and behaviours for special needs.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar::SyncValue;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    SyncField,
    behaviour::{BehaviourInfo, FieldVisitor},
    schema::{BehaviourSchema, FieldSchema, TypeSchema},
    wire::{NetworkReader, NetworkWriter, ReadError},
};
use syncvar_testing::written;

/// N28, N29: a container of the user's own with a delta of its own, in a derived behaviour.
#[derive(Default)]
struct Counter {
    value: u32,
    sent: u32,
    touched: bool,
}

impl SyncField for Counter {
    const SCHEMA: TypeSchema = TypeSchema::Named("Counter");

    fn is_dirty(&self) -> bool {
        self.touched || self.value != self.sent
    }
    fn set_dirty(&mut self) {
        self.touched = true;
    }
    fn clear_dirty(&mut self) {
        self.touched = false;
        self.sent = self.value;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        writer.write(&self.value);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&(self.value - self.sent));
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = self.value.wrapping_add(reader.read()?);
        Ok(())
    }
}

/// A failed write takes nothing from fields whose changes are operations.
#[test]
fn unwritable_field_is_written_whole_later() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Banner {
        #[sync_var]
        points: Counter,
        #[sync_var]
        motto: SyncVar<String>,
    }
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Banner>("banner"));
    let id = net.server.spawn(Banner::default());
    net.settle();
    net.server.get_mut::<Banner>(id).unwrap().points.value += 5;
    let motto = "x".repeat(40_000);
    net.server.get_mut::<Banner>(id).unwrap().motto.set(motto);
    net.settle();
    let failed = std::iter::from_fn(|| net.server.poll_event()).last();
    assert!(
        matches!(
            failed,
            Some(ServerEvent::SerializeFailed {
                behaviour: Some("Banner"),
                field: Some("motto"),
                ..
            })
        ),
        "{failed:?}"
    );
    let short = "short".into();
    net.server.get_mut::<Banner>(id).unwrap().motto.set(short);
    net.settle();
    let replica = net.client(0).get::<Banner>(id).unwrap();
    assert_eq!((replica.points.value, replica.motto.as_str()), (5, "short"));
}

// checklist: N28
#[test]
fn custom_container_writes_its_delta_and_survives_a_join() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Arcade {
        #[sync_var]
        points: Counter,
        #[sync_var]
        lives: SyncVar<u8>,
    }

    let mut net = MemoryNetwork::new(|| Prefabs::new().register::<Arcade>("arcade"));
    let early = net.connect();
    let id = net.server.spawn(Arcade::default());
    net.settle();
    net.server.get_mut::<Arcade>(id).unwrap().points.value += 1000;
    net.settle();
    net.server.get_mut::<Arcade>(id).unwrap().points.value += 5;
    let late = net.connect();
    net.settle();
    net.server.get_mut::<Arcade>(id).unwrap().points.value += 1;
    net.settle();
    for client in [early, late] {
        assert_eq!(
            net.client(client).get::<Arcade>(id).unwrap().points.value,
            1006
        );
    }
    let mut arcade = Arcade::default();
    arcade.points.value = 3;
    arcade.points.clear_dirty();
    arcade.points.value = 5;
    assert_eq!(
        written(&mut arcade, false).0,
        "0102",
        "the difference, not the value"
    );
}

/// Shots in their order: those that every observer has, and those that the next delta sends.
#[derive(Default)]
struct Shots {
    sent: Vec<u32>,
    pending: Vec<u32>,
    forced: bool,
}

impl SyncField for Shots {
    const SCHEMA: TypeSchema = <Vec<u32> as SyncValue>::SCHEMA;

    fn is_dirty(&self) -> bool {
        self.forced || !self.pending.is_empty()
    }
    fn set_dirty(&mut self) {
        self.forced = true;
    }
    fn clear_dirty(&mut self) {
        self.forced = false;
        self.sent.append(&mut self.pending);
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        // Without the pending shots: a delta will send them to every observer.
        writer.write(&self.sent);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&self.pending);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.sent = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.sent.extend(reader.read::<Vec<u32>>()?);
        Ok(())
    }
}

/// A behaviour by hand; the example of `NetworkBehaviour`. Sends its shots three at a time.
#[derive(Default)]
struct Volley {
    shots: Shots,
}

impl NetworkBehaviour for Volley {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Volley",
        base: None,
        fields: &[FieldSchema::of::<Shots>("shots")],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.send_interval(Duration::ZERO);

    fn sync_var_dirty_bits(&self) -> u64 {
        self.shots.is_dirty().into()
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Volley.shots", &mut self.shots);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            self.shots.write_full(writer);
            return true;
        }
        // `false` keeps the dirty bit: the shots wait until there are three.
        let ready = self.shots.pending.len() >= 3;
        writer.write_dirty_bits(ready.into());
        if ready {
            self.shots.write_delta(writer);
        }
        ready
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if initial_state {
            self.shots.read_full(reader)
        } else if reader.read_dirty_bits_of::<Self>()? != 0 {
            self.shots.read_delta(reader)
        } else {
            Ok(())
        }
    }
}

fn fire(net: &mut MemoryNetwork, id: NetId, shot: u32) {
    net.server
        .get_mut::<Volley>(id)
        .unwrap()
        .shots
        .pending
        .push(shot);
}

/// What each client has of a volley.
fn fired(net: &MemoryNetwork, id: NetId) -> Vec<Vec<u32>> {
    net.replicas::<Volley>(id)
        .map(|volley| volley.unwrap().shots.sent.clone())
        .collect()
}

// checklist: U8 U9 U10
#[test]
fn returning_false_leaves_the_dirty_bits_and_changes_accumulate() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Volley>("volley"));
    let id = net.server.spawn(Volley::default());
    net.settle();
    for shot in 1..=2 {
        fire(&mut net, id, shot);
        for _ in 0..3 {
            net.step();
        }
        assert_eq!(
            net.server.get::<Volley>(id).unwrap().sync_var_dirty_bits(),
            1
        );
        assert_eq!(fired(&net, id), [[0; 0]]);
    }
    fire(&mut net, id, 3);
    net.step();
    assert_eq!(
        net.server.get::<Volley>(id).unwrap().sync_var_dirty_bits(),
        0
    );
    assert_eq!(fired(&net, id), [[1, 2, 3]]);
    let sent = net.server.stats().sent;
    net.settle();
    assert_eq!(net.server.stats().sent, sent, "u22: nothing is sent again");
    let last = syncvar_testing::events(net.client_mut(0)).last();
    let Some(ClientEvent::Changed { object, fields, .. }) = last else {
        panic!("{last:?}");
    };
    assert_eq!(
        (object, fields.names().collect::<Vec<_>>()),
        (id, vec!["shots"])
    );
}

/// The rule for behaviours by hand: a full state holds what the others have, so that what is still
/// pending arrives once, at everyone.
#[test]
fn client_that_joins_during_a_send_interval_is_equal() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Volley>("volley"));
    net.settle();
    let id = net.server.spawn(Volley::default());
    fire(&mut net, id, 1);
    net.step();
    assert_eq!(
        fired(&net, id),
        [[1]],
        "what a new object holds is its state"
    );
    for shot in 2..=3 {
        fire(&mut net, id, shot);
        net.step();
    }
    let late = net.connect();
    for _ in 0..4 {
        net.step();
    }
    assert_eq!(fired(&net, id), [[1], [1]]);
    let connection = net.connection(late);
    net.server.hide(id, connection).unwrap();
    net.step();
    net.server.show(id, connection).unwrap();
    for _ in 0..4 {
        net.step();
    }
    assert_eq!(fired(&net, id), [[1], [1]]);
    fire(&mut net, id, 4);
    net.connect();
    net.settle();
    assert_eq!(fired(&net, id), vec![[1, 2, 3, 4]; 3]);
}

/// Two numbers, and a log of its functions: whether the state was the initial one, and the dirty bits.
#[derive(Default)]
struct Diary {
    numbers: [SyncVar<u8>; 2],
    log: Vec<(&'static str, bool, u64)>,
}

impl NetworkBehaviour for Diary {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Diary",
        base: None,
        fields: &[
            FieldSchema::of::<SyncVar<u8>>("first"),
            FieldSchema::of::<SyncVar<u8>>("second"),
        ],
    };
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.send_interval(Duration::ZERO);

    fn sync_var_dirty_bits(&self) -> u64 {
        let [first, second] = &self.numbers;
        u64::from(first.is_dirty()) | u64::from(second.is_dirty()) << 1
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        let [first, second] = &mut self.numbers;
        visitor.field(1, "Diary.first", first);
        visitor.field(2, "Diary.second", second);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let dirty_bits = self.sync_var_dirty_bits();
        self.log.push(("write", initial_state, dirty_bits));
        let written = if initial_state { 0b11 } else { dirty_bits };
        if !initial_state {
            writer.write_dirty_bits(written);
        }
        self.write_fields(writer, written);
        written != 0
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let dirty_bits = if initial_state {
            0b11
        } else {
            reader.read_dirty_bits_of::<Self>()?
        };
        self.log.push(("read", initial_state, dirty_bits));
        self.read_fields(reader, dirty_bits)
    }
}

/// U1, U2, U3, U12, U24: one function writes and one reads, by hand where fields with a mark are not
/// enough; both are told whether the state is the initial one, for the first send to each client and
/// for no other; and each behaviour of an object has a mask of its own, which it sees while it writes.
#[test]
fn both_functions_get_the_initial_flag_and_one_mask_each() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Diary, Diary)>("diaries"));
    net.settle();
    let id = net.server.spawn((Diary::default(), Diary::default()));
    net.settle();
    let server = |net: &mut MemoryNetwork, index| {
        let mut diary = net.server.get_mut_at::<Diary>(id, index).unwrap();
        std::mem::take(&mut diary.log)
    };
    let client = |net: &MemoryNetwork, client, index| {
        let diary = net.client(client).get_at::<Diary>(id, index).unwrap();
        (
            diary.numbers.each_ref().map(|number| **number),
            diary.log.clone(),
        )
    };
    for index in 0..2 {
        assert_eq!(server(&mut net, index), [("write", true, 0)]);
        assert_eq!(client(&net, 0, index), ([0; 2], vec![("read", true, 3)]));
    }

    let mut first = net.server.get_mut_at::<Diary>(id, 0).unwrap();
    first.numbers[1].set(5);
    drop(first);
    net.settle();
    assert_eq!(server(&mut net, 0), [("write", false, 0b10)]);
    assert_eq!(server(&mut net, 1), [("write", false, 0)]);
    let (numbers, told) = client(&net, 0, 0);
    assert_eq!((numbers, told[1]), ([0, 5], ("read", false, 0b10)));
    // Every behaviour of the object reads, in the order in which they wrote.
    let (numbers, told) = client(&net, 0, 1);
    assert_eq!((numbers, told[1]), ([0, 0], ("read", false, 0)));

    // The newcomer's first state is initial, and none of the other's is again.
    let late = net.connect();
    net.settle();
    assert_eq!(server(&mut net, 0), [("write", true, 0)]);
    assert_eq!(client(&net, late, 0), ([0, 5], vec![("read", true, 3)]));
    assert_eq!(client(&net, 0, 0).1.len(), 2);
}
