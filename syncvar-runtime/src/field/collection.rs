//! Wire format shared by the collections.

use crate::wire::budget::{ENTRY, STEP};
use crate::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Emits the dirty state of a collection and the methods that the derived code calls: as inherent methods,
/// so that no trait of the user comes in between, and as [`SyncField`](crate::SyncField) and
/// [`HookField`](crate::HookField).
///
/// The collection provides a `record`, and the methods `write_items` and `read_items` for snapshots,
/// `write_changes` and `read_changes` for deltas, their counterparts in Mirror's encoding
/// (`write_mirror_full` and so on), `copy_items` into a `Vec`, `report_since`, the changes since such a
/// copy. `holds_items_of` and `take_items` compare with a second collection and take it over, `take_log`
/// takes over the changes of a collection with the same previous content.
macro_rules! sync_field {
    ($name:ident<$($parameter:ident),+> where ($($bounds:tt)*), $change:ident) => {
        /// Dirty state.
        impl<$($parameter),+> $name<$($parameter),+>
        where
            $($bounds)*
        {
            /// Returns whether the collection has a change to send.
            pub fn is_dirty(&self) -> bool {
                self.record.is_dirty()
            }

            /// Makes the collection due as a snapshot; hooks run only for elements that differ.
            pub fn set_dirty(&mut self) {
                self.record.set_dirty();
            }

            /// Discards the changes: all observers have received them.
            pub fn clear_dirty(&mut self) {
                self.record.clear_dirty();
            }

            /// Adds the dirty bit to a mask if the collection is dirty.
            #[inline]
            pub fn collect_dirty(&self, bit: u64, dirty_bits: &mut u64) {
                if self.is_dirty() {
                    *dirty_bits |= bit;
                }
            }

            /// Announces whether the object has observers.
            pub fn set_observed(&mut self, observed: bool) {
                self.record.set_observed(observed);
            }

            /// Chooses between coalesced changes and a log of every operation.
            pub fn set_log(&mut self, log: OperationLog) {
                self.record.set_log(log);
            }

            /// Appends the snapshot.
            pub fn write_full(&self, writer: &mut NetworkWriter) {
                match writer.encoding() {
                    Encoding::Mirror => self.write_mirror_full(writer),
                    Encoding::Unet | Encoding::Compact => self.write_items(writer),
                }
            }

            /// Appends the delta.
            pub fn write_delta(&self, writer: &mut NetworkWriter) {
                match writer.encoding() {
                    Encoding::Mirror => self.write_mirror_delta(writer),
                    Encoding::Unet | Encoding::Compact => self.write_changes(writer),
                }
            }

            /// Reads the bytes of [`write_full`](Self::write_full).
            ///
            /// # Errors
            ///
            /// When the bytes do not hold such a field.
            pub fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                self.record.note_received();
                match reader.encoding() {
                    Encoding::Mirror => self.read_mirror_full(reader),
                    Encoding::Unet | Encoding::Compact => self.read_items(reader),
                }
            }

            /// Reads the bytes of [`write_delta`](Self::write_delta); does not make the field dirty.
            ///
            /// # Errors
            ///
            /// When the bytes do not hold such a change.
            pub fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                self.read_delta_reporting(reader, None)
            }

            #[inline]
            fn read_delta_reporting(
                &mut self,
                reader: &mut NetworkReader<'_>,
                reported: Changes<'_, $change<$($parameter),+>>,
            ) -> Result<(), ReadError> {
                self.record.note_received();
                match reader.encoding() {
                    Encoding::Mirror => self.read_mirror_delta(reader, reported),
                    Encoding::Unet | Encoding::Compact => self.read_changes(reader, reported),
                }
            }

            /// Like [`read_delta`](Self::read_delta); returns the previous value if the field has changed.
            ///
            /// # Errors
            ///
            /// Like [`read_delta`](Self::read_delta).
            pub fn read_delta_with_previous(
                &mut self,
                reader: &mut NetworkReader<'_>,
            ) -> Result<Option<Vec<$change<$($parameter),+>>>, ReadError> {
                let mut reported = Vec::new();
                self.read_delta_reporting(reader, Some(&mut reported))?;
                Ok((!reported.is_empty()).then_some(reported))
            }

            /// Returns the whole content, as the change that removes it.
            pub fn remembered(&self) -> Option<Vec<$change<$($parameter),+>>> {
                let previous = self.copy_items();
                Some(vec![$change::Clear { previous }])
            }

            /// Replaces the previous content by the changes since.
            pub fn has_changed_since(&self, previous: &mut Option<Vec<$change<$($parameter),+>>>) -> bool {
                let mut reported = Vec::new();
                if let Some($change::Clear { previous }) = previous.take().and_then(|mut all| all.pop()) {
                    self.report_since(previous, &mut reported);
                }
                *previous = (!reported.is_empty()).then_some(reported);
                previous.is_some()
            }
        }

        impl<$($parameter),+> SyncField for $name<$($parameter),+>
        where
            $($bounds)*
        {
            const SCHEMA: TypeSchema = TypeSchema::Collection {
                name: stringify!($name),
                parts: &[$($parameter::SCHEMA),+],
            };
            const RESENDABLE: bool = true;

            #[inline]
            fn is_dirty(&self) -> bool {
                self.is_dirty()
            }

            #[inline]
            fn set_dirty(&mut self) {
                self.set_dirty();
            }

            #[inline]
            fn clear_dirty(&mut self) {
                self.clear_dirty();
            }

            #[inline]
            fn place_mut(&mut self) -> Option<&mut FieldPlace> {
                // The write access ends here, and with it the writes to an open element.
                if self.record.is_open() {
                    self.settle();
                }
                Some(self.record.place_mut())
            }

            #[inline]
            fn mark_replaced(&mut self) {
                self.record.mark_replaced();
            }

            #[inline]
            fn relay(&mut self) {
                self.record.relay();
            }

            #[inline]
            fn set_observed(&mut self, observed: bool) {
                self.set_observed(observed);
            }

            #[inline]
            fn set_log(&mut self, log: OperationLog) {
                self.set_log(log);
            }

            #[inline]
            fn write_full(&self, writer: &mut NetworkWriter) {
                self.write_full(writer);
            }

            #[inline]
            fn write_delta(&self, writer: &mut NetworkWriter) {
                self.write_delta(writer);
            }

            #[inline]
            fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                self.read_full(reader)
            }

            #[inline]
            fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
                self.read_delta(reader)
            }

            fn take_changes(&mut self, from: &mut Self) -> bool {
                from.settle();
                let changed = if self.record.follows(&from.record) {
                    self.take_log(from)
                } else {
                    self.take_items(from)
                };
                self.record.share(&mut from.record);
                changed
            }
        }

        impl<$($parameter),+> HookField for $name<$($parameter),+>
        where
            $($bounds)*
        {
            type Previous = Vec<$change<$($parameter),+>>;

            #[inline]
            fn read_delta_with_previous(
                &mut self,
                reader: &mut NetworkReader<'_>,
            ) -> Result<Option<Self::Previous>, ReadError> {
                self.read_delta_with_previous(reader)
            }

            #[inline]
            fn remembered(&self) -> Option<Self::Previous> {
                self.remembered()
            }

            #[inline]
            fn has_changed_since(&self, previous: &mut Option<Self::Previous>) -> bool {
                self.has_changed_since(previous)
            }

            fn take_changes_with_previous(
                &mut self,
                from: &mut Self,
                previous: &mut Option<Self::Previous>,
            ) -> bool {
                *previous = None;
                let is_same = if self.record.follows(&from.record) {
                    !from.is_dirty()
                } else {
                    self.holds_items_of(from)
                };
                if is_same {
                    self.record.share(&mut from.record);
                    return false;
                }
                *previous = self.remembered();
                self.take_changes(from);
                self.has_changed_since(previous)
            }
        }
    };
}

