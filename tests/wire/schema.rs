//! The schema of a registry: its text, as a program keeps it in a repository.

use std::num::NonZeroU8;

use proptest::prelude::*;
use syncvar::codec::{Half, Quantized};
use syncvar::prelude::*;
use syncvar::schema::{Schema, TypeSchema};
use syncvar::values::NetworkHash128;
use syncvar::wire::{NetworkReader, NetworkWriter, ReadError};
use syncvar::{SyncValue, calls::CallKind};

#[derive(SyncValue, Clone, Copy, Default)]
enum Gait {
    #[default]
    Stand,
    #[sync_value(was("Stroll", "Pace"))]
    Walk,
    #[sync_value(other)]
    Unknown,
}

#[derive(SyncValue, Clone, Default)]
enum Effect {
    #[default]
    None,
    Burn {
        #[sync_value(was = "hurt")]
        damage: i32,
        seconds: f32,
    },
    Push(u8, u8),
    #[sync_value(other)]
    Unknown(u32),
}

#[derive(SyncValue, Clone, Default)]
struct Buff {
    id: u8,
    #[sync_value(was = "title")]
    name: String,
    #[sync_value(skip)]
    #[expect(dead_code, reason = "it does not travel")]
    icon: u8,
}

/// A type without a layout in its schema.
#[derive(Clone, Default)]
struct Percent(u8);

impl SyncValue for Percent {
    const SCHEMA: TypeSchema = TypeSchema::measured::<Self>(&TypeSchema::Named("Percent"));

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_u8(self.0);
    }
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_u8().map(Self)
    }
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

#[derive(NetworkBehaviour, Default)]
struct Entity {
    #[sync_var(with = Half)]
    position: SyncVar<Vector3>,
    #[sync_var(with = Quantized<-180, 180, 10>)]
    heading: SyncVar<f32>,
}

#[network_calls]
impl Entity {
    #[sync_event]
    fn bumped(force: f32);
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(was = "Hero", channel = unreliable, synchronize)]
struct Player {
    #[network_behaviour(base)]
    entity: Entity,
    #[sync_var(was("hp", "life"))]
    health: SyncVar<i32>,
    #[sync_var(read = owner, write = owner, server_override)]
    gold: SyncVar<u32>,
    #[sync_var(read = group, initial_only)]
    team: SyncVar<Option<NonZeroU8>>,
    #[sync_var]
    gait: SyncVar<Gait>,
    #[sync_var]
    effects: SyncList<Effect>,
    #[sync_var]
    buffs: SyncDictionary<String, Buff>,
    #[sync_var]
    share: SyncVar<[Percent; 2]>,
}

impl Synchronize for Player {
    fn on_synchronize(&mut self, _: &mut BufferSerializer<'_, '_>) -> Result<(), SynchronizeError> {
        Ok(())
    }
}

#[network_calls]
impl Player {
    #[command(was = "shoot")]
    fn fire(&mut self, at: Vector3, with: Gait) {
        let _ = (at, with);
    }
    #[client_rpc(after_state)]
    fn reload(&mut self, rounds: u8) {
        let _ = rounds;
    }
    #[target_rpc(name = "TargetSecret")]
    fn whisper(&mut self, text: FixedString32) {
        let _ = text;
    }
}

#[derive(NetworkBehaviour, Default)]
struct Lamp {
    #[sync_var(write = owner)]
    lit: SyncVar<bool>,
}

#[derive(SyncValue, Clone, Default)]
struct Move {
    x: f32,
    jump: bool,
}

fn registry() -> Prefabs {
    Prefabs::new()
        .register::<(Player, Optional<Lamp>)>("player")
        .register_asset("old lamp", NetworkHash128::parse("a1"), Lamp::default)
        .prefab_was("player", &["hero", "the hero"])
        .message::<(u8, String)>("vote")
        .message_as::<Buff>("buff", 1003)
        .message_was("vote", &["ballot"])
        .input::<Move>()
}

