//! The collections: what a server does to them, clients see, and are told.

mod budgets;
mod edges;
mod hostile;
mod large;
mod lists;
mod log;
mod lossy;
mod maps_and_sets;
mod mirror_behaviours;
mod mirror_dictionaries;
mod mirror_lists;
mod mirror_sets;
mod model;
mod netcode_lists;
mod pair;
mod parity;
mod poison;
mod too_long;
mod work;

use syncvar::prelude::*;
use syncvar::{
    Framing, ServerConfig, SyncField,
    testing::Conditions,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError},
};

/// One of each.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Bag {
    #[sync_var(hook = on_item, batch_hook = on_items)]
    items: SyncList<u32>,
    #[sync_var(hook = on_ammo, batch_hook = on_all_ammo)]
    ammo: SyncDictionary<String, i32>,
    #[sync_var(hook = on_tag)]
    tags: SyncHashSet<String>,
    #[sync_var(hook = on_score)]
    scores: SyncSortedSet<i32>,
    told: Vec<String>,
}

impl Bag {
    fn on_item(&mut self, change: &ListChange<u32>) {
        self.told.push(format!("{change:?} of {:?}", self.items));
    }
    fn on_items(&mut self, changes: &[ListChange<u32>]) {
        self.told.push(format!("{} items", changes.len()));
    }
    fn on_ammo(&mut self, change: &DictionaryChange<String, i32>) {
        self.told.push(format!("{change:?}"));
    }
    fn on_all_ammo(&mut self, changes: &[DictionaryChange<String, i32>]) {
        self.told.push(format!("{} ammo", changes.len()));
    }
    fn on_tag(&mut self, change: &SetChange<String>) {
        self.told.push(format!("{change:?}"));
    }
    fn on_score(&mut self, change: &SetChange<i32>) {
        self.told.push(format!("{change:?}"));
    }
}

/// A server with one object, and a client that sees it.
fn world(dialect: Framing, bag: Bag) -> (MemoryNetwork, NetId) {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<Bag>("bag");
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let id = net.server.spawn(bag);
    net.settle();
    (net, id)
}

/// What a bag holds.
#[derive(Debug, PartialEq)]
struct State {
    items: Vec<u32>,
    ammo: Vec<(String, i32)>,
    tags: Vec<String>,
    scores: Vec<i32>,
}

impl Bag {
    /// What it holds, in an order that is the same everywhere.
    fn state(&self) -> State {
        let mut ammo: Vec<_> = self.ammo.iter().map(|(k, v)| (k.clone(), *v)).collect();
        let mut tags: Vec<_> = self.tags.iter().cloned().collect();
        ammo.sort();
        tags.sort();
        State {
            items: self.items.to_vec(),
            ammo,
            tags,
            scores: self.scores.iter().copied().collect(),
        }
    }
}

/// The bytes of a change.
fn delta(field: &impl SyncField, dialect: Encoding) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(dialect);
    field.write_delta(&mut writer);
    assert_eq!(writer.error(), None);
    writer.as_bytes().to_vec()
}

/// Reads bytes to their end.
fn read<R>(
    bytes: &[u8],
    dialect: Encoding,
    read: impl FnOnce(&mut NetworkReader<'_>) -> Result<R, ReadError>,
) -> Result<R, ReadError> {
    let mut reader = NetworkReader::with_encoding(bytes, dialect);
    let result = read(&mut reader)?;
    reader.finish()?;
    Ok(result)
}

/// Applies bytes of a change.
fn apply(field: &mut impl SyncField, bytes: &[u8], dialect: Encoding) {
    read(bytes, dialect, |reader| field.read_delta(reader)).unwrap();
}

/// A number as `Compact` writes it.
fn varint(number: u64) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    writer.write(&number);
    writer.as_bytes().to_vec()
}
