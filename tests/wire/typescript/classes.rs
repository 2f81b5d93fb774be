//! Classes of the vectors: every type of field, and every kind of behaviour.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroI16;

use serde_json::{Value, json};
use syncvar::codec::{Bits, Fixed, Half, Quantized, SmallestThree, ZigZag};

use syncvar::prelude::*;
use syncvar::schema::TypeSchema;
use syncvar::values::{
    Color32, Decimal, FixedString32, NetworkHash128, Quaternion, Ray, Rect, Vector2, Vector3Int,
};
use syncvar::wire::{NetworkReader, NetworkWriter, ReadError};
use syncvar::{NetworkIdentity, SyncValue};

/// Enumeration without data.
#[derive(SyncValue, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Gait {
    #[default]
    Stand,
    Walk = -3,
}

/// Enumeration with data.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) enum Effect {
    #[default]
    None,
    Burn {
        damage: i32,
        seconds: f32,
    },
    Push(u8, u8),
}

/// Struct of values.
#[derive(SyncValue, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Buff {
    pub(crate) id: u8,
    pub(crate) name: String,
}

/// One field of each type; its owner writes them.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Everything {
    #[sync_var(write = owner)]
    pub(crate) flag: SyncVar<bool>,
    #[sync_var(write = owner)]
    pub(crate) byte: SyncVar<u8>,
    #[sync_var(write = owner)]
    pub(crate) small: SyncVar<i16>,
    #[sync_var(write = owner)]
    pub(crate) word: SyncVar<u32>,
    #[sync_var(write = owner)]
    pub(crate) number: SyncVar<i32>,
    #[sync_var(write = owner)]
    pub(crate) wide: SyncVar<u64>,
    #[sync_var(write = owner)]
    pub(crate) signed: SyncVar<i64>,
    #[sync_var(write = owner)]
    pub(crate) widest: SyncVar<i128>,
    #[sync_var(write = owner)]
    pub(crate) nonzero: SyncVar<Option<NonZeroI16>>,
    #[sync_var(write = owner)]
    pub(crate) float: SyncVar<f32>,
    #[sync_var(write = owner)]
    pub(crate) double: SyncVar<f64>,
    #[sync_var(write = owner)]
    pub(crate) letter: SyncVar<char>,
    #[sync_var(write = owner)]
    pub(crate) text: SyncVar<String>,
    #[sync_var(write = owner)]
    pub(crate) short: SyncVar<FixedString32>,
    #[sync_var(write = owner)]
    pub(crate) price: SyncVar<Decimal>,
    #[sync_var(write = owner)]
    pub(crate) place: SyncVar<Vector2>,
    #[sync_var(write = owner)]
    pub(crate) ray: SyncVar<Ray>,
    #[sync_var(write = owner)]
    pub(crate) area: SyncVar<Rect>,
    #[sync_var(write = owner)]
    pub(crate) cell: SyncVar<Vector3Int>,
    #[sync_var(write = owner)]
    pub(crate) colour: SyncVar<Color32>,
    #[sync_var(write = owner)]
    pub(crate) hash: SyncVar<NetworkHash128>,
    #[sync_var(write = owner)]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var(write = owner)]
    pub(crate) gait: SyncVar<Gait>,
    #[sync_var(write = owner)]
    pub(crate) effect: SyncVar<Effect>,
    #[sync_var(write = owner)]
    pub(crate) push: SyncVar<Effect>,
    #[sync_var(write = owner)]
    pub(crate) buff: SyncVar<Option<Buff>>,
    #[sync_var(write = owner)]
    pub(crate) pair: SyncVar<(u8, String)>,
    #[sync_var(write = owner)]
    pub(crate) numbers: SyncVar<Vec<i32>>,
    #[sync_var(write = owner)]
    pub(crate) bytes: SyncVar<Vec<u8>>,
    #[sync_var(write = owner)]
    pub(crate) array: SyncVar<[u8; 3]>,
    #[sync_var(write = owner)]
    pub(crate) map: SyncVar<BTreeMap<u16, String>>,
    #[sync_var(write = owner)]
    pub(crate) set: SyncVar<BTreeSet<i32>>,
    #[sync_var(write = owner)]
    pub(crate) delay: SyncVar<std::time::Duration>,
    #[sync_var(write = owner, with = ZigZag)]
    pub(crate) zigzag: SyncVar<i64>,
    #[sync_var(write = owner, with = Fixed)]
    pub(crate) fixed: SyncVar<u64>,
    #[sync_var(write = owner, with = Bits<12>)]
    pub(crate) bits: SyncVar<i32>,
    #[sync_var(write = owner, with = Quantized<-10, 10, 10>)]
    pub(crate) steps: SyncVar<Vector2>,
    #[sync_var(write = owner, with = Half)]
    pub(crate) half: SyncVar<[f32; 2]>,
    #[sync_var(write = owner, with = SmallestThree)]
    pub(crate) turn: SyncVar<Quaternion>,
    #[sync_var(write = owner)]
    pub(crate) list: SyncList<i32>,
}

