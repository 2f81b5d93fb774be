//! `Translation`: the traffic with a server of a different build.
//!
//! The bytes of a connection are those of the server's schema, in both directions. The client translates: whatever arrives into
//! its own types, whatever leaves into those of the server. The plans are made once, at the connection; equal builds have none, and
//! objects whose bytes are equal in both builds take the path of equal builds.

use std::cell::RefCell;

use crate::message::CallName;
use rustc_hash::FxHashMap;
use syncvar_runtime::schema::{Measure, Schema, SchemaPrefab};
use syncvar_runtime::unstable::object::Behaviours;
use syncvar_runtime::unstable::prefab::Prefab;
use syncvar_runtime::unstable::translate::conversion::{Fit, MembersConversion};
use syncvar_runtime::unstable::translate::layout::Layout;
use syncvar_runtime::unstable::translate::resolve::{
    CallPlan, MessagePlan, PrefabPlan, Resolution, Sources, Traffic,
};
use syncvar_runtime::untyped::Value;
use syncvar_runtime::{
    Encoding, NetworkHash128, NetworkReader, NetworkWriter, Prefabs, ReadResult, SchemaChange,
};

/// Number of a prefab that the client lacks.
pub(super) const NO_PREFAB: u32 = u32::MAX;

/// Plans for the traffic with a server of a different build.
#[derive(Debug)]
pub(super) struct Translation {
    resolution: Resolution,
    /// Positions of the prefabs in the registry, by their numbers on the server; [`NO_PREFAB`] if the client lacks one.
    pub(super) ranks: Vec<u32>,
    /// Positions of the plans, by the position of the prefab in the registry.
    by_index: Vec<Option<usize>>,
    /// Positions of the plans, by the asset ids of the server.
    by_asset_id: FxHashMap<NetworkHash128, usize>,
    /// Hash of the server's schema.
    pub(super) server_hash: u64,
}

/// Samples of the client's prefabs.
struct Samples<'a> {
    prefabs: Vec<&'a Prefab>,
    schema: &'a Schema,
    measures: FxHashMap<String, Measure>,
    made: RefCell<FxHashMap<usize, Behaviours>>,
}

impl Sources for Samples<'_> {
    fn measures(&self) -> &FxHashMap<String, Measure> {
        &self.measures
    }

    fn present(&self, prefab: usize, behaviour: usize, field: usize) -> Option<Value> {
        let own: &SchemaPrefab = self.schema.prefabs.get(prefab)?;
        let of = own.behaviours.get(behaviour)?.fields().nth(field)?;
        let layout = Layout::of(&of.value, &self.measures).ok()?;
        let mut made = self.made.borrow_mut();
        let entry = self.prefabs.get(prefab)?;
        let sample = made.entry(prefab).or_insert_with(|| entry.make());
        let slot = sample.slots_mut().slot_mut(behaviour)?;
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        let bit = 1_u64.checked_shl(u32::try_from(field).ok()?)?;
        slot.fields().write_fields(&mut writer, bit);
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
        layout.read_value(&mut reader).ok()
    }
}

impl Translation {
    /// Resolves the schema of a server.
    ///
    /// # Errors
    ///
    /// With all differences, if a difference is refused.
    pub(super) fn new(
        server: &Schema,
        prefabs: &Prefabs,
        traffic: Traffic,
    ) -> Result<Self, Vec<SchemaChange>> {
        let client = prefabs.schema();
        let samples = Samples {
            prefabs: prefabs.by_rank().collect(),
            schema: &client,
            measures: prefabs.measures(),
            made: RefCell::default(),
        };
        let resolution = Resolution::new(server, &client, &samples, traffic)?;
        let own_index = |plan: &PrefabPlan| {
            let prefab = plan.target.and_then(|at| samples.prefabs.get(at));
            prefab.map_or(NO_PREFAB, |prefab| prefab.index)
        };
        let ranks: Vec<u32> = resolution.prefabs.iter().map(own_index).collect();
        let mut by_index = vec![None; samples.prefabs.len()];
        for (at, index) in ranks.iter().enumerate() {
            let place = usize::try_from(*index).ok();
            if let Some(place) = place.and_then(|index| by_index.get_mut(index)) {
                *place = Some(at);
            }
        }
        let ids = server.prefabs.iter().enumerate();
        Ok(Self {
            by_asset_id: ids.map(|(at, prefab)| (prefab.asset_id, at)).collect(),
            server_hash: server.hash(),
            resolution,
            ranks,
            by_index,
        })
    }

