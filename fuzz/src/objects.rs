//! Behaviours of the fuzzed worlds, for each protocol the same.

use std::collections::BTreeMap;

use syncvar::codec::{Bits, Half, Quantized, SmallestThree, SyncCodec};
use syncvar::mirror::{AssetId, MirrorMessage, MirrorPrefab, MirrorPrefabs, MirrorServer};
use syncvar::prelude::*;
use syncvar::values::{Postcard, Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkWriter};

use crate::pawn::{Move, Pawn};

/// Element without bytes.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Empty;

/// Element with parts of several kinds.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Kind of the item.
    pub kind: Kind,
    /// Count.
    pub count: u16,
    /// Names.
    pub names: Vec<String>,
}

/// Enum with data.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub enum Kind {
    /// No data.
    #[default]
    Plain,
    /// A number.
    Numbered(i64),
    /// A reference and a place.
    Placed {
        /// Reference.
        at: NetRef,
        /// Place.
        place: Vector3,
    },
}

/// Value that contains itself.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tree {
    /// Parts.
    pub parts: Vec<Tree>,
}

impl Tree {
    /// Returns the number of levels below this one.
    pub fn depth(&self) -> u32 {
        let depths = self.parts.iter().map(|part| part.depth() + 1);
        depths.max().unwrap_or(0)
    }
}

/// Fields of the server.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Body {
    #[sync_var(hook = on_name)]
    name: SyncVar<String>,
    #[sync_var]
    level: SyncVar<u32>,
    #[sync_var]
    target: SyncVar<NetRef>,
    #[sync_var]
    log: SyncList<u32>,
    #[sync_var]
    bag: SyncDictionary<u32, String>,
    #[sync_var]
    tags: SyncHashSet<u8>,
    #[sync_var]
    ranks: SyncSortedSet<i32>,
    #[sync_var(with = Quantized<-500, 500, 100>)]
    place: SyncVar<Vector3>,
    #[sync_var]
    item: SyncVar<Option<Item>>,
    names: u32,
    heard: u32,
}

impl Body {
    #[expect(clippy::needless_pass_by_value, reason = "the shape of a hook")]
    fn on_name(&mut self, previous: String) {
        assert_ne!(previous, *self.name);
        self.names = self.names.wrapping_add(1);
    }

    /// Changes one field.
    pub fn change(&mut self, what: u8, number: u32, text: &str) {
        let position = usize::try_from(number).unwrap_or(usize::MAX);
        let [low, ..] = number.to_le_bytes();
        match what % 13 {
            0 => drop(self.name.set(text.into())),
            1 => drop(self.level.set(number)),
            2 if self.log.len() < 64 => self.log.push(number),
            3 => self.log.insert(position % (self.log.len() + 1), number),
            4 if !self.log.is_empty() => drop(self.log.remove(position % self.log.len())),
            5 => self.log.clear(),
            6 => drop(self.bag.insert(number, text.into())),
            7 => drop(self.bag.remove(&number)),
            8 => drop(self.tags.insert(low)),
            9 => drop(self.tags.remove(&low)),
            10 => drop(self.ranks.insert(number.cast_signed())),
            11 => drop(self.place.set(Vector3::new(f32::from(low), 1.0, -1.0))),
            _ => drop(self.item.set(Some(Item {
                kind: Kind::Numbered(number.into()),
                count: low.into(),
                names: vec![text.into()],
            }))),
        }
    }
}

#[network_calls]
impl Body {
    #[command]
    pub(crate) fn fire(&mut self, context: &mut CallContext<'_>, number: u32) {
        self.level.set(number);
        let id = context.net_id();
        if let Some(server) = context.side::<NetworkServer>() {
            let _ = server.calls::<Self>(id).hear(number, "fire".into());
        } else if let Some(server) = context.side::<MirrorServer>() {
            let _ = server.calls::<Self>(id).hear(number, "fire".into());
        }
    }

    #[command(requires_ownership = false, rate = 20)]
    pub(crate) fn open(&mut self, context: &mut CallContext<'_>, text: String) {
        let (id, sender) = (context.net_id(), context.sender());
        if let Some((server, sender)) = context.server().zip(sender) {
            match text.as_bytes().first() {
                Some(b'h') => drop(server.hide(id, sender)),
                Some(b's') => drop(server.show(id, sender)),
                Some(b'n') => server.set_not_ready(sender),
                _ => {}
            }
        }
        self.name.set(text);
    }

    #[command(requires_ownership = false)]
    pub(crate) fn give(&mut self, items: Vec<Item>, prices: BTreeMap<u8, String>, to: NetRef) {
        self.item.set(items.into_iter().next());
        self.bag
            .extend(prices.into_iter().map(|(key, name)| (key.into(), name)));
        self.target.set(to);
    }