/// Returns a value of each type.
pub(crate) fn everything() -> Everything {
    Everything {
        flag: true.into(),
        byte: 200.into(),
        small: (-300).into(),
        word: u32::MAX.into(),
        number: (-1).into(),
        wide: u64::MAX.into(),
        signed: i64::MIN.into(),
        widest: (-2).into(),
        nonzero: NonZeroI16::new(-7).into(),
        float: 1.5.into(),
        double: 0.1.into(),
        letter: 'あ'.into(),
        text: "é".to_owned().into(),
        short: FixedString32::try_from("short").expect("short").into(),
        price: Decimal::new(-110, 2).into(),
        place: Vector2::new(1.0, -2.0).into(),
        ray: Ray::default().into(),
        area: Rect::new(1.0, 2.0, 3.0, 4.0).into(),
        cell: Vector3Int::new(1, -1, 300).into(),
        colour: Color32::new(255, 128, 0, 255).into(),
        hash: NetworkHash128::parse("a55e7000000000000000000000000001").into(),
        target: NetRef::from(NetId(300)).into(),
        gait: Gait::Walk.into(),
        effect: burn().into(),
        push: Effect::Push(1, 255).into(),
        buff: Some(buff(3)).into(),
        pair: (9, "nine".to_owned()).into(),
        numbers: vec![5, -300].into(),
        bytes: vec![0, 255].into(),
        array: [1, 2, 255].into(),
        map: BTreeMap::from([(2, "b".to_owned()), (300, "c".to_owned())]).into(),
        set: BTreeSet::from([-5, 5]).into(),
        delay: std::time::Duration::from_millis(1500).into(),
        zigzag: (-3).into(),
        fixed: 300.into(),
        bits: (-2).into(),
        steps: Vector2::new(1.0, -1.5).into(),
        half: [1.0, -2.0].into(),
        turn: Quaternion::IDENTITY.into(),
        list: [1, -2].into_iter().collect(),
    }
}

/// Marks every field as changed.
pub(crate) fn touch(object: &mut Everything) {
    macro_rules! touch {
        ($($field:ident)*) => { $(object.$field.set_dirty();)* };
    }
    touch! {
        flag byte small word number wide signed widest
        nonzero float double letter text short price place
        ray area cell colour hash target gait effect
        push buff pair numbers bytes array map set
        delay zigzag fixed bits steps half turn list
    }
}

/// Returns the same values as JSON.
fn everything_json() -> Value {
    serde_json::from_str(include_str!("everything.json")).expect("JSON")
}

pub(crate) fn burn() -> Effect {
    Effect::Burn {
        damage: 5,
        seconds: 0.5,
    }
}

pub(crate) fn buff(id: u8) -> Buff {
    let name = "buff".to_owned();
    Buff { id, name }
}

/// Base class.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Badge {
    #[sync_var]
    pub(crate) number: SyncVar<i32>,
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<i32>,
}

/// Fields by reader, above a base.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Tank {
    #[network_behaviour(base)]
    pub(crate) badge: Badge,
    #[sync_var]
    pub(crate) heading: SyncVar<i32>,
    #[sync_var(read = group)]
    pub(crate) ammunition: SyncVar<u32>,
    #[sync_var(read = others)]
    pub(crate) rumour: SyncVar<i32>,
    #[sync_var(write = owner, server_override)]
    pub(crate) aim: SyncVar<i32>,
}

#[network_calls]
impl Tank {
    #[command(requires_ownership = false)]
    pub(crate) fn fire(&mut self, at: i32, name: String) {
        self.heading
            .set(at + i32::try_from(name.len()).expect("a short name"));
    }

