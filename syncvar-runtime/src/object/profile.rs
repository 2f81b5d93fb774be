//! `Profile`: bytes of deltas by object and by field.

use std::collections::BTreeMap;
use std::fmt;

use super::{Slot, Slots};
use crate::{Counter, Encoding, NetId, NetworkWriter};

/// Bytes of the deltas by object and by field, each encoded once for all observers. A server counts
/// them with `ServerConfig::profile` or `MirrorServerConfig::profile`.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{ServerConfig, testing::Conditions};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
///     #[sync_var]
///     name: SyncVar<String>,
/// }
///
/// let config = ServerConfig { profile: true, ..ServerConfig::default() };
/// let prefabs = || Prefabs::new().register::<Player>("player");
/// let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
/// net.connect();
/// let id = net.server.spawn(Player::default());
/// net.settle();
/// net.server.get_mut::<Player>(id).unwrap().name.set("Ann".into());
/// net.settle();
///
/// let profile = net.server.stats().profile.as_ref().unwrap();
/// let name = profile.fields().find(|cost| cost.field == "name").unwrap();
/// assert_eq!((name.deltas.messages, name.deltas.bytes), (1, 4));
/// assert_eq!(profile.object(id).bytes, 5); // with the mask
/// println!("{profile}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By the index of the behaviour and of the field.
    fields: BTreeMap<(usize, u32), FieldStats>,
    objects: BTreeMap<NetId, Counter>,
    /// Number of objects that despawned with a counter.
    despawned: Counter,
}

/// Cost of a field of a behaviour of a prefab.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldStats {
    /// Name of the prefab.
    pub prefab: String,
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Deltas of the field, without the mask of the behaviour.
    pub deltas: Counter,
}

impl Profile {
    /// Returns the fields with deltas, by prefab, behaviour and field in the order of declaration.
    pub fn fields(&self) -> impl Iterator<Item = &FieldStats> {
        self.fields.values()
    }

    /// Returns the deltas of a present object; 0 for an unknown one.
    pub fn object(&self, id: NetId) -> Counter {
        self.objects.get(&id).copied().unwrap_or_default()
    }

    /// Returns the present objects with deltas, the most bytes first.
    pub fn objects(&self) -> Vec<(NetId, Counter)> {
        let mut objects: Vec<_> = self.objects.iter().map(|(id, cost)| (*id, *cost)).collect();
        objects.sort_unstable_by_key(|(id, cost)| (u64::MAX - cost.bytes, *id));
        objects
    }

    /// Returns the deltas of the despawned objects.
    pub fn despawned(&self) -> Counter {
        self.despawned
    }

    /// Forgets a despawned object.
    pub fn remove_object(&mut self, id: NetId) {
        if let Some(cost) = self.objects.remove(&id) {
            self.despawned.add_all(cost);
        }
    }

    /// Counts the dirty fields of an object that the next delta writes: those in `masks`, by behaviour.
    /// `first_behaviour` is the index of its prefab's first behaviour among those of every prefab.
    pub fn count(
        &mut self,
        id: NetId,
        prefab: &str,
        first_behaviour: usize,
        slots: &mut dyn Slots,
        encoding: Encoding,
        masks: impl Fn(usize, &dyn Slot) -> u64,
    ) {
        let mut writer = NetworkWriter::with_encoding(encoding);
        for index in 0..slots.len() {
            let Some(slot) = slots.slot_mut(index) else {
                continue;
            };
            let fields = masks(index, slot) & slot.dirty_bits();
            if fields == 0 {
                continue;
            }
            let schema = slot.info().schema;
            let mut measure = |fields| {
                let length = slot.measure(fields, &mut writer);
                length.unwrap_or_default()
            };
            let mask = measure(0);
            for number in (0..schema.field_count()).filter(|number| fields >> number & 1 == 1) {
                let bytes = measure(1 << number);
                let name = schema.field(number).map_or("", |field| field.name);
                let cost = self.fields.entry((first_behaviour + index, number));
                let cost = cost.or_insert_with(|| FieldStats {
                    prefab: prefab.into(),
                    behaviour: schema.name,
                    field: name,
                    deltas: Counter::default(),
                });
                cost.deltas.add(bytes.saturating_sub(mask));
            }
            let all = measure(fields);
            self.objects.entry(id).or_default().add(all);
        }
    }
}

/// Number of objects in the table.
const SHOWN: usize = 20;

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:44}{:>10}{:>12}", "field", "deltas", "bytes")?;
        for cost in self.fields() {
            let name = format!("{}: {}.{}", cost.prefab, cost.behaviour, cost.field);
            cost.deltas.write_row(f, &name)?;
        }
        writeln!(f, "{:44}{:>10}{:>12}", "object", "deltas", "bytes")?;
        for (id, cost) in self.objects().into_iter().take(SHOWN) {
            cost.write_row(f, &id.to_string())?;
        }
        if self.objects.len() > SHOWN {
            writeln!(f, "... and {} more objects", self.objects.len() - SHOWN)?;
        }
        Ok(())
    }
}
