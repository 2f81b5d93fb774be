//! Ticks of the fields of unreliable behaviours: on a server the last frame that wrote a field, on a client
//! the value that it holds.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::{BehaviourSet, Optional};
use syncvar::prelude::*;
use syncvar_runtime::limits::ReadBudget;
use syncvar_runtime::schema::BehaviourClass;
use syncvar_runtime::unstable::object::{
    ChangeSink, DeltaMessage, Encoded, Entry, FieldLimits, HookTime, Job, KeptFields, Location,
    MAX_BEHAVIOURS, NewestWins, Outcome, Outputs, OwnFields, Pools, Reception, ReceptionMemory,
    ReceptionReport, SinkRules, Slot, TypedSlot,
};
use syncvar_runtime::unstable::packet::{Room, Segments, UpdateForm};
use syncvar_runtime::{
    AudienceId, Channel, Encoding, HookFailure, NetworkReader, NetworkWriter, ReadError, Role,
};

/// Channel of the behaviours here.
const CHANNEL: u8 = 1;
const OBJECT: NetId = NetId(7);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = 1)]
struct Mover {
    #[sync_var(hook = on_x)]
    x: SyncVar<i32>,
    #[sync_var]
    y: SyncVar<i32>,
    #[sync_var]
    names: SyncList<String>,
    #[sync_var(read = owner)]
    ammo: SyncVar<u8>,
    heard: Vec<(i32, i32)>,
}

impl Mover {
    fn on_x(&mut self, old: i32) {
        self.heard.push((old, *self.x));
    }
}

#[derive(NetworkBehaviour, Default)]
struct Sign {
    #[sync_var]
    text: SyncVar<String>,
}

/// Reported fields and their tick.
type Changes = Vec<(u64, Option<u64>)>;

/// An object of a server or client in its pool, spawned in a tick.
struct End {
    pools: Pools,
    at: Location,
    kept: KeptFields,
}

impl End {
    fn new(behaviours: impl BehaviourSet, tick: u32) -> Self {
        let mut pools = Pools::default();
        let at = pools.insert(OBJECT, 0, behaviours.into_behaviours());
        let slots = pools.slots_mut(at).unwrap();
        slots.track_ticks(tick, |channel| channel == CHANNEL);
        slots.for_each_mut(|slot| {
            // The fields are known to be on this object.
            slot.end_change();
            slot.mark_sent(0, None);
            slot.set_observed(true);
        });
        let kept = KeptFields::default();
        Self { pools, at, kept }
    }

    fn slot(&mut self) -> &mut dyn Slot {
        self.pools.slots_mut(self.at).unwrap().slot_mut(0).unwrap()
    }

    fn get<B: NetworkBehaviour>(&mut self) -> &mut B {
        let parts = self.pools.behaviour_mut::<B>(OBJECT, self.at).unwrap();
        parts.tracked.behaviour
    }

    fn ticks<const N: usize>(&mut self) -> [u32; N] {
        let ticks = self.slot().ticks().unwrap();
        std::array::from_fn(|index| ticks.get(1 << index).unwrap())
    }

    /// Changes the object and writes it in a frame of a tick. Returns the bytes of the entry.
    fn send<B: NetworkBehaviour>(&mut self, tick: u32, change: impl FnOnce(&mut B)) -> Vec<u8> {
        change(self.get());
        let slot = self.slot();
        slot.end_change();
        slot.make_changes_whole();
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        assert!(slot.serialize(&mut writer, false));
        slot.mark_sent(u64::from(tick), Some(tick));
        writer.as_bytes().to_vec()
    }