#[test]
fn text_of_a_schema_has_a_line_for_each_field() {
    insta::assert_snapshot!(registry().schema(), @r#"
    message buff = 1003: Buff { id: u8, name was title: String }
    message input = 48: Move { x: f32, jump: bool }
    message vote was ballot = 49: { 0: u8, 1: String }
    prefab "old lamp" 000000000000000000000000000000a1
      behaviour Lamp, channel 0
        class Lamp
          lit: bool, written by the owner
    prefab player was hero was "the hero" 930b4bd8d13c64bf6f4ae15ed59bd2a0
      behaviour Player was Hero, channel 1, with data
        class Entity
          position: Vector3 as Half
          heading: f32 as Quantized<-180, 180, 10>
          sync_event bumped = EventBumped(force: f32)
        class Player
          health was hp was life: i32
          gold: u32, read by the owner, written by the owner and the server
          team: NonZeroU8?, read by the owner and its group, sent once
          gait: Gait [Stand = 0, Walk was Stroll was Pace = 1, Unknown = 2 other]
          effects: SyncList<Effect [None = 0, Burn = 1 { damage was hurt: i32, seconds: f32 }, Push = 2 { 0: u8, 1: u8 }, Unknown = 3 other { 0: u32 }]>
          buffs: SyncDictionary<String, Buff { id: u8, name was title: String }>
          share: [Percent measured; 2]
          command fire was shoot = CmdFire(at: Vector3, with: Gait [Stand = 0, Walk was Stroll was Pace = 1, Unknown = 2 other])
          client_rpc reload = RpcReload(rounds: u8), after the state
          target_rpc whisper = TargetSecret(text: [FixedString; 32])
      behaviour Lamp, channel 0, optional
        class Lamp
          lit: bool, written by the owner
        class present
          present: bool
    "#);
}

#[test]
fn calls_are_listed_by_class_in_the_order_of_their_numbers() {
    let schema = registry().schema();
    let player = &schema.prefab("player").expect("a prefab").behaviours[0];
    let calls: Vec<_> = player
        .calls()
        .map(|call| (call.kind, &*call.names.name))
        .collect();
    let expected = [
        (CallKind::SyncEvent, "bumped"),
        (CallKind::Command, "fire"),
        (CallKind::ClientRpc, "reload"),
        (CallKind::TargetRpc, "whisper"),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn hash_is_that_of_the_text_and_follows_each_registration() {
    let prefabs = Prefabs::new().register::<Lamp>("lamp");
    let lamp = prefabs.schema_hash();
    assert_eq!(lamp, prefabs.schema().hash());
    let prefabs = prefabs.message::<u8>("vote");
    let vote = prefabs.schema_hash();
    assert_ne!(vote, lamp);
    let prefabs = prefabs.message_was("vote", &["ballot"]);
    assert_ne!(prefabs.schema_hash(), vote);
    assert_eq!(
        *prefabs.schema_text().clone(),
        *prefabs.schema().to_string()
    );
}

#[test]
fn types_without_a_layout_can_be_measured() {
    let measures = registry().measures();
    assert_eq!(measures.keys().collect::<Vec<_>>(), ["Percent"]);
    assert_eq!(measures["Percent"](&[7, 7], true), Some(1));
    assert_eq!(measures["Percent"](&[], true), None);
}

/// Registers a prefab of one of several kinds of behaviours.
fn register(prefabs: Prefabs, kind: u8, name: &str) -> Prefabs {
    match kind % 5 {
        0 => prefabs.register::<Player>(name),
        1 => prefabs.register::<Lamp>(name),
        2 => prefabs.register::<(Entity, Optional<Player2>)>(name),
        3 => prefabs.register::<(Lamp, Lamp, Player)>(name),
        _ => prefabs.register::<Entity>(name),
    }
}

/// A class with a base that can be optional.
#[derive(NetworkBehaviour, Default)]
struct Player2 {
    #[network_behaviour(base)]
    entity: Entity,
    #[sync_var]
    buffs: SyncSortedSet<u16>,
}

proptest! {
    #![proptest_config(syncvar_testing::cases(64))]

    #[test]
    fn schema_of_each_registry_is_read_back(
        names in proptest::collection::btree_map(".{1,12}", any::<u8>(), 0..8),
        former in ".{1,12}",
        is_message in any::<bool>(),
    ) {
        let mut prefabs = Prefabs::new();
        for (name, kind) in &names {
            prefabs = register(prefabs, *kind, name);
        }
        if let Some((first, _)) = names.first_key_value()
            && !names.contains_key(&former)
        {
            prefabs = prefabs.prefab_was(first, &[&former]);
        }
        if is_message {
            prefabs = prefabs.message::<Vec<Effect>>(&former);
        }
        let schema = prefabs.schema();
        let text = schema.to_string();
        prop_assert_eq!(Schema::parse(&text), Ok(schema));
        prop_assert_eq!(&**prefabs.schema_text(), &*text);
    }
}