    #[command]
    pub(crate) fn mark(&mut self, labels: Vec<FixedString4096>, blocks: Vec<Option<[f64; 64]>>) {
        self.level
            .set(u32::try_from(labels.len() + blocks.len()).unwrap_or(0));
    }

    #[command]
    pub(crate) fn plant(&mut self, tree: Postcard<Tree>) {
        self.level.set(tree.0.depth());
    }

    #[client_rpc]
    pub(crate) fn hear(&mut self, number: u32, text: String) {
        self.heard = self.heard.wrapping_add(number) ^ u32::try_from(text.len()).unwrap_or(0);
    }

    #[target_rpc]
    pub(crate) fn whisper(&mut self, items: Vec<Item>) {
        self.heard = self
            .heard
            .wrapping_add(u32::try_from(items.len()).unwrap_or(0));
    }

    #[sync_event]
    pub(crate) fn rang(number: u32);
}

/// Fields of the owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Mind {
    #[sync_var(write = owner, hook = on_aim)]
    aim: SyncVar<u32>,
    #[sync_var(write = owner)]
    words: SyncVar<String>,
    #[sync_var(write = owner)]
    path: SyncList<u16>,
    #[sync_var(write = owner)]
    items: SyncList<Item>,
    #[sync_var(write = owner)]
    notes: SyncDictionary<String, i64>,
    #[sync_var(write = owner)]
    seen: SyncHashSet<u32>,
    #[sync_var(write = owner)]
    order: SyncSortedSet<String>,
    #[sync_var(write = owner, with = SmallestThree)]
    pose: SyncVar<Quaternion>,
    #[sync_var(write = owner, with = Half)]
    speed: SyncVar<f32>,
    #[sync_var(write = owner, with = Bits<12>)]
    mode: SyncVar<u16>,
    #[sync_var(write = owner)]
    target: SyncVar<NetRef>,
    #[sync_var(write = owner)]
    grid: SyncVar<Vec<Vec<u8>>>,
    #[sync_var(write = owner)]
    labels: SyncList<FixedString512>,
    aims: u32,
}

impl Mind {
    fn on_aim(&mut self, previous: u32) {
        assert_ne!(previous, *self.aim);
        self.aims = self.aims.wrapping_add(1);
    }

    /// Changes one field.
    pub fn change(&mut self, what: u8, number: u32, text: &str) {
        let position = usize::try_from(number).unwrap_or(usize::MAX);
        let [low, high, ..] = number.to_le_bytes();
        let short = u16::from_le_bytes([low, high]);
        match what % 16 {
            0 => drop(self.aim.set(number)),
            1 => drop(self.words.set(text.into())),
            2 if self.path.len() < 64 => self.path.push(short),
            3 => self.path.insert(position % (self.path.len() + 1), short),
            4 if !self.path.is_empty() => drop(self.path.remove(position % self.path.len())),
            5 => self.path.clear(),
            6 => self.items.push(Item {
                kind: Kind::Placed {
                    at: NetRef::NONE,
                    place: Vector3::new(0.5, 0.0, 1.0),
                },
                count: short,
                names: vec![text.into(), String::new()],
            }),
            7 => drop(self.notes.insert(text.into(), number.into())),
            8 => drop(self.notes.remove(text)),
            9 => drop(self.seen.insert(number)),
            10 => drop(self.order.insert(text.into())),
            11 => drop(self.speed.set(f32::from(short))),
            12 => drop(self.mode.set(short & 0xfff)),
            15 => self.labels.push(FixedString::truncated(text)),
            13 => drop(self.grid.set(vec![text.into(), Vec::new()])),
            _ => drop(self.items.pop()),
        }
    }
}

/// Fields that the owner alone reads.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Purse {
    #[sync_var(read = owner)]
    coins: SyncVar<u64>,
    #[sync_var(read = owner)]
    keys: SyncList<String>,
}

impl Purse {
    /// Changes one field.
    pub fn change(&mut self, what: u8, number: u32, text: &str) {
        match what % 3 {
            0 => drop(self.coins.set(number.into())),
            1 => self.keys.push(text.into()),
            _ => drop(self.keys.pop()),
        }
    }
}

/// Fields on the unreliable channel, with callbacks and data of the snapshot.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.1, channel = 1, lifecycle, synchronize)]
pub struct Wheel {
    #[sync_var]
    lap: SyncVar<u32>,
    #[sync_var]
    turns: SyncList<u8>,
    joins: u32,
    words: String,
}

