//! Dirty masks in the `Mirror` encoding, with a place and form that depend on the part and the class.
//! These functions are cold so that `Unet` and `Compact` stay small where masks are inlined.

use super::context::{MaskLayout, ReadMask};
use super::{NetworkReader, NetworkWriter, ReadResult};

/// Takes the next class; returns whether it has values.
fn next_class(classes: &mut u64) -> bool {
    let has_values = *classes & 1 != 0;
    *classes >>= 1;
    has_values
}

impl NetworkWriter {
    /// Writes the mask of a class, with the bits of derived classes.
    #[cold]
    #[inline(never)]
    pub(super) fn write_packed_mask(&mut self, dirty_bits: u64) {
        let every_value = self.context.every_value;
        match &mut self.context.mask {
            MaskLayout::Inline => self.write_var_u64(dirty_bits),
            MaskLayout::Reserved { bits, position } => {
                let (packed, position) = (bits.pack_collections(dirty_bits), *position);
                self.patch_u64(position, packed);
            }
            MaskLayout::PerClass { bits, classes } => {
                let packed = if every_value {
                    // Mirror sets all 64 bits, except the bits of fields without deltas.
                    !bits.pack_values(!bits.changes)
                } else {
                    bits.pack_values(dirty_bits)
                };
                if next_class(classes) {
                    self.write_var_u64(packed);
                }
            }
        }
    }
}

impl NetworkReader<'_> {
    /// Reads the bits of [`NetworkWriter::write_packed_mask`]. Ignores bits without a field, as
    /// Mirror does.
    #[cold]
    #[inline(never)]
    pub(super) fn read_packed_mask(&mut self, known_bits: u64) -> ReadResult<u64> {
        let dirty_bits = match &mut self.context.mask {
            ReadMask::Inline => {
                let known_bits = known_bits | self.context.derived_bits;
                self.read_var_u64()? & known_bits
            }
            ReadMask::Known { dirty_bits } => *dirty_bits,
            ReadMask::PerClass { bits, classes } => {
                let bits = *bits;
                if next_class(classes) {
                    bits.unpack_values(self.read_var_u64()?)
                } else {
                    0
                }
            }
        };
        self.report.seen |= dirty_bits;
        Ok(dirty_bits)
    }
}
