//! Places of a behaviour's fields: sends and replacements on an object of a [`Lineage`].

use super::visitors::each;
use super::{FieldVisitor, NetworkBehaviour};
use crate::SyncField;
use crate::field::Lineage;

impl Lineage {
    /// Makes the fields with a set bit clean: observers have their content at this place.
    #[inline]
    pub(crate) fn mark_sent<B: NetworkBehaviour>(self, behaviour: &mut B, fields: u64) {
        let mut visitor = MarkSent {
            fields,
            lineage: self,
        };
        behaviour.visit(&mut B::Previous::default(), &mut visitor);
    }

    /// Makes the fields dirty that were created or moved here, as by `player.health = 5.into()`. After such a
    /// replacement the behaviour has a new lineage: the field that was moved out is clean for this lineage, and
    /// may return.
    #[inline]
    pub(crate) fn notice_replacements<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
    ) -> Option<Self> {
        let mut visitor = NoticeReplacements {
            lineage: *self,
            replaced: false,
        };
        behaviour.visit(&mut B::Previous::default(), &mut visitor);
        visitor.replaced.then(|| self.renew(behaviour))
    }

    /// Gives all fields a new lineage, with their changes. Returns the former one.
    #[cold]
    pub(crate) fn renew<B: NetworkBehaviour>(&mut self, behaviour: &mut B) -> Self {
        let former = std::mem::replace(self, Self::unique());
        each(behaviour, SetPlaces { lineage: *self });
        former
    }
}

struct MarkSent {
    fields: u64,
    lineage: Lineage,
}

impl FieldVisitor for MarkSent {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if self.fields & bit != 0 {
            field.clear_dirty();
            if let Some(place) = field.place_mut() {
                place.set(self.lineage.place(bit));
            }
        }
    }
}

struct NoticeReplacements {
    lineage: Lineage,
    /// Set if a field was replaced.
    replaced: bool,
}

impl FieldVisitor for NoticeReplacements {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        self.replaced |= self.lineage.place(bit).notice(&mut field);
    }
}

struct SetPlaces {
    lineage: Lineage,
}

impl FieldVisitor for SetPlaces {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if let Some(place) = field.place_mut() {
            place.set(self.lineage.place(bit));
        }
    }
}