impl Wheel {
    /// Changes one field.
    pub fn change(&mut self, what: u8, number: u32, text: &str) {
        match what % 3 {
            0 => drop(self.lap.set(number)),
            1 if self.turns.len() < 64 => self.turns.push(what),
            _ => drop(self.turns.pop()),
        }
        self.words = text.into();
    }
}

impl Synchronize for Wheel {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        self.joins = self.joins.wrapping_add(1);
        serializer.serialize_value(&mut self.joins)?;
        serializer.serialize_value(&mut self.words)
    }
}

impl NetworkLifecycle for Wheel {
    fn on_network_spawn(&mut self, context: &mut NetworkContext<'_>) -> LifecycleResult {
        if context.is_server() {
            self.turns.push(1);
        }
        Ok(())
    }

    fn on_gained_ownership(&mut self, context: &mut NetworkContext<'_>) -> LifecycleResult {
        if context.is_server() {
            let lap = self.lap.wrapping_add(1);
            self.lap.set(lap);
        }
        Ok(())
    }

    fn on_network_despawn(&mut self, _: &mut NetworkContext<'_>) -> LifecycleResult {
        if self.words == "stay" {
            return Err("a callback that fails".into());
        }
        Ok(())
    }
}

/// Object of a scene.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Door {
    #[sync_var]
    is_open: SyncVar<bool>,
}

/// Object with callbacks.
pub type Racer = (Body, Wheel);

/// Behaviours of an object.
pub type Hero = (Body, Mind, Purse);

/// Returns a new object.
pub fn hero() -> Hero {
    Hero::default()
}

/// Returns the registry for UNet and Compact.
pub fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Hero>("hero")
        .register::<Racer>("racer")
        .register::<Body>("stone")
        .register::<Pawn>("pawn")
        .message::<Chat>("chat")
        .input::<Move>()
}

/// Returns the registry for Mirror.
pub fn mirror_prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Hero>(MirrorPrefab::new("hero", AssetId(1001)))
        .register::<Racer>(MirrorPrefab::new("racer", AssetId(1003)))
        .register::<Body>(MirrorPrefab::new("stone", AssetId(1002)))
        .register::<Door>(MirrorPrefab::scene("door"))
        .message::<Chat>()
}

/// Message of a program.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Chat {
    /// Text.
    pub text: String,
    /// Items.
    pub items: Vec<Item>,
}

impl MirrorMessage for Chat {
    const NAME: &'static str = "Fuzz.Chat";
}

/// Appends the values of an object, in an order that all ends share. Objects with equal digests have
/// equal values.
pub fn digest(
    body: Option<&Body>,
    mind: Option<&Mind>,
    purse: Option<&Purse>,
    wheel: Option<&Wheel>,
) -> Vec<u8> {
    let mut out = NetworkWriter::with_encoding(Encoding::Compact);
    if let Some(body) = body {
        out.write(&*body.name);
        out.write(&*body.level);
        out.write(&*body.target);
        out.write(&body.log.to_vec());
        let bag: BTreeMap<u32, String> = body.bag.iter().map(|(k, v)| (*k, v.clone())).collect();
        out.write(&bag);
        let mut tags: Vec<u8> = body.tags.iter().copied().collect();
        tags.sort_unstable();
        out.write(&tags);
        out.write(&body.ranks.iter().copied().collect::<Vec<_>>());
        // A codec may lose digits: both ends have the same bytes.
        <Quantized<-500, 500, 100>>::write(&*body.place, &mut out);
        out.write(&*body.item);
    }
    if let Some(mind) = mind {
        out.write(&*mind.aim);
        out.write(&*mind.words);
        out.write(&mind.path.to_vec());
        out.write(&mind.items.to_vec());
        let notes: BTreeMap<String, i64> =
            mind.notes.iter().map(|(k, v)| (k.clone(), *v)).collect();
        out.write(&notes);
        let mut seen: Vec<u32> = mind.seen.iter().copied().collect();
        seen.sort_unstable();
        out.write(&seen);
        out.write(&mind.order.iter().cloned().collect::<Vec<_>>());
        SmallestThree::write(&*mind.pose, &mut out);
        Half::write(&*mind.speed, &mut out);
        out.write(&*mind.mode);
        out.write(&*mind.target);
        out.write(&*mind.grid);
        out.write(&mind.labels.to_vec());
    }
    if let Some(wheel) = wheel {
        out.write(&*wheel.lap);
        out.write(&wheel.turns.to_vec());
    }
    if let Some(purse) = purse {
        out.write(&*purse.coins);
        out.write(&purse.keys.to_vec());
    }
    out.as_bytes().to_vec()
}