    fn snapshot(&mut self, role: Role) -> Vec<u8> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        let context = writer.context().with_role(role);
        writer.with_context(context, |writer| {
            let slots = self.pools.slots_mut(self.at).unwrap();
            slots.write_full(writer, &mut []);
        });
        writer.as_bytes().to_vec()
    }

    fn read(&mut self, tick: u32, entry: &[u8]) -> Changes {
        let newest = NewestWins::in_tick(tick);
        self.read_as(newest, entry).unwrap()
    }

    fn read_as(&mut self, newest: NewestWins, changes: &[u8]) -> Result<Changes, ReadError> {
        let mut report = Report::default();
        let mut failed = Vec::new();
        let mut reception = Reception {
            message: DeltaMessage {
                encoding: Encoding::Compact,
                channel: CHANNEL,
                tick: Some(u64::from(newest.tick) + 1_000),
                wire_tick: Some(newest.tick),
                view: None,
                newest: Some(newest),
            },
            memory: ReceptionMemory {
                kept: &mut self.kept,
                masks: &mut [0; MAX_BEHAVIOURS],
                targets: &mut Vec::new(),
                failed: &mut failed,
                hooked: &mut Vec::new(),
                deferred_hooks: &mut Vec::new(),
            },
            budget: ReadBudget::UNLIMITED,
            report: &mut report,
            hooks: HookTime::AfterDelta,
        };
        let entry = Entry {
            net_id: OBJECT,
            row: self.at.row,
            announced: true,
            predicted: 0,
            own: OwnFields::None,
            changes,
        };
        let pool = self.pools.pool_mut(self.at.pool).unwrap();
        pool.read_changes(&[entry], &mut reception);
        match failed.pop() {
            Some((_, error)) => Err(error),
            None => Ok(report.0),
        }
    }
}

#[derive(Default)]
struct Report(Changes);

impl ReceptionReport for Report {
    fn changed(
        &mut self,
        _: NetId,
        _: usize,
        _: &'static BehaviourClass,
        fields: u64,
        tick: Option<u64>,
    ) {
        self.0.push((fields, tick));
    }

    fn hook_failed(&mut self, failure: HookFailure) {
        panic!("{failure:?}");
    }

    fn referenced(&mut self, _: NetId, _: NetId) {}
}

#[test]
fn newest_value_of_each_field_wins() {
    let (mut server, mut client) = (End::new(Mover::default(), 1), End::new(Mover::default(), 1));
    let both = server.send::<Mover>(2, |mover| {
        mover.x.set(20);
        mover.y.set(21);
    });
    let only_x = server.send::<Mover>(3, |mover| mover.x = 30.into());
    assert_eq!(client.read(3, &only_x), [(0b1, Some(1_003))]);
    assert_eq!(
        client.read(2, &both),
        [(0b10, Some(1_002))],
        "y alone is new"
    );
    let mover = client.get::<Mover>();
    assert_eq!((*mover.x, *mover.y), (30, 21));
    assert_eq!(mover.heard, [(0, 30)], "no hook for the older value");
    assert_eq!(client.ticks(), [3, 2, 1, 1]);
}

#[test]
fn duplicates_and_older_entries_change_nothing() {
    let (mut server, mut client) = (End::new(Mover::default(), 1), End::new(Mover::default(), 1));
    let first = server.send::<Mover>(2, |mover| {
        mover.x.set(1);
        mover.names.extend(["a".into(), "b".into()]);
    });
    let second = server.send::<Mover>(4, |mover| {
        mover.x.set(2);
        mover.names.remove(0);
    });
    for (tick, entry) in [(4, &second), (4, &second), (2, &first), (2, &first)] {
        let changed = client.read(tick, entry);
        let mover = client.get::<Mover>();
        assert_eq!((*mover.x, &mover.names[..]), (2, &["b".to_owned()][..]));
        assert_eq!(mover.heard, [(0, 2)]);
        assert!(changed.len() <= 1, "{changed:?}");
    }
    assert_eq!(client.ticks(), [4, 1, 4, 1]);
}

