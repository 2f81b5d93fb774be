//! Objects under attack.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bytes::Bytes;

use syncvar::fields::{DictionaryChange, ListChange};
#[cfg(feature = "mirror")]
use syncvar::mirror::{MirrorPrefab, MirrorPrefabs};
use syncvar::prelude::*;
use syncvar::values::FixedString;

/// Enum of 776 bytes. Its first variant takes one byte on the wire.
#[derive(SyncValue, Clone, Debug, Default)]
#[expect(
    clippy::large_enum_variant,
    reason = "the difference of the sizes is the attack"
)]
pub enum Wide {
    /// No data.
    #[default]
    Empty,
    /// All the data.
    Full([f64; 96]),
}

/// Struct of 4 KiB that is empty on the wire.
#[derive(SyncValue, Clone, Debug)]
pub struct Hollow {
    /// Memory that does not travel.
    #[sync_value(skip)]
    pub cache: Cache,
}

/// Cache of a [`Hollow`].
#[derive(Clone, Debug)]
pub struct Cache(pub [u64; 512]);

impl Default for Cache {
    fn default() -> Self {
        Self([0; 512])
    }
}

/// Struct of 4 KiB that takes one byte on the wire.
#[derive(SyncValue, Clone, Debug, Default)]
pub struct Heavy {
    /// Byte on the wire.
    pub id: u8,
    /// Memory that does not travel.
    #[sync_value(skip)]
    pub cache: Cache,
}

/// Text of 4 KiB in memory. An empty one takes one or two bytes on the wire.
pub(super) type Text = FixedString<4096>;

/// Object whose owner writes collections of many types, and whose commands take many values.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Trove {
    /// Bit 0.
    #[sync_var(write = owner)]
    pub numbers: SyncList<u64>,
    /// Bit 1.
    #[sync_var(write = owner)]
    pub wide: SyncList<Wide>,
    /// Bit 2.
    #[sync_var(write = owner)]
    pub texts: SyncList<Text>,
    /// Bit 3.
    #[sync_var(write = owner)]
    pub rows: SyncList<Vec<Vec<u8>>>,
    /// Bit 4.
    #[sync_var(write = owner)]
    pub slots: SyncList<Option<[f64; 64]>>,
    /// Bit 5.
    #[sync_var(write = owner)]
    pub table: SyncDictionary<u32, Text>,
    /// Bit 6.
    #[sync_var(write = owner)]
    pub keys: SyncHashSet<u32>,
    /// Bit 7.
    #[sync_var(write = owner)]
    pub order: SyncSortedSet<u32>,
    /// Bit 8.
    #[sync_var(write = owner)]
    pub hollow: SyncList<Hollow>,
    /// Bit 9.
    #[sync_var(write = owner)]
    pub value: SyncVar<Vec<Text>>,
    /// Bit 10.
    #[sync_var(write = owner)]
    pub map: SyncVar<BTreeMap<u32, Wide>>,
    /// Bit 11.
    #[sync_var(write = owner)]
    pub small: SyncVar<u32>,
}

#[network_calls]
impl Trove {
    #[command]
    fn take_texts(&mut self, texts: Vec<Text>) {
        drop(texts);
    }

    #[command]
    fn take_slots(&mut self, slots: Vec<Option<[f64; 64]>>) {
        drop(slots);
    }

    #[command]
    fn take_wide(&mut self, wide: Vec<Wide>) {
        drop(wide);
    }

    #[command]
    fn take_rows(&mut self, rows: Vec<Vec<Vec<u8>>>) {
        drop(rows);
    }

    #[command]
    fn take_strings(&mut self, strings: Vec<String>) {
        drop(strings);
    }

    #[command]
    fn take_hollow(&mut self, hollow: Vec<Vec<Hollow>>) {
        drop(hollow);
    }

    #[command]
    fn take_map(&mut self, map: BTreeMap<u32, Wide>) {
        drop(map);
    }

    #[command]
    fn take_boxes(&mut self, boxes: Vec<(bool, Box<Wide>)>) {
        drop(boxes);
    }
}

/// Object whose owner writes collections, by Mirror's protocol.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, sync_direction = client_to_server)]
pub struct MirrorTrove {
    /// Bit 0 of the collections.
    #[sync_var]
    pub numbers: SyncList<u64>,
    /// Bit 1 of the collections.
    #[sync_var]
    pub wide: SyncList<Wide>,
    /// Bit 2 of the collections.
    #[sync_var]
    pub texts: SyncList<Text>,
    /// Bit 3 of the collections.
    #[sync_var]
    pub table: SyncDictionary<u32, Text>,
    /// Bit 4 of the collections.
    #[sync_var]
    pub keys: SyncHashSet<u32>,
    /// Bit 0 of the values.
    #[sync_var]
    pub value: SyncVar<Vec<Text>>,
    /// Bit 1 of the values.
    #[sync_var]
    pub small: SyncVar<u32>,
}

