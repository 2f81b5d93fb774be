//! Layout of a behaviour in the `Mirror` encoding: its collections, and then its remaining fields.

use super::hooks::LayoutHooks;
use crate::schema::PackedBits;
use crate::wire::{MaskLayout, ReadMask};
use crate::{
    BehaviourFields, DeserializeContext, Encoding, NetworkBehaviour, NetworkReader, NetworkWriter,
    ReadResult, SerializeContext,
};

impl NetworkWriter {
    /// Writes a behaviour in the layout of the encoding, inside a behaviour with an
    /// [own layout](crate::BehaviourInfo::own_layout()). In `Mirror` the collections precede the remaining
    /// fields; elsewhere its [`on_serialize`](NetworkBehaviour::on_serialize) decides. Returns the result
    /// for the outer `on_serialize`.
    pub fn write_layout<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        initial_state: bool,
    ) -> bool {
        if self.encoding() != Encoding::Mirror {
            return behaviour.on_serialize(self, initial_state);
        }
        let bits = const { &B::SCHEMA.packed_bits() };
        if initial_state {
            for fields in [bits.collections, bits.values] {
                if fields != 0 {
                    behaviour.write_fields(self, fields);
                }
            }
            return true;
        }
        let every_value = self.context().every_value;
        if every_value {
            behaviour.set_dirty_bit(bits.values & bits.changes);
        }
        let pending = behaviour.sync_var_dirty_bits() & bits.changes;
        let dirty_bits = pending & self.fields();
        let position = self.len();
        self.write_u64(0);
        // No delta holds the fields of snapshots only: if no further field is dirty, they become clean.
        let mut written = every_value || pending == 0;
        if dirty_bits & bits.collections != 0 {
            let mask = MaskLayout::Reserved { position, bits };
            written |= self.write_part(behaviour, mask, bits.collections & bits.changes);
        }
        if bits.classes != 0 {
            let classes = bits.classes;
            let mask = MaskLayout::PerClass { classes, bits };
            written |= self.write_part(behaviour, mask, bits.values & bits.changes);
        }
        written
    }

    /// Writes the deltas of the collections, or of the remaining fields.
    fn write_part<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        mask: MaskLayout,
        fields: u64,
    ) -> bool {
        let context = SerializeContext {
            fields: fields & self.fields(),
            mask,
            ..*self.context()
        };
        self.with_context(context, |writer| behaviour.on_serialize(writer, false))
    }
}

impl NetworkReader<'_> {
    /// Reads the bytes of [`NetworkWriter::write_layout`]. The result is the
    /// [`Previous`](NetworkBehaviour::Previous) of the outer behaviour. Call it in `call_hooks`.
    ///
    /// For a `Mirror` snapshot it holds the previous values of the fields that differ, without the
    /// collections.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub fn read_layout<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        initial_state: bool,
    ) -> ReadResult<LayoutHooks<B>> {
        let mut hooks = LayoutHooks::default();
        let bits = const { &B::SCHEMA.packed_bits() };
        if self.encoding() != Encoding::Mirror {
            hooks.values = Some(behaviour.on_deserialize(self, initial_state)?);
        } else if initial_state {
            hooks.values = self.read_snapshot(behaviour, bits)?;
        } else {
            let dirty_bits = bits.unpack_collections(self.read_u64()?);
            if dirty_bits != 0 {
                let mask = ReadMask::Known { dirty_bits };
                hooks.collections = Some(self.read_part(behaviour, mask)?);
            }
            if bits.classes != 0 {
                let classes = bits.classes;
                let mask = ReadMask::PerClass { classes, bits };
                hooks.values = Some(self.read_part(behaviour, mask)?);
            }
        }
        Ok(hooks)
    }

    /// Reads a snapshot; returns the previous values of the fields that differ now.
    fn read_snapshot<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        bits: &PackedBits,
    ) -> ReadResult<Option<B::Previous>> {
        let mut before = behaviour.remember_for_hooks(bits.values);
        for fields in [bits.collections, bits.values] {
            if fields != 0 {
                behaviour.read_fields(self, fields)?;
            }
        }
        let changed = before
            .as_mut()
            .is_some_and(|before| behaviour.changed_since(before) != 0);
        Ok(before.filter(|_| changed))
    }

    /// Reads the deltas of the collections, or of the remaining fields.
    fn read_part<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        mask: ReadMask,
    ) -> ReadResult<B::Previous> {
        let context = DeserializeContext {
            mask,
            ..*self.context()
        };
        self.with_context(context, |reader| behaviour.on_deserialize(reader, false))
    }
}