#[test]
fn state_from_before_the_spawn_is_passed_over() {
    let mut server = End::new(Mover::default(), 1);
    let entry = server.send::<Mover>(5, |mover| mover.x = 5.into());
    let mut client = End::new(Mover::default(), 5);
    assert_eq!(client.read(5, &entry), []);
    assert_eq!(*client.get::<Mover>().x, 0);
    assert_eq!(client.read(6, &entry), [(0b1, Some(1_006))]);
}

#[test]
fn early_state_spares_fields_that_depend_on_the_owner() {
    let (mut server, mut client) = (End::new(Mover::default(), 1), End::new(Mover::default(), 1));
    let entry = server.send::<Mover>(2, |mover| {
        mover.x.set(1);
        mover.ammo.set(9);
    });
    let early = |early| NewestWins {
        early,
        ..NewestWins::in_tick(2)
    };
    assert_eq!(
        client.read_as(early(true), &entry),
        Ok(vec![(0b1, Some(1_002))])
    );
    assert_eq!(
        (*client.get::<Mover>().ammo, client.ticks()),
        (0, [2, 1, 1, 1])
    );
    assert_eq!(
        client.read_as(early(false), &entry),
        Ok(vec![(0b1000, Some(1_002))])
    );
    assert_eq!(
        (*client.get::<Mover>().ammo, client.ticks()),
        (9, [2, 1, 1, 2])
    );
}

#[test]
fn snapshot_of_a_known_object_keeps_newer_fields() {
    let (mut server, mut client) = (End::new(Mover::default(), 1), End::new(Mover::default(), 1));
    server.send::<Mover>(2, |mover| {
        mover.x.set(1);
        mover.y.set(1);
    });
    let snapshot = server.snapshot(Role::Owner);
    let entry = server.send::<Mover>(4, |mover| mover.x = 2.into());
    client.read(4, &entry);
    let mut reader = NetworkReader::with_encoding(&snapshot, Encoding::Compact);
    let newest = NewestWins::in_tick(3);
    let End { pools, at, kept } = &mut client;
    let slots = pools.slots_mut(*at).unwrap();
    slots.read_full_newest(&mut reader, newest, kept).unwrap();
    let mover = client.get::<Mover>();
    assert_eq!((*mover.x, *mover.y), (2, 1));
    assert_eq!(client.ticks(), [4, 3, 3, 3]);
}

#[test]
fn older_state_does_not_bring_a_removed_behaviour_back() {
    type Boost = Optional<Burst>;

    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(channel = 1)]
    struct Burst {
        #[sync_var]
        power: SyncVar<u8>,
    }

    let burst = || Some(Burst { power: 3.into() });
    let (mut server, mut client) = (End::new(Boost::default(), 1), End::new(Boost::default(), 1));
    let added = server.send::<Boost>(2, |boost| boost.set(burst()));
    let removed = server.send::<Boost>(3, |boost| {
        boost.take();
    });
    client.read(3, &removed);
    assert_eq!(client.read(2, &added), []);
    assert!(client.get::<Boost>().is_none());
    let added = server.send::<Boost>(5, |boost| boost.set(burst()));
    client.read(5, &added);
    assert_eq!(client.read(3, &removed), []);
    assert_eq!(client.get::<Boost>().as_ref().unwrap().power, 3);
}

#[test]
fn unreadable_state_leaves_the_ticks() {
    let mut server = End::new(Mover::default(), 1);
    let mut entry = server.send::<Mover>(2, |mover| {
        mover.x.set(1);
        mover.names.push("name".into());
    });
    entry.pop();
    for spawned in [1, 2] {
        let mut client = End::new(Mover::default(), spawned);
        let newest = NewestWins::in_tick(2);
        client.read_as(newest, &entry).unwrap_err();
        assert_eq!(client.ticks(), [spawned; 4]);
    }
}