#[network_calls]
impl MirrorTrove {
    #[command]
    pub(super) fn take_texts(&mut self, texts: Vec<Text>) {
        drop(texts);
    }

    #[command]
    pub(super) fn take_wide(&mut self, wide: Vec<Wide>) {
        drop(wide);
    }

    #[command]
    pub(super) fn take_strings(&mut self, strings: Vec<String>) {
        drop(strings);
    }

    #[client_rpc]
    pub(super) fn show_texts(&mut self, texts: Vec<Text>) {
        drop(texts);
    }
}

/// Object whose commands take values of further types, and whose owner writes a list with a hook.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Bag {
    /// Bit 0.
    #[sync_var(write = owner, batch_hook = on_numbers)]
    pub numbers: SyncList<u64>,
    /// Bit 1.
    #[sync_var(write = owner)]
    pub small: SyncVar<u32>,
    /// Bit 2.
    #[sync_var(write = owner)]
    pub heavy: SyncList<Heavy>,
    /// Bit 3.
    #[sync_var(write = owner)]
    pub strings: SyncList<String>,
    /// Bit 4.
    #[sync_var(write = owner)]
    pub nested: SyncVar<Vec<Vec<Option<Box<Heavy>>>>>,
    /// Changes that the hook has received.
    pub changes: usize,
}

impl Bag {
    fn on_numbers(&mut self, changes: &[ListChange<u64>]) {
        self.changes += changes.len();
    }
}

#[network_calls]
impl Bag {
    #[command]
    fn take_heavy(&mut self, heavy: Vec<Heavy>) {
        drop(heavy);
    }

    #[command]
    fn take_map(&mut self, map: HashMap<u32, Heavy>) {
        drop(map);
    }

    #[command]
    fn take_set(&mut self, set: HashSet<Text>) {
        drop(set);
    }

    #[command]
    fn take_tree(&mut self, set: BTreeSet<Text>) {
        drop(set);
    }

    #[command]
    fn take_pairs(&mut self, pairs: Vec<(Text, bool)>) {
        drop(pairs);
    }

    #[command]
    fn take_arrays(&mut self, arrays: Vec<[Text; 2]>) {
        drop(arrays);
    }

    #[command]
    fn take_bytes(&mut self, bytes: Vec<Vec<Vec<Bytes>>>) {
        drop(bytes);
    }

    #[command]
    fn take_boxes(&mut self, boxes: Vec<Option<Box<Heavy>>>) {
        drop(boxes);
    }
}

/// Object with hooks for collections, and with calls to clients.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Watched {
    /// Bit 0.
    #[sync_var(batch_hook = on_numbers)]
    pub numbers: SyncList<u64>,
    /// Bit 1.
    #[sync_var(batch_hook = on_texts)]
    pub texts: SyncList<Text>,
    /// Bit 2.
    #[sync_var(batch_hook = on_table)]
    pub table: SyncDictionary<u32, Text>,
    /// Bit 3.
    #[sync_var(hook = on_value)]
    pub value: SyncVar<Vec<Text>>,
    /// Bit 4.
    #[sync_var]
    pub plain: SyncList<u64>,
    /// Bit 5.
    #[sync_var]
    pub references: SyncList<NetRef>,
    /// Changes that the hooks have received.
    pub changes: usize,
}

impl Watched {
    fn on_numbers(&mut self, changes: &[ListChange<u64>]) {
        self.changes += changes.len();
    }

    fn on_texts(&mut self, changes: &[ListChange<Text>]) {
        self.changes += changes.len();
    }

    fn on_table(&mut self, changes: &[DictionaryChange<u32, Text>]) {
        self.changes += changes.len();
    }

    fn on_value(&mut self, mut previous: Vec<Text>) {
        self.changes += previous.drain(..).len();
    }
}

#[network_calls]
impl Watched {
    #[client_rpc]
    fn show_texts(&mut self, texts: Vec<Text>) {
        self.changes += texts.len();
    }
}

/// Object with one byte of state.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Blank {
    /// Bit 0.
    #[sync_var]
    pub on: SyncVar<bool>,
}

/// Returns a registry with the objects under attack.
#[must_use]
pub fn trove_prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Bag>("bag")
        .register::<Blank>("blank")
        .register::<Trove>("trove")
        .register::<Watched>("watched")
}

/// Returns a registry with the objects under attack, for Mirror's protocol.
#[cfg(feature = "mirror")]
#[must_use]
pub fn mirror_trove_prefabs() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Blank>(MirrorPrefab::new("blank", 1.into()))
        .register::<MirrorTrove>(MirrorPrefab::new("trove", 2.into()))
        .register::<Watched>(MirrorPrefab::new("watched", 3.into()))
}
