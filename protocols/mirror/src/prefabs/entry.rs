//! One prefab of the registry.

use std::fmt;

use rustc_hash::FxHashMap;
use syncvar_runtime::behaviour::SyncSettings;
use syncvar_runtime::unstable::call::{CallPlace, Class, ObjectCalls};
use syncvar_runtime::unstable::object::{MAX_BEHAVIOURS, SlotInfo};
use syncvar_runtime::{Behaviours, CallKind};

use super::{Component, MirrorCall, Settings, SyncDirection, SyncMethod, SyncMode};
use crate::names::CSharpNames;
use crate::{AssetId, hash16};

/// One entry of the registry.
pub(crate) struct PrefabEntry {
    /// Position in the order of registration.
    pub(crate) index: u32,
    pub(crate) name: String,
    /// 0 for a scene object.
    pub(crate) asset_id: AssetId,
    /// Index of its first component among the components of all prefabs.
    pub(crate) first_behaviour: usize,
    /// Names of its components, in order.
    pub(crate) behaviours: Vec<&'static str>,
    /// Settings of its components, in order.
    pub(crate) components: Vec<Settings>,
    /// Components that all observers receive.
    pub(crate) observers: u64,
    /// Components that the owner writes.
    pub(crate) client_to_server: u64,
    /// Components sent as unreliable deltas.
    pub(crate) hybrid: u64,
    /// Components with work in each frame.
    pub(crate) frames: u64,
    /// Remote calls.
    calls: ObjectCalls,
    /// Their names and hashes, by component.
    names: Vec<PrefabCalls>,
}

/// Names and hashes of the calls of a component.
#[derive(Default)]
struct PrefabCalls {
    /// Full name and hash by number; `None` for an event, which Mirror does not have.
    named: Vec<Option<(String, u16)>>,
    /// Numbers by hash.
    by_hash: FxHashMap<u16, u32>,
}

impl PrefabEntry {
    /// Creates an entry from its ids, the settings of components, the C# names, and a sample.
    pub(super) fn new(
        (index, name, asset_id): (u32, &str, AssetId),
        first_behaviour: usize,
        given: &[(usize, Component)],
        names: &CSharpNames,
        sample: &Behaviours,
    ) -> Self {
        let slots = sample.slots();
        let count = slots.len();
        assert!(
            count <= MAX_BEHAVIOURS,
            "prefab `{name}` has {count} behaviours; the limit of Mirror is 64"
        );
        if let Some((beyond, _)) = given.iter().find(|(index, _)| *index >= count) {
            panic!(
                "prefab `{name}` has {count} behaviours, and none at {beyond}: the first one is at 0"
            );
        }
        let given_of = |place: usize| {
            let given = given.iter().filter(|(index, _)| *index == place);
            given.fold(Component::new(), |earlier, (_, given)| given.over(earlier))
        };
        let components: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(place, slot)| given_of(place).settings(slot.info()))
            .collect();
        Self {
            index,
            name: name.into(),
            asset_id,
            first_behaviour,
            behaviours: slots.iter().map(|slot| slot.info().schema.name).collect(),
            observers: bits(&components, |component| {
                component.sync_mode == SyncMode::Observers
            }),
            client_to_server: bits(&components, |component| {
                component.sync_direction == SyncDirection::ClientToServer
            }),
            hybrid: bits(&components, |component| {
                component.sync_method == SyncMethod::Hybrid
            }),
            components,
            frames: { 0.. }
                .zip(slots.iter())
                .filter(|(_, slot)| slot.info().on_frame.is_some())
                .fold(0, |bits, (index, _)| bits | 1 << index),
            calls: ObjectCalls::of(slots),
            names: slots
                .iter()
                .map(|slot| PrefabCalls::new(slot.info(), names))
                .collect(),
        }
    }

    /// Returns the bits of all components.
    pub(crate) fn all(&self) -> u64 {
        bits(&self.components, |_| true)
    }

    /// Returns the schedule and the writer of a component, on an end with this interval in seconds.
    pub(crate) fn sync_settings(
        &self,
        component: usize,
        end_interval: f32,
    ) -> Option<SyncSettings> {
        let settings = self.components.get(component)?;
        Some(SyncSettings {
            end_interval,
            interval: settings.sync_interval.as_secs_f32(),
            owner_writes: settings.sync_direction == SyncDirection::ClientToServer,
        })
    }

    /// Returns the call with this component and hash.
    pub(crate) fn call(&self, component: u8, hash: u16) -> Option<CallPlace> {
        let component = usize::from(component);
        let number = *self.names.get(component)?.by_hash.get(&hash)?;
        self.calls.place(component, number)
    }

    /// Returns the call that a class declares under a number.
    pub(crate) fn declared_call(&self, class: Class, number: u32) -> Option<CallPlace> {
        self.calls.declared(class, number)
    }

    /// Returns the component and hash of a call. `None` for an event, which Mirror does not have.
    pub(crate) fn name_of(&self, place: &CallPlace) -> Option<(u8, u16)> {
        let calls = &self.names.get(place.behaviour)?.named;
        let call = calls.get(usize::try_from(place.number).ok()?)?;
        let (_, hash) = call.as_ref()?;
        Some((u8::try_from(place.behaviour).ok()?, *hash))
    }

    /// Returns all calls.
    pub(super) fn described_calls(&self) -> impl Iterator<Item = MirrorCall> {
        let components = self.names.iter().enumerate();
        components.flat_map(move |(component, calls)| {
            let calls = (0..).zip(&calls.named);
            calls.filter_map(move |(number, call)| {
                let (name, hash) = call.as_ref()?;
                let schema = self.calls.place(component, number)?.schema;
                Some(MirrorCall {
                    component: u8::try_from(component).ok()?,
                    kind: schema.kind,
                    method: schema.name,
                    name: name.clone(),
                    hash: *hash,
                })
            })
        })
    }
}

impl PrefabCalls {
    /// Collects the calls of a behaviour.
    fn new(behaviour: &SlotInfo, names: &CSharpNames) -> Self {
        let mut calls = Self::default();
        for (number, call) in (0..).zip(behaviour.calls.all()) {
            if call.kind == CallKind::SyncEvent {
                calls.named.push(None);
                continue;
            }
            let class = behaviour.calls.class_of(number);
            let class = class.unwrap_or(behaviour.schema.name);
            let name = names.call(class, call, call.mirror_name);
            let hash = hash16(&name);
            if calls.by_hash.insert(hash, number).is_some() {
                let other = calls.named.iter().flatten().find(|(_, it)| *it == hash);
                let other = other.map_or("", |(name, _)| name);
                panic!(
                    "`{other}` and `{name}` of `{}` have the same hash {hash}, Mirror's id of \
                     a call: rename one of them",
                    behaviour.schema.name
                );
            }
            calls.named.push(Some((name, hash)));
        }
        calls
    }
}

/// Returns the bits of the components with a property.
fn bits(components: &[Settings], holds: impl Fn(&Settings) -> bool) -> u64 {
    let set = (0..64).zip(components).filter(|(_, it)| holds(it));
    set.fold(0, |bits, (index, _)| bits | 1 << index)
}

impl fmt::Debug for PrefabEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrefabEntry")
            .field("name", &self.name)
            .field("asset_id", &self.asset_id)
            .field("components", &self.components)
            .finish_non_exhaustive()
    }
}
