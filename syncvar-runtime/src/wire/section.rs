//! The dirty masks of the `Mirror` encoding: where they stand depends on the section, and on the class,
//! that is being written or read. What is cold here is so for the other encodings, which are inlined where this
//! is called.

use super::{NetworkReader, NetworkWriter, ReadError};
use crate::schema::Sections;

/// What of a behaviour is being written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum WriteSection {
    /// All of it: a mask is what the behaviour says.
    #[default]
    Whole,
    /// The changes of its collections. Their mask is in the eight bytes at this position.
    Collections {
        sections: &'static Sections,
        mask: usize,
    },
    /// Those of its other fields.
    Values {
        sections: &'static Sections,
        /// Which of the classes that have not been written yet have values.
        levels: u64,
    },
}

/// What of a behaviour is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum ReadSection {
    /// All of it: a mask is what stands there.
    #[default]
    Whole,
    /// The changes of these collections.
    Collections { dirty_bits: u64 },
    /// Those of its other fields.
    Values {
        sections: &'static Sections,
        /// Which of the classes that have not been read yet have values.
        levels: u64,
    },
}

/// Whether the class that is next has values.
fn next_level(levels: &mut u64) -> bool {
    let has_values = *levels & 1 != 0;
    *levels >>= 1;
    has_values
}

impl NetworkWriter {
    /// What is written from now on; returns what was until now.
    pub(crate) fn replace_section(&mut self, section: WriteSection) -> WriteSection {
        std::mem::replace(&mut self.section, section)
    }

    /// Whether every value of the behaviour is in the change, and every bit of the mask is set.
    pub(crate) fn is_everything_dirty(&self) -> bool {
        self.everything_dirty
    }

    /// From now on every value of a behaviour is in its change, or what is dirty.
    pub(crate) fn set_everything_dirty(&mut self, everything_dirty: bool) {
        self.everything_dirty = everything_dirty;
    }

    /// The mask of one class, with the bits of derived classes.
    #[cold]
    #[inline(never)]
    pub(super) fn write_section_mask(&mut self, dirty_bits: u64) {
        let everything_dirty = self.everything_dirty;
        match &mut self.section {
            WriteSection::Whole => self.write_var_u64(dirty_bits),
            WriteSection::Collections { sections, mask } => {
                let (packed, position) = (sections.pack_collections(dirty_bits), *mask);
                self.patch_u64(position, packed);
            }
            WriteSection::Values { sections, levels } => {
                let packed = if everything_dirty {
                    // Those that are never in a change are not in this one.
                    !sections.pack_values(!sections.changes)
                } else {
                    sections.pack_values(dirty_bits)
                };
                if next_level(levels) {
                    self.write_var_u64(packed);
                }
            }
        }
    }
}

impl NetworkReader<'_> {
    /// What is read from now on; returns what was until now.
    pub(crate) fn replace_section(&mut self, section: ReadSection) -> ReadSection {
        std::mem::replace(&mut self.section, section)
    }

    /// Counterpart of [`NetworkWriter::write_section_mask`]. Mirror passes over bits that belong to no
    /// field.
    #[cold]
    #[inline(never)]
    pub(super) fn read_section_mask(&mut self, known_bits: u64) -> Result<u64, ReadError> {
        let dirty_bits = match &mut self.section {
            ReadSection::Whole => self.read_var_u64()? & (known_bits | self.derived_bits),
            ReadSection::Collections { dirty_bits } => *dirty_bits,
            ReadSection::Values { sections, levels } => {
                let sections = *sections;
                if next_level(levels) {
                    sections.unpack_values(self.read_var_u64()?)
                } else {
                    0
                }
            }
        };
        self.seen_bits |= dirty_bits;
        Ok(dirty_bits)
    }
}
