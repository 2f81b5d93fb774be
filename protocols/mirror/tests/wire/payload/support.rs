//! A component of an object, as a server or client keeps it, and the classes of the recordings.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    behaviour::{BehaviourInfo, BehaviourSet, Behaviours, FieldVisitor, LayoutHooks},
    schema::BehaviourSchema,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadError, ReadErrorKind},
};
use syncvar_runtime::behaviour::Panicked;
use syncvar_runtime::unstable::object::{ErasedHooks, Slot};

/// A component of a spawned object with one observer, whose bits are clean.
pub(crate) struct Component(Behaviours);

impl Component {
    pub(crate) fn new(behaviour: impl NetworkBehaviour) -> Self {
        let mut component = Self(behaviour.into_behaviours());
        let slot = component.slot();
        slot.set_log(syncvar::fields::OperationLog::Full { pending: 0 });
        slot.mark_sent(0, None);
        slot.set_observed(true);
        component
    }

    pub(crate) fn slot(&mut self) -> &mut dyn Slot {
        self.0.slots_mut().slot_mut(0).expect("one behaviour")
    }

    pub(crate) fn get<B: NetworkBehaviour>(&self) -> &B {
        self.0.behaviour().expect("of this type")
    }

    pub(crate) fn get_mut<B: NetworkBehaviour>(&mut self) -> &mut B {
        self.0.behaviour_mut().expect("of this type")
    }

    /// Its full state, as hexadecimal digits.
    pub(crate) fn full(&mut self) -> String {
        self.written(true, false).0
    }

    /// Its changes, which stay.
    pub(crate) fn change(&mut self) -> String {
        self.written(false, false).0
    }

    /// All values, as after Mirror's `SetDirty`.
    pub(crate) fn everything(&mut self) -> String {
        self.written(false, true).0
    }

    /// What is written, and whether it is to be made clean.
    pub(crate) fn written(&mut self, initial: bool, everything_dirty: bool) -> (String, bool) {
        let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
        let written = self
            .slot()
            .write_layout(&mut writer, initial, everything_dirty);
        assert_eq!(writer.take_error(), None);
        (hex::encode(writer.as_bytes()), written)
    }

    /// Reads a payload to its end, and calls no hook.
    pub(crate) fn read(&mut self, payload: &str, initial: bool) -> Result<ErasedHooks, ReadError> {
        Ok(self.read_with_fields(payload, initial)?.0)
    }

    /// As [`read`](Self::read), and says which fields a change had.
    pub(crate) fn read_with_fields(
        &mut self,
        payload: &str,
        initial: bool,
    ) -> Result<(ErasedHooks, u64), ReadError> {
        let bytes = hex::decode(payload).expect("hexadecimal");
        let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
        let hooks = self.slot().read_layout(&mut reader, initial)?;
        reader.finish()?;
        Ok((hooks, reader.take_report().seen))
    }

    /// Reads a payload to its end, and calls the hooks.
    pub(crate) fn apply(&mut self, payload: &str, initial: bool) -> Result<(), Panicked> {
        let hooks = self.read(payload, initial).expect("a payload");
        self.slot()
            .call_hooks(syncvar_runtime::unstable::object::Hooks::Changed(hooks))
    }
}

/// Zeros for a number of empty collections: each takes eight bytes of a full state.
pub(crate) fn empty_collections(count: usize) -> String {
    "0".repeat(16 * count)
}

#[derive(NetworkBehaviour)]
pub(crate) struct DocData {
    #[sync_var]
    pub(crate) int1: SyncVar<i32>,
    #[sync_var]
    pub(crate) int2: SyncVar<i32>,
    #[sync_var]
    pub(crate) my_string: SyncVar<String>,
}

impl Default for DocData {
    fn default() -> Self {
        Self {
            int1: 66.into(),
            int2: 23_487.into(),
            my_string: "Example string".into(),
        }
    }
}

#[derive(NetworkBehaviour)]
#[expect(clippy::struct_field_names, reason = "as in the recordings")]
pub(crate) struct InhBase {
    #[sync_var]
    pub(crate) base_a: SyncVar<i32>,
    #[sync_var]
    pub(crate) base_list: SyncList<i32>,
    #[sync_var]
    pub(crate) base_b: SyncVar<String>,
}

/// A class without fields of its own has no mask.
#[derive(NetworkBehaviour)]
pub(crate) struct InhMidEmpty {
    #[network_behaviour(base)]
    pub(crate) base: InhBase,
}

#[derive(NetworkBehaviour)]
pub(crate) struct InhMid {
    #[network_behaviour(base)]
    pub(crate) base: InhMidEmpty,
    #[sync_var]
    pub(crate) mid_set: SyncHashSet<String>,
    #[sync_var]
    pub(crate) mid: SyncVar<f32>,
}

#[derive(NetworkBehaviour)]
pub(crate) struct InhLeaf {
    #[network_behaviour(base)]
    pub(crate) base: InhMid,
    #[sync_var]
    pub(crate) leaf_a: SyncVar<u8>,
    #[sync_var]
    pub(crate) leaf_b: SyncVar<i64>,
    #[sync_var]
    pub(crate) leaf_dict: SyncDictionary<i32, String>,
}

impl Default for InhLeaf {
    fn default() -> Self {
        let base = InhBase {
            base_a: 1.into(),
            base_list: SyncList::default(),
            base_b: "b".into(),
        };
        let base = InhMid {
            base: InhMidEmpty { base },
            mid_set: SyncHashSet::default(),
            mid: 0.5.into(),
        };
        Self {
            base,
            leaf_a: 7.into(),
            leaf_b: (-1).into(),
            leaf_dict: SyncDictionary::default(),
        }
    }
}

impl InhLeaf {
    pub(crate) fn base(&mut self) -> &mut InhBase {
        &mut self.base.base.base
    }
}

#[derive(NetworkBehaviour)]
pub(crate) struct Number {
    #[sync_var(hook = on_v)]
    pub(crate) v: SyncVar<i32>,
    pub(crate) previous: Option<i32>,
}

impl Default for Number {
    fn default() -> Self {
        let (v, previous) = (9.into(), None);
        Self { v, previous }
    }
}

impl Number {
    fn on_v(&mut self, previous: i32) {
        self.previous = Some(previous);
    }
}

/// Mirror's `CustomSer`: calls the base's `OnSerialize`, and writes two bytes of its own.
#[derive(Default)]
pub(crate) struct CustomSer(pub(crate) Number);

impl NetworkBehaviour for CustomSer {
    type Previous = LayoutHooks<Number>;
    const SCHEMA: BehaviourSchema = Number::SCHEMA;
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.own_layout();

    fn sync_var_dirty_bits(&self) -> u64 {
        self.0.sync_var_dirty_bits()
    }
    fn visit(&mut self, previous: &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        self.0.visit(previous.values_mut(), visitor);
    }
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let written = writer.write_layout(&mut self.0, initial_state);
        writer.write_u16(0xbeef);
        written
    }
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Self::Previous, ReadError> {
        let hooks = reader.read_layout(&mut self.0, initial_state)?;
        match reader.read_u16()? {
            0xbeef => Ok(hooks),
            _ => Err(reader.error(ReadErrorKind::Custom("not its own bytes"))),
        }
    }
    fn call_hooks(&mut self, previous: Self::Previous, ctx: &mut NetworkContext<'_>) {
        previous.call(&mut self.0, ctx);
    }
}