    /// Returns the differences of the two builds.
    pub(super) fn changes(&self) -> &[SchemaChange] {
        &self.resolution.changes
    }

    /// Returns the plan of a prefab by its position in the registry.
    pub(super) fn plan(&self, prefab: u32) -> Option<&PrefabPlan> {
        let at = (*self.by_index.get(usize::try_from(prefab).ok()?)?)?;
        self.resolution.prefabs.get(at)
    }

    /// Returns the plan of a prefab whose bytes differ.
    pub(super) fn differing(&self, prefab: u32) -> Option<&PrefabPlan> {
        self.plan(prefab).filter(|plan| !plan.is_direct)
    }

    /// Returns the position of a prefab in the registry, by its asset id on the server; `None` for an id that the server
    /// lacks.
    pub(super) fn by_asset_id(&self, asset_id: NetworkHash128) -> Option<u32> {
        let at = self.by_asset_id.get(&asset_id)?;
        self.ranks.get(*at).copied()
    }

    /// Returns the plan of a message of the server, by its number there.
    pub(super) fn received_message(&self, number: i16) -> Option<&MessagePlan> {
        let mut plans = self.resolution.received.iter();
        plans.find(|plan| plan.from == number)
    }

    /// Returns the plan of the inputs; `None` if the server lacks them.
    pub(super) fn input(&self) -> Option<&MessagePlan> {
        let mut plans = self.resolution.sent.iter();
        let plan = plans.find(|plan| plan.name == "input")?;
        plan.to.map(|_| plan)
    }

    /// Returns the plan of a message of the client, by its number here.
    pub(super) fn sent_message(&self, number: i16) -> Option<&MessagePlan> {
        let mut plans = self.resolution.sent.iter();
        plans.find(|plan| plan.from == number)
    }
}

/// Arguments of a call or a message in the types of the reader.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) bytes: Vec<u8>,
    /// Set if each value fits its type.
    pub(super) fits: bool,
}

/// Translates the arguments of a call; all bytes of the reader.
pub(super) fn translate_arguments(
    arguments: &MembersConversion,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<Translated> {
    translate(reader, |reader, writer, fit| {
        arguments.convert(reader, writer, fit)
    })
}

/// Translates a message; all bytes of the reader.
pub(super) fn translate_message(
    plan: &MessagePlan,
    reader: &mut NetworkReader<'_>,
) -> ReadResult<Translated> {
    translate(reader, |reader, writer, fit| {
        plan.value.convert(reader, writer, fit)
    })
}

fn translate(
    reader: &mut NetworkReader<'_>,
    convert: impl FnOnce(&mut NetworkReader<'_>, &mut NetworkWriter, &mut Fit) -> ReadResult<()>,
) -> ReadResult<Translated> {
    let mut writer = NetworkWriter::with_encoding(reader.encoding());
    let mut fit = Fit::default();
    convert(reader, &mut writer, &mut fit)?;
    reader.finish()?;
    Ok(Translated {
        fits: !fit.unfit && writer.take_error().is_none(),
        bytes: writer.as_bytes().to_vec(),
    })
}

/// Returns the plan of a received call by its number, or by UNet's hash; `None` if this build lacks the call.
pub(super) fn received_call(plan: &PrefabPlan, name: CallName) -> Option<&CallPlan> {
    match name {
        CallName::Number(number) => {
            let at = usize::try_from(number).ok()?;
            plan.received.get(at)?.as_ref()
        }
        CallName::Hash(hash) => {
            let mut plans = plan.received.iter().flatten();
            plans.find(|plan| plan.from_hash == hash)
        }
    }
}

/// Returns whether the server may have a call with this number or hash.
pub(super) fn is_known_call(plan: &PrefabPlan, name: CallName) -> bool {
    match name {
        CallName::Number(number) => {
            usize::try_from(number).is_ok_and(|number| number < plan.received.len())
        }
        // The hashes of the calls that this build lacks are unknown.
        CallName::Hash(_) => true,
    }
}
