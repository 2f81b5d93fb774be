//! Classes with a base.

use syncvar::{
    NetworkBehaviour, SyncField, SyncVar,
    behaviour::FieldVisitor,
    schema::{BehaviourSchema, FieldSchema, TypeSchema},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::{Cell, Cells, cells};
use crate::golden::recorded::EnumNumber;

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhA {
    #[sync_var]
    a0: SyncVar<i32>,
    #[sync_var]
    a1: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhB {
    #[network_behaviour(base)]
    base: InhA,
    #[sync_var]
    b0: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhC {
    #[network_behaviour(base)]
    base: InhB,
    #[sync_var]
    c0: SyncVar<i32>,
    #[sync_var]
    c1: SyncVar<String>,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhMid {
    #[network_behaviour(base)]
    base: InhA,
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct InhLeaf {
    #[network_behaviour(base)]
    base: InhMid,
    #[sync_var]
    l0: SyncVar<i32>,
}
#[derive(NetworkBehaviour, Default)]
pub(super) struct EmptyBeh;

#[derive(NetworkBehaviour, Default)]
pub(super) struct FromEmpty {
    #[network_behaviour(base)]
    base: EmptyBeh,
    #[sync_var]
    v: SyncVar<i32>,
}

/// A base with serialization of its own: one number in four fixed bytes.
pub(super) struct ManualBase {
    m: SyncVar<EnumNumber>,
}

impl Default for ManualBase {
    fn default() -> Self {
        Self {
            m: SyncVar::new(EnumNumber::new(1)),
        }
    }
}

impl NetworkBehaviour for ManualBase {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "ManualBase",
        base: None,
        fields: &[FieldSchema::of::<SyncVar<EnumNumber>>("m")],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.m.is_dirty().into()
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "ManualBase.m", &mut self.m);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let dirty_bits = self.sync_var_dirty_bits();
        if !initial_state {
            writer.write_dirty_bits(dirty_bits);
        }
        if initial_state || dirty_bits != 0 {
            writer.write(&*self.m);
        }
        initial_state || dirty_bits != 0
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if initial_state || reader.read_dirty_bits_of::<Self>()? & 1 != 0 {
            self.m = SyncVar::new(reader.read()?);
        }
        Ok(())
    }
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct FromManual {
    #[network_behaviour(base)]
    base: ManualBase,
    #[sync_var]
    sv: SyncVar<i32>,
}

/// What UNet does for a behaviour that has no serialization: an empty mask, and nothing else.
#[derive(Default)]
pub(super) struct DefaultSer {
    dirty_bits: u64,
}

/// A dirty bit without a field, which UNet's `SetDirtyBit` sets.
struct LooseBit<'a> {
    bit: u64,
    dirty_bits: &'a mut u64,
}

impl SyncField for LooseBit<'_> {
    const SCHEMA: TypeSchema = TypeSchema::Named("bit");

    fn is_dirty(&self) -> bool {
        *self.dirty_bits & self.bit != 0
    }

    fn set_dirty(&mut self) {
        *self.dirty_bits |= self.bit;
    }

    fn clear_dirty(&mut self) {
        *self.dirty_bits &= !self.bit;
    }

    fn write_full(&self, _: &mut NetworkWriter) {}

    fn write_delta(&self, _: &mut NetworkWriter) {}

    fn read_full(&mut self, _: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        Ok(())
    }

    fn read_delta(&mut self, _: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        Ok(())
    }
}

impl NetworkBehaviour for DefaultSer {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "DefaultSer",
        base: None,
        fields: &[],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.dirty_bits
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        for bit in (0..64).map(|index| 1 << index) {
            let dirty_bits = &mut self.dirty_bits;
            visitor.field(bit, "DefaultSer", LooseBit { bit, dirty_bits });
        }
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if !initial_state {
            writer.write_dirty_bits(0);
        }
        false
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        if !initial_state {
            reader.read_dirty_bits_of::<Self>()?;
        }
        Ok(())
    }
}

cells! {
    InhA [a0 a1];
    InhB: base [b0];
    InhC: base [c0 c1];
    InhMid: base [];
    InhLeaf: base [l0];
    EmptyBeh [];
    FromEmpty: base [v];
    ManualBase [m];
    FromManual: base [sv];
    DefaultSer [];
}