    #[client_rpc]
    pub(crate) fn reload(&mut self, rounds: u8) {
        let _ = (&self.heading, rounds);
    }

    #[client_rpc(after_state)]
    pub(crate) fn explode(&mut self) {
        let _ = &self.heading;
    }

    #[sync_event]
    pub(crate) fn burst(buff: Buff);
}

/// Collections.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Team {
    #[sync_var]
    pub(crate) list: SyncList<i32>,
    #[sync_var]
    pub(crate) scores: SyncDictionary<String, i32>,
    #[sync_var]
    pub(crate) buffs: SyncHashSet<Buff>,
    #[sync_var]
    pub(crate) order: SyncSortedSet<u8>,
}

/// Value that a client in another language cannot read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Custom(pub(crate) u8);

impl SyncValue for Custom {
    const SCHEMA: TypeSchema = TypeSchema::Named("Custom");

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_bytes(&[self.0, self.0]);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_bytes(2).map(|bytes| Self(bytes[0]))
    }

    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Behaviour with such a value between two others.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Odd {
    #[sync_var]
    pub(crate) before: SyncVar<i32>,
    #[sync_var]
    pub(crate) custom: SyncVar<Custom>,
    #[sync_var]
    pub(crate) behind: SyncVar<i32>,
}

/// Behaviour on the unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(crate) struct Mover {
    #[sync_var]
    pub(crate) x: SyncVar<i32>,
    #[sync_var]
    pub(crate) y: SyncVar<i32>,
    #[sync_var(write = owner)]
    pub(crate) heading: SyncVar<i32>,
}

/// Message of the program.
#[derive(SyncValue, Clone, Debug, PartialEq)]
pub(crate) struct Chat {
    pub(crate) text: String,
}

/// Returns the prefabs of both ends.
pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Everything>("everything")
        .register::<(Tank, Team)>("tank")
        .register::<Odd>("odd")
        .register::<Mover>("mover")
        .message::<Chat>("chat")
}

/// Returns the replicas of a client as JSON. A field that it may not read is `{ "$undefined": true }`.
pub(crate) fn view(client: &NetworkClient, in_group: bool) -> Value {
    let ids = client.identities().map(NetworkIdentity::net_id);
    let objects = ids.map(|id| {
        let owned = client.is_owner(id);
        let behaviours = behaviours(client, id, (owned, in_group));
        json!({ "id": id.0, "owned": owned, "behaviours": behaviours })
    });
    objects.collect()
}

fn behaviours(client: &NetworkClient, id: NetId, (owned, in_group): (bool, bool)) -> Value {
    let undefined = json!({ "$undefined": true });
    let readable = |is_read: bool, value: Value| if is_read { value } else { undefined.clone() };
    if client.get::<Everything>(id).is_some() {
        return json!([everything_json()]);
    }
    if let Some(odd) = client.get::<Odd>(id) {
        return json!([{ "before": *odd.before, "custom": undefined, "behind": undefined }]);
    }
    if let Some(mover) = client.get::<Mover>(id) {
        return json!([{ "x": *mover.x, "y": *mover.y, "heading": *mover.heading }]);
    }
    let (tank, team) = (client.get::<Tank>(id), client.get::<Team>(id));
    let (tank, team) = (tank.expect("a tank"), team.expect("its team"));
    json!([
        {
            "number": *tank.badge.number,
            "secret": readable(owned, json!(*tank.badge.secret)),
            "heading": *tank.heading,
            "ammunition": readable(owned || in_group, json!(*tank.ammunition)),
            "rumour": readable(!owned, json!(*tank.rumour)),
            "aim": *tank.aim,
        },
        {
            "list": team.list.to_vec(),
            "scores": { "$map": sorted(team.scores.iter().map(|(key, value)| json!([key, value]))) },
            "buffs": { "$set": sorted(team.buffs.iter().map(|buff| json!({ "id": buff.id, "name": buff.name }))) },
            "order": { "$set": team.order.iter().copied().collect::<Vec<u8>>() },
        },
    ])
}

/// Returns elements in the order of their texts: that of a hashed collection has no meaning.
fn sorted(elements: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut elements: Vec<Value> = elements.collect();
    elements.sort_by_key(ToString::to_string);
    elements
}
