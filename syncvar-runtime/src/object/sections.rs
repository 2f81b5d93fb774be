//! What a behaviour is in the `Mirror` encoding: its collections, and then its other fields.

use std::fmt;

use super::slot::Remembered;
use crate::schema::Sections;
use crate::wire::{ReadSection, WriteSection};
use crate::{Encoding, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// What the hooks of a behaviour are to be told of what [`NetworkReader::read_sections`] has read.
#[must_use = "the hooks have not been called"]
pub struct SectionHooks<B: NetworkBehaviour> {
    collections: Option<B::Previous>,
    values: Option<B::Previous>,
}

/// What the hooks of a behaviour are to be told, its type erased.
#[derive(Default)]
#[must_use = "the hooks have not been called"]
pub struct MirrorHooks {
    pub(super) collections: Option<Remembered>,
    pub(super) values: Option<Remembered>,
}

impl<B: NetworkBehaviour> SectionHooks<B> {
    /// Calls them: those of the collections, and then those of the other fields.
    pub fn call(self, behaviour: &mut B) {
        for previous in [self.collections, self.values].into_iter().flatten() {
            behaviour.call_hooks(previous);
        }
    }

    pub(super) fn erased(self) -> MirrorHooks {
        let erase = |previous| Box::new(previous) as Remembered;
        MirrorHooks {
            collections: self.collections.map(erase),
            values: self.values.map(erase),
        }
    }
}

impl MirrorHooks {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.collections.is_none() && self.values.is_none()
    }

    pub(super) fn of<B: NetworkBehaviour>(self) -> SectionHooks<B> {
        let typed = |erased: Remembered| erased.downcast().ok().map(|previous| *previous);
        SectionHooks {
            collections: self.collections.and_then(typed),
            values: self.values.and_then(typed),
        }
    }
}

impl<B: NetworkBehaviour> fmt::Debug for SectionHooks<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SectionHooks")
            .field("collections", &self.collections.is_some())
            .field("values", &self.values.is_some())
            .finish()
    }
}

impl fmt::Debug for MirrorHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MirrorHooks")
            .field("collections", &self.collections.is_some())
            .field("values", &self.values.is_some())
            .finish()
    }
}

impl NetworkWriter {
    /// Writes a behaviour as it travels where its [`SECTIONS`](NetworkBehaviour::SECTIONS) are: in `Mirror`
    /// its collections and then its other fields, in the other encodings what its
    /// [`on_serialize`](NetworkBehaviour::on_serialize) writes. For a behaviour that decides its bytes
    /// itself, and puts its own around those of another one. Returns what `on_serialize` is to return.
    pub fn write_sections<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        initial_state: bool,
    ) -> bool {
        if self.encoding() != Encoding::Mirror {
            return behaviour.on_serialize(self, initial_state);
        }
        let sections = const { &B::SCHEMA.sections() };
        if initial_state {
            for fields in [sections.collections, sections.values] {
                if fields != 0 {
                    behaviour.write_fields(self, fields);
                }
            }
            return true;
        }
        let everything_dirty = self.is_everything_dirty();
        if everything_dirty {
            behaviour.set_dirty_bit(sections.values & sections.changes);
        }
        let dirty_bits = behaviour.sync_var_dirty_bits() & sections.changes;
        let mask = self.len();
        self.write_u64(0);
        // There is nothing to wait for where all that is dirty travels with the full state only.
        let mut written = everything_dirty || dirty_bits == 0;
        if dirty_bits & sections.collections != 0 {
            let section = WriteSection::Collections { sections, mask };
            written |= self.write_section(behaviour, section, sections.collections);
        }
        if sections.levels != 0 {
            let levels = sections.levels;
            let section = WriteSection::Values { sections, levels };
            written |= self.write_section(behaviour, section, sections.values);
        }
        written
    }

    /// Writes the changes of one section.
    fn write_section<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        section: WriteSection,
        fields: u64,
    ) -> bool {
        let outer = (self.fields(), self.replace_section(section));
        self.set_fields(fields & const { B::SCHEMA.sections().changes });
        let written = behaviour.on_serialize(self, false);
        self.set_fields(outer.0);
        self.replace_section(outer.1);
        written
    }
}

impl NetworkReader<'_> {
    /// Counterpart of [`NetworkWriter::write_sections`]. What is returned is to be called when everything
    /// has been read: it is the [`Previous`](NetworkBehaviour::Previous) of a behaviour that decides its
    /// bytes itself.
    ///
    /// Of a full state in `Mirror` the hooks of those fields are called that are different from what they
    /// were; none of a collection is.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    pub fn read_sections<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        initial_state: bool,
    ) -> Result<SectionHooks<B>, ReadError> {
        let mut hooks = SectionHooks {
            collections: None,
            values: None,
        };
        let sections = const { &B::SCHEMA.sections() };
        if self.encoding() != Encoding::Mirror {
            hooks.values = Some(behaviour.on_deserialize(self, initial_state)?);
        } else if initial_state {
            hooks.values = self.read_full_sections(behaviour, sections)?;
        } else {
            let packed = self.read_u64()?;
            let dirty_bits = sections.unpack_collections(packed);
            if dirty_bits != 0 {
                let section = ReadSection::Collections { dirty_bits };
                hooks.collections = Some(self.read_section(behaviour, section)?);
            }
            if sections.levels != 0 {
                let levels = sections.levels;
                let section = ReadSection::Values { sections, levels };
                hooks.values = Some(self.read_section(behaviour, section)?);
            }
        }
        Ok(hooks)
    }

    /// Reads the full state, and returns the former values of what is different now.
    fn read_full_sections<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        sections: &Sections,
    ) -> Result<Option<B::Previous>, ReadError> {
        let mut before = behaviour.remember_for_hooks(sections.values);
        for fields in [sections.collections, sections.values] {
            if fields != 0 {
                behaviour.read_fields(self, fields)?;
            }
        }
        let changed = before
            .as_mut()
            .is_some_and(|before| behaviour.changed_since(before) != 0);
        Ok(before.filter(|_| changed))
    }

    /// Reads the changes of one section.
    fn read_section<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        section: ReadSection,
    ) -> Result<B::Previous, ReadError> {
        let outer = self.replace_section(section);
        let previous = behaviour.on_deserialize(self, false);
        self.replace_section(outer);
        previous
    }
}
