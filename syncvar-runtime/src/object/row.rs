//! Rows: one behaviour, or a tuple of behaviours, in one piece of memory.

use super::slot::{Slot, TypedSlot};
use super::slots::{Slots, Visit};
use crate::stats::BehaviourStats;
use crate::{NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

/// One behaviour, or a tuple of such, in one piece of memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a behaviour nor a tuple of up to eight behaviours",
    label = "cannot be put on a networked object",
    note = "write `#[derive(NetworkBehaviour)]` above the struct; in a tuple, above each of them",
    note = "for more than eight behaviours, nest tuples: `((A, B, C, D, E, F, G, H), (I, J))`"
)]
pub trait BehaviourTuple: Send + Sync + 'static {
    /// Number of behaviours.
    const COUNT: usize;
    /// Slots of the behaviours.
    type Row: Slots;

    /// Puts the behaviours into slots, in order.
    fn into_row(self) -> Self::Row;
}

/// Writes the snapshot of every slot.
pub(crate) struct WriteFull<'a> {
    pub(crate) writer: &'a mut NetworkWriter,
    pub(crate) stats: &'a mut [BehaviourStats],
}

impl Visit for WriteFull<'_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, index: u32, slot: &mut S) {
        let before = self.writer.len();
        slot.serialize(self.writer, true);
        if let Some(stats) = self.stats.get_mut(index as usize) {
            stats.full.add(self.writer.len() - before);
        }
    }
}

/// Reads the snapshot of every slot; ends with the first error.
pub(crate) struct ReadFull<'a, 'b> {
    pub(crate) reader: &'a mut NetworkReader<'b>,
    pub(crate) result: Result<(), ReadError>,
}

impl Visit for ReadFull<'_, '_> {
    #[inline]
    fn slot<S: Slot + ?Sized>(&mut self, _: u32, slot: &mut S) {
        if self.result.is_ok() {
            self.result = slot.deserialize(self.reader, true);
            slot.skip_hooks();
        }
    }
}

/// Methods of every row, built from visits of its slots.
macro_rules! through_visits {
    () => {
        fn write_full(&mut self, writer: &mut NetworkWriter, stats: &mut [BehaviourStats]) {
            self.visit(0, &mut WriteFull { writer, stats });
        }

        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
            let result = Ok(());
            let mut read = ReadFull { reader, result };
            self.visit(0, &mut read);
            read.result
        }
    };
}

pub(crate) use through_visits;

impl<B: NetworkBehaviour> Slots for TypedSlot<B> {
    #[inline]
    fn len(&self) -> usize {
        1
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&dyn Slot> {
        (index == 0).then_some(self)
    }

    #[inline]
    fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
        (index == 0).then_some(self)
    }

    fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
        vec![self]
    }

    through_visits!();

    #[inline]
    fn visit<V: Visit>(&mut self, index: u32, visitor: &mut V) -> u32 {
        visitor.slot(index, self);
        index + 1
    }
}

impl<B: NetworkBehaviour> BehaviourTuple for B {
    const COUNT: usize = 1;
    type Row = TypedSlot<B>;

    fn into_row(self) -> Self::Row {
        TypedSlot::new(self)
    }
}

/// Rows of tuples. A nested tuple is a row inside a row.
macro_rules! tuples {
    ($($($name:ident $index:tt),+;)*) => {$(
        impl<$($name: Slots),+> Slots for ($($name,)+) {
            #[inline]
            fn len(&self) -> usize {
                0 $(+ self.$index.len())+
            }

            fn slot(&self, index: usize) -> Option<&dyn Slot> {
                let row = Some(index);
                $(
                    let index = row?;
                    if index < self.$index.len() {
                        return self.$index.slot(index);
                    }
                    let row = index.checked_sub(self.$index.len());
                )+
                row.and(None)
            }

            fn slot_mut(&mut self, index: usize) -> Option<&mut dyn Slot> {
                let row = Some(index);
                $(
                    let index = row?;
                    if index < self.$index.len() {
                        return self.$index.slot_mut(index);
                    }
                    let row = index.checked_sub(self.$index.len());
                )+
                row.and(None)
            }

            fn all_mut(&mut self) -> Vec<&mut dyn Slot> {
                let mut all = Vec::with_capacity(self.len());
                $(all.extend(self.$index.all_mut());)+
                all
            }

            through_visits!();

            #[inline]
            fn visit<V: Visit>(&mut self, index: u32, visitor: &mut V) -> u32 {
                $(let index = self.$index.visit(index, visitor);)+
                index
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($name: BehaviourTuple),+> BehaviourTuple for ($($name,)+) {
            const COUNT: usize = 0 $(+ $name::COUNT)+;
            type Row = ($($name::Row,)+);

            fn into_row(self) -> Self::Row {
                ($(self.$index.into_row(),)+)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
