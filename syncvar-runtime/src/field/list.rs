//! `SyncList`: a list that sends its changes alone.

mod bulk;
mod change;
mod difference;
mod edit;
mod edited;
mod element;
mod field;
mod log;
mod mirror;
mod note;
mod pending;
mod receive;
mod relay;

pub use change::ListChange;
pub(crate) use edited::{Edited, out_of_range};
pub use element::ElementMut;
pub use pending::ListEdit;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Index, IndexMut};
use std::slice::SliceIndex;

use super::record::Record;
use crate::SyncValue;
use log::Log;
use mirror::ListOperation;

/// A synchronised list. Use it as a `Vec`: every change is recorded, and only changes are sent,
/// independent of the size of the list.
///
/// It dereferences to a slice for all reads. Its methods for writing, [`push`](Self::push),
/// [`insert`](Self::insert), [`remove`](Self::remove), [`set`](Self::set), [`retain`](Self::retain),
/// [`sort`](Self::sort) and so on, work as in `Vec`. `list[0] = x` and [`get_mut`](Self::get_mut) write an
/// element, and only a difference is a change. `list.iter_mut()` does not compile: write
/// [`for_each_mut`](Self::for_each_mut). The remaining methods of `Vec` are
/// available through [`update`](Self::update).
///
/// ```
/// use syncvar::SyncList;
///
/// let mut names = SyncList::from(["Ann".to_string(), "Bob".into()]);
/// names.push("Cid".into());
/// names[0].push('a');
/// names.retain(|name| name != "Bob");
/// assert_eq!(names, ["Anna", "Cid"]);
/// assert!(names.is_dirty());
/// ```
///
/// On the wire a delta is the operations since the last update (WIRE.md, section 3), or the whole
/// list where that is shorter. A position that is set several times between two updates counts as set
/// once. Without observers no log is kept. In the encoding `Mirror` every operation travels
/// in order, in Mirror's set of operations.
///
/// The server notices a new list in the place of a previous list at the end of the write access:
/// `player.buffs = SyncList::new()`, `mem::take`, `mem::swap`. Such a list is sent as a whole;
/// [`Assign::assign`](crate::Assign::assign) sends the difference.
///
/// # Limits
///
/// | encoding | elements | bytes of the whole list, and of the operations of a update |
/// | --- | --- | --- |
/// | `Unet` | 65 535 | a message: 65 535 |
/// | `Compact` | [`Limits::max_elements`](crate::Limits::max_elements) of the receiver (1 048 576) | a message: `ServerConfig::max_message_size` (16 MiB) |
/// | `Mirror` | `Limits::max_elements` of the receiver | a message of the transport: 16 373 with Telepathy |
///
/// Operations that are too long travel as the whole list. A list without a form stops alone: observers keep
/// its last elements, the remaining fields of the object travel on, and the list travels again when it fits. In
/// `Mirror` it stops its object.
///
/// A field with this type may have a hook: `#[sync_var(hook = on_change)]` calls
/// `fn on_change(&mut self, change: &ListChange<T>)` on a client for every change, in order;
/// `batch_hook = on_changes` calls `fn on_changes(&mut self, changes: &[ListChange<T>])` once for all
/// changes of an update. Neither runs for a snapshot.
#[doc(alias = "NetworkList")]
pub struct SyncList<T> {
    items: Vec<T>,
    record: Record<Log<T>, ListOperation<T>>,
}

impl<T> SyncList<T> {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }

    /// Creates an empty list with a capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::from(Vec::with_capacity(capacity))
    }

    /// Returns the elements.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Returns the elements as a `Vec`.
    pub fn into_inner(self) -> Vec<T> {
        self.items
    }
}

impl<T> Deref for SyncList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T, I: SliceIndex<[T]>> Index<I> for SyncList<T> {
    type Output = I::Output;

    #[inline]
    fn index(&self, index: I) -> &I::Output {
        &self.items[index]
    }
}

/// Writes to one element: a difference is recorded by the next change of the list, or at the end of the server's
/// write access.
impl<T: SyncValue> IndexMut<usize> for SyncList<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.settle();
        self.record.note().open(index, &self.items[index]);
        self.record.open();
        &mut self.items[index]
    }
}

impl<T> AsRef<[T]> for SyncList<T> {
    fn as_ref(&self) -> &[T] {
        &self.items
    }
}

impl<T> Default for SyncList<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone> Clone for SyncList<T> {
    /// Copies the elements into a new list.
    fn clone(&self) -> Self {
        Self::from(self.items.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for SyncList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<T, U> PartialEq<SyncList<U>> for SyncList<T>
where
    T: PartialEq<U>,
{
    fn eq(&self, other: &SyncList<U>) -> bool {
        self.items == other.items
    }
}

impl<T: Eq> Eq for SyncList<T> {}

impl<T: PartialOrd> PartialOrd for SyncList<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.items.partial_cmp(&other.items)
    }
}

impl<T: Ord> Ord for SyncList<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.items.cmp(&other.items)
    }
}

impl<T: Hash> Hash for SyncList<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.items.hash(state);
    }
}

impl<T: PartialEq<U>, U> PartialEq<Vec<U>> for SyncList<T> {
    fn eq(&self, other: &Vec<U>) -> bool {
        self.items == *other
    }
}

impl<T: PartialEq<U>, U> PartialEq<[U]> for SyncList<T> {
    fn eq(&self, other: &[U]) -> bool {
        self.items == *other
    }
}

impl<T: PartialEq<U>, U> PartialEq<&[U]> for SyncList<T> {
    fn eq(&self, other: &&[U]) -> bool {
        self.items == *other
    }
}

impl<T: PartialEq<U>, U, const N: usize> PartialEq<[U; N]> for SyncList<T> {
    fn eq(&self, other: &[U; N]) -> bool {
        self.items == *other
    }
}

impl<T> From<Vec<T>> for SyncList<T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            record: Record::default(),
        }
    }
}

impl<T> From<SyncList<T>> for Vec<T> {
    fn from(list: SyncList<T>) -> Self {
        list.items
    }
}

impl<T, const N: usize> From<[T; N]> for SyncList<T> {
    fn from(items: [T; N]) -> Self {
        Self::from(Vec::from(items))
    }
}

impl<T: Clone> From<&[T]> for SyncList<T> {
    fn from(items: &[T]) -> Self {
        Self::from(items.to_vec())
    }
}

impl<T> FromIterator<T> for SyncList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(Vec::from_iter(items))
    }
}

impl<T> IntoIterator for SyncList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SyncList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for SyncList<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for SyncList<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}
