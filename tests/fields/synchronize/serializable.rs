//! Values with one function for writing and reading.

use std::cell::RefCell;

use syncvar::prelude::*;
use syncvar::{
    Framing,
    codec::Half,
    wire::{NetworkReader, NetworkWriter},
};

use super::settings::DIALECTS;

thread_local! {
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Weapon {
    name: String,
    rounds: u32,
    /// Does not travel.
    polished: bool,
}

impl NetworkSerializable for Weapon {
    const NAME: &'static str = "Weapon";

    fn network_serialize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        CALLS.with_borrow_mut(|calls| {
            calls.push(if serializer.is_writer() {
                "write"
            } else {
                "read"
            });
        });
        serializer.serialize_value(&mut self.name)?;
        if self.name == "cursed" {
            return Err("nobody may have that".into());
        }
        if self.name != "sword" {
            serializer.serialize_value(&mut self.rounds)?;
        }
        Ok(())
    }
}

/// Has another such value in it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Loadout {
    weapon: Weapon,
    spare: Option<Box<Weapon>>,
    weight: f32,
}

impl NetworkSerializable for Loadout {
    const NAME: &'static str = "Loadout";

    fn network_serialize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        self.weapon.network_serialize(serializer)?;
        let mut has_spare = self.spare.is_some();
        serializer.serialize_value(&mut has_spare)?;
        if has_spare {
            self.spare
                .get_or_insert_default()
                .network_serialize(serializer)?;
        } else {
            self.spare = None;
        }
        serializer.serialize_with::<Half, _>(&mut self.weight)
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Soldier {
    #[sync_var(hook = on_weapon_changed)]
    weapon: SyncVar<Serializable<Weapon>>,
    #[sync_var]
    loadout: SyncVar<Serializable<Loadout>>,
    #[sync_var]
    bag: SyncList<Serializable<Weapon>>,
    previous: Vec<String>,
}

impl Soldier {
    fn on_weapon_changed(&mut self, previous: Serializable<Weapon>) {
        self.previous.push(previous.0.name);
    }
}

fn network(dialect: Framing) -> (MemoryNetwork, NetId) {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<Soldier>("soldier");
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.connect();
    let id = net.server.spawn(Soldier::default());
    net.settle();
    CALLS.take();
    (net, id)
}

fn weapon(name: &str, rounds: u32) -> Weapon {
    Weapon {
        name: name.into(),
        rounds,
        polished: false,
    }
}

// checklist: T16 N16
#[test]
fn serializable_runs_once_to_write_and_once_to_read() {
    for dialect in DIALECTS {
        let (mut net, id) = network(dialect);
        net.server
            .get_mut::<Soldier>(id)
            .unwrap()
            .weapon
            .set(weapon("bow", 12).into());
        net.settle();
        assert_eq!(CALLS.take(), ["write", "read"]);
        let soldier = net.client(0).get::<Soldier>(id).unwrap();
        assert_eq!(soldier.weapon.0, weapon("bow", 12));
        assert_eq!(soldier.previous, [""], "hooks are given the previous value");
    }
}

// checklist: N26
#[test]
fn one_value_passes_the_serializer_on_to_another() {
    for dialect in DIALECTS {
        let (mut net, id) = network(dialect);
        let with = Loadout {
            weapon: weapon("sword", 0),
            spare: Some(Box::new(weapon("bow", 3))),
            weight: 1.5,
        };
        let without = Loadout {
            spare: None,
            ..with.clone()
        };
        for loadout in [with, without] {
            net.server
                .get_mut::<Soldier>(id)
                .unwrap()
                .loadout
                .set(loadout.clone().into());
            net.settle();
            assert_eq!(net.client(0).get::<Soldier>(id).unwrap().loadout.0, loadout);
        }
    }
}

// checklist: T22 N16
#[test]
fn members_that_are_not_serialized_keep_their_values() {
    for dialect in DIALECTS {
        let (mut net, id) = network(dialect);
        net.client_mut(0)
            .get_mut::<Soldier>(id)
            .unwrap()
            .weapon
            .polished = true;
        net.server.get_mut::<Soldier>(id).unwrap().weapon.rounds = 2;
        net.settle();
        let weapon = &net.client(0).get::<Soldier>(id).unwrap().weapon;
        assert!(weapon.polished && weapon.rounds == 2);
    }
}

// checklist: N16
#[test]
fn serializable_works_as_a_list_element() {
    for dialect in DIALECTS {
        let (mut net, id) = network(dialect);
        let mut soldier = net.server.get_mut::<Soldier>(id).unwrap();
        soldier.bag.push(weapon("bow", 1).into());
        soldier.bag.push(weapon("sword", 0).into());
        drop(soldier);
        net.settle();
        net.server
            .get_mut::<Soldier>(id)
            .unwrap()
            .bag
            .get_mut(0)
            .unwrap()
            .rounds = 9;
        net.settle();
        let bag = &net.client(0).get::<Soldier>(id).unwrap().bag;
        assert_eq!(
            (&*bag[0].name, bag[0].rounds, &*bag[1].name),
            ("bow", 9, "sword")
        );
    }
}

#[test]
fn refused_write_is_reported_like_an_unwritable_value() {
    let (mut net, id) = network(Framing::Compact);
    net.server
        .get_mut::<Soldier>(id)
        .unwrap()
        .weapon
        .set(weapon("cursed", 0).into());
    net.settle();
    let told = std::iter::from_fn(|| net.server.poll_event())
        .last()
        .unwrap();
    let ServerEvent::SerializeFailed {
        object,
        field,
        error,
        ..
    } = told
    else {
        panic!("{told:?}");
    };
    assert_eq!((object, field), (id, Some("weapon")));
    assert!(
        error.to_string().contains("nobody may have that"),
        "{error}"
    );
}

#[test]
fn refused_read_is_reported() {
    let mut reader = NetworkReader::new(b"\x06\0cursed");
    let error = reader.read::<Serializable<Weapon>>().unwrap_err();
    assert_eq!(error.to_string(), "nobody may have that, at byte 8");
    let error = NetworkReader::new(b"\x03\0bo")
        .read::<Serializable<Weapon>>()
        .unwrap_err();
    assert_eq!(error.to_string(), "3 bytes needed, 2 left, at byte 2");
}

#[test]
fn the_serializer_gives_access_to_writer_and_reader() {
    let mut writer = NetworkWriter::new();
    let mut serializer = BufferSerializer::writing(&mut writer);
    assert!(serializer.is_writer() && serializer.reader().is_none());
    serializer.writer().unwrap().write_u16(258);
    assert_eq!(
        serializer
            .serialize_value(&mut "x".repeat(40_000))
            .unwrap_err()
            .to_string(),
        "a string of 40000 bytes is longer than the limit of 32767, at byte 2"
    );
    let mut reader = NetworkReader::new(writer.as_bytes());
    let mut serializer = BufferSerializer::reading(&mut reader);
    assert!(serializer.is_reader() && serializer.writer().is_none());
    assert_eq!(serializer.reader().unwrap().read_u16(), Ok(258));
    assert!(serializer.serialize_value(&mut 0_u8).is_err());
}