#[test]
fn kept_values_are_charged_as_work() {
    let mut client = End::new(Mover::default(), 9);
    client
        .get::<Mover>()
        .names
        .extend((0..1_000).map(|_| "a long name".to_owned()));
    let mut server = End::new(Mover::default(), 1);
    let entry = server.send::<Mover>(2, |mover| mover.x = 1.into());
    let mut reader = NetworkReader::with_encoding(&entry, Encoding::Compact);
    let before = reader.budget().work;
    let newest = NewestWins::in_tick(2);
    let End { pools, at, kept } = &mut client;
    let slot = pools.slots_mut(*at).unwrap().slot_mut(0).unwrap();
    let (result, fields) = kept.read(slot, newest, &mut reader, false);
    assert_eq!((result, fields), (Ok(()), 0));
    assert!(before - reader.budget().work > 1_000 * "a long name".len());
}

#[test]
fn sends_and_drops_set_the_ticks_of_dirty_fields() {
    let mut server = End::new(Mover::default(), 3);
    assert_eq!(server.ticks(), [3; 4], "tick of the spawn");
    server.get::<Mover>().x.set(1);
    server.slot().mark_fields_sent(0b1, 0, Some(5));
    server.get::<Mover>().y.set(1);
    server.slot().drop_fields(0b10, Some(6));
    server.get::<Mover>().names.push("a".into());
    server.slot().forget_changes(Some(7));
    server.get::<Mover>().ammo.set(1);
    server.slot().mark_sent(0, None);
    assert_eq!(server.ticks(), [5, 6, 7, 3]);
}

#[test]
fn frame_sets_the_ticks_of_its_fields() {
    let mut server = End::new(Mover::default(), 1);
    server.get::<Mover>().y.set(1);
    let form = UpdateForm {
        batched: true,
        update: 19,
        long: 0,
    };
    let new = || Segments::new(1_100, Encoding::Compact, form);
    let mut outputs = [new(), new()];
    let mut sink = ChangeSink {
        rules: SinkRules {
            now: 1_000_000_000,
            tick: Some(8),
            framed: false,
            interval: 0,
            channels: &[Channel::Reliable, Channel::Unreliable],
            reliable: Room::reliable(1 << 20),
            unreliable: Room::unreliable(1_100),
        },
        audience: AudienceId(0),
        outputs: Outputs::new(&mut [], &mut outputs),
        stats: &mut [],
        encoded: Encoded::default(),
        outcome: &mut Outcome::default(),
        log: None,
    };
    let job = Job {
        net_id: OBJECT,
        row: server.at.row,
        force: true,
    };
    let pool = server.pools.pool_mut(server.at.pool).unwrap();
    pool.write_changes(&[job], &mut sink);
    assert_eq!(server.ticks(), [1, 8, 1, 1]);
}

#[test]
fn large_fields_are_found_by_their_length() {
    let mut server = End::new(Mover::default(), 1);
    let limits = FieldLimits {
        field: 1_100,
        collection: 64,
    };
    let large = |server: &mut End| {
        let slot = server.slot();
        slot.large_fields(u64::MAX, Encoding::Compact, limits)
    };
    server.get::<Mover>().x.set(1);
    server.get::<Mover>().names.push("a".repeat(50));
    assert_eq!(large(&mut server), 0);
    server.get::<Mover>().names.push("b".repeat(50));
    assert_eq!(large(&mut server), 0b100);
    assert_eq!(server.slot().dirty_bits(), 0b101, "they stay dirty");

    let mut sign = End::new(Sign::default(), 1);
    sign.get::<Sign>().text.set("c".repeat(1_090));
    assert_eq!(large(&mut sign), 0);
    sign.get::<Sign>().text.set("c".repeat(1_100));
    assert_eq!(large(&mut sign), 0b1);
}

#[test]
fn reliable_behaviour_has_no_ticks() {
    let mut sign = End::new(Sign::default(), 1);
    assert!(sign.slot().ticks().is_none());
    assert!(End::new(Mover::default(), 1).slot().ticks().is_some());
    // Time of the last send, lineage, and a pointer to rare state.
    assert_eq!(size_of::<TypedSlot<Sign>>(), size_of::<Sign>() + 24);
}