pub(super) use sync_field;

/// Target of the changes for a hook.
pub(super) type Changes<'a, C> = Option<&'a mut Vec<C>>;

/// Charges the memory of entries in a map or set.
#[inline]
pub(crate) fn charge_entries<T>(
    reader: &mut NetworkReader<'_>,
    count: usize,
) -> Result<(), ReadError> {
    reader.charge_sized(count, size_of::<T>().saturating_add(ENTRY))
}

/// Charges an operation of a log that is relayed. It is kept until the next update, so
/// it counts eight times as work.
#[inline]
pub(super) fn charge_relayed<O>(reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
    reader.charge::<O>(1)?;
    reader.take_work(size_of::<O>().saturating_mul(6))
}

/// Charges the memory of reported changes.
#[inline]
pub(super) fn charge_changes<C>(
    reader: &mut NetworkReader<'_>,
    reported: Option<&Vec<C>>,
    count: usize,
) -> Result<(), ReadError> {
    match reported {
        Some(_) => reader.charge::<C>(count),
        None => reader.take_work(STEP),
    }
}

/// Operations of at most this many bytes are sent even where the snapshot would be shorter: a hook learns
/// more from them.
const SHORT: usize = 64;

/// Writes the operations, or the snapshot if the log has none or the snapshot is
/// shorter.
///
/// The comparison is bounded by the length of the operations: the snapshot is written behind
/// them until it reaches their length.
pub(super) fn write_delta<I: Copy>(
    writer: &mut NetworkWriter,
    log: Option<impl FnOnce(&mut NetworkWriter)>,
    items: impl IntoIterator<Item = I, IntoIter: ExactSizeIterator>,
    write_item: impl Fn(I, &mut NetworkWriter),
    write_full: impl FnOnce(&mut NetworkWriter),
) {
    let items = items.into_iter();
    // A collection that is too long for its encoding cannot be sent to new observers: report it now.
    if !writer.check_count(items.len()) {
        return;
    }
    let start = writer.len();
    let had_error = writer.has_error();
    if let Some(write_log) = log {
        write_log(writer);
        let end = writer.len();
        let length = end.saturating_sub(start);
        let failed = !had_error && writer.has_error();
        if !failed && (length <= SHORT || !is_shorter(writer, length, items, write_item)) {
            return;
        }
        writer.truncate(start);
        if !had_error {
            // A value without a form may belong to an operation on a removed element.
            writer.take_error();
        }
    }
    writer.write_operations(0);
    write_full(writer);
}

/// Returns whether the items take fewer bytes than a number; restores the writer.
fn is_shorter<I: Copy>(
    writer: &mut NetworkWriter,
    length: usize,
    mut items: impl Iterator<Item = I>,
    write_item: impl Fn(I, &mut NetworkWriter),
) -> bool {
    let start = writer.len();
    let had_error = writer.has_error();
    let shorter = items.all(|item| {
        write_item(item, writer);
        writer.len().saturating_sub(start) < length
    });
    writer.truncate(start);
    let failed = !had_error && writer.take_error().is_some();
    shorter && !failed
}

/// Error for a number without an operation of this collection.
#[cold]
pub(super) fn unknown_operation(reader: &NetworkReader<'_>, operation: u8) -> ReadError {
    let (what, value) = ("operation of a collection", operation.into());
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

/// Error for a second occurrence of a key in a collection.
#[cold]
pub(super) fn twice(start: usize) -> ReadError {
    ReadError::new(ReadErrorKind::Custom("a key that comes twice"), start)
}

/// Error for the removal of an absent key.
#[cold]
pub(super) fn absent(start: usize) -> ReadError {
    let kind = ReadErrorKind::Custom("a key is removed that is not there");
    ReadError::new(kind, start)
}
