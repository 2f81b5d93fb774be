//! `SyncVar`: a value that knows when it has changed.

use std::ops::{Deref, DerefMut};

use super::{HookField, Place, SyncField};
use crate::schema::TypeSchema;
use crate::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// A synchronised value: write to it as to the value itself, and every observing client receives it.
///
/// Reads are free: a `SyncVar<T>` dereferences to `T`, compares with `T`, and prints as `T`. Operators and
/// patterns take a `*`: `*player.health + 10`, `match *player.state`. Methods of the value need none:
/// `player.health.clamp(0, 100)`. For them, `SyncVar` itself is not `Ord`.
/// Writes make it dirty:
///
/// * [`set`](Self::set), [`replace`](Self::replace) and the assigning operators (such as `+=`)
///   compare, and only a real change makes the variable dirty. Floats compare by their bits.
/// * Any `&mut` use of the value, such as `&mut *health`, makes it dirty at once.
///
/// ```
/// use syncvar::SyncVar;
///
/// let mut health = SyncVar::new(100);
/// health += 0;
/// assert!(!health.is_dirty());
/// health -= 10;
/// assert!(health.is_dirty());
/// assert_eq!(health, 90);
///
/// let mut name: SyncVar<String> = "Ann".into();
/// name.push('a'); // through `&mut String`
/// assert!(name.is_dirty());
/// assert_eq!(format!("{name}: {health}"), "Anna: 90");
/// ```
///
/// The server also notices a new variable in the place of another one, at the end of the write
/// access: `player.health = 5.into()`, `*player = Player::default()`, `mem::take`, `mem::swap`, of
/// variables and of whole behaviours.
/// [`Assign::assign`](crate::Assign::assign) sends the fields that differ only.
///
/// The size is that of the value and 32 bits. A struct travels as a whole when
/// any of its members changes.
///
/// # Limits
///
/// | encoding | `String` | `Vec<u8>` | other sequences and maps | whole value |
/// | --- | --- | --- | --- | --- |
/// | `Unet` | 32 767 bytes | 65 535 bytes | 65 535 elements | a message: 65 535 bytes |
/// | `Compact` | 32 767 bytes | `ServerConfig::max_message_size` (16 MiB) | [`Limits::max_elements`](crate::Limits::max_elements) of the receiver | `max_message_size` |
/// | `Mirror` | 65 534 bytes | 16 777 216 bytes | `max_elements` of the receiver | a message of the transport: 16 373 bytes with Telepathy |
///
/// On an unreliable channel the whole value fits a packet (1 340 bytes).
///
/// A value above a limit stops this field alone: observers keep the last value that was sent, the other
/// fields of the object travel on, and the first value that fits is sent. A new observer receives the value of
/// the prefab. An event of the server names the field (`SerializeFailed`).
pub struct SyncVar<T> {
    value: Value<T>,
    state: State,
}

/// Value of a variable. As a field of type `T`, it would be proposed by the compiler for `match player.state`.
#[repr(transparent)]
struct Value<T>(T);

/// State of a variable. Higher numbers are [places](Place): the value was sent as that of this field.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(u32);

impl State {
    /// Created, and not sent since.
    const NEW: Self = Self(0);
    /// Changed since the last send.
    const DIRTY: Self = Self(1);
    /// Due, with or without a change of value.
    const FORCED: Self = Self(2);

    #[inline]
    const fn clean(place: Place) -> Self {
        Self(place.number())
    }

    #[inline]
    const fn is_dirty(self) -> bool {
        matches!(self, Self::DIRTY | Self::FORCED)
    }

    #[inline]
    const fn is_forced(self) -> bool {
        self.0 == Self::FORCED.0
    }

    #[inline]
    const fn is_clean(self) -> bool {
        self.0 >= Place::ANY.number()
    }
}

impl<T> SyncVar<T> {
    /// A variable with this value; not dirty, for an object's first value travels with its spawn.
    pub const fn new(value: T) -> Self {
        Self {
            value: Value(value),
            state: State::NEW,
        }
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.value.0
    }

    /// The value, without the variable around it.
    pub fn into_inner(self) -> T {
        self.value.0
    }

    /// Returns whether the variable has a change to send.
    #[inline]
    pub const fn is_dirty(&self) -> bool {
        self.state.is_dirty()
    }

    /// Makes the variable dirty without a change: its value will be sent again, and no hook runs
    /// for it. That is so with a [codec](crate::SyncCodec) too, which takes back other writes that
    /// make no difference.
    #[inline]
    pub const fn set_dirty(&mut self) {
        self.state = State::FORCED;
    }

    #[inline]
    const fn mark_changed(&mut self) {
        if !self.state.is_forced() {
            self.state = State::DIRTY;
        }
    }

    /// Forgets that the variable has changed.
    #[inline]
    pub const fn clear_dirty(&mut self) {
        self.clear_dirty_at(Place::ANY);
    }

    /// Like [`clear_dirty`](Self::clear_dirty): observers have the value as that of this place.
    #[inline]
    pub const fn clear_dirty_at(&mut self, place: Place) {
        self.state = State::clean(place);
    }

    /// Adds the dirty bit of the variable to a mask if it is dirty.
    #[inline]
    pub const fn collect_dirty(&self, bit: u64, dirty_bits: &mut u64) {
        if self.is_dirty() {
            *dirty_bits |= bit;
        }
    }

    /// Makes the variable dirty if it is new or [sent](Self::clear_dirty_at) at another place: on an object
    /// that clients know, it has replaced another one.
    #[inline]
    pub const fn notice_replacement(&mut self, place: Place) {
        let known = self.state.is_dirty() || self.state.0 == Place::ANY.number();
        if !known && self.state.0 != place.number() {
            self.state = State::DIRTY;
        }
    }
}

impl<T: SyncValue> SyncVar<T> {
    /// Assigns a value; a different value makes the variable dirty. Returns whether it differed.
    ///
    /// ```
    /// # use syncvar::SyncVar;
    /// let mut temperature = SyncVar::new(f32::NAN);
    /// assert!(!temperature.set(f32::NAN));
    /// assert!(temperature.set(0.0));
    /// ```
    ///
    /// A value that travels as the same bytes ([`SyncValue::same`]) is not assigned, as
    /// in UNet: members with `#[sync_value(skip)]` keep their values. To write them, use
    /// `*variable = value`.
    #[inline]
    pub fn set(&mut self, value: T) -> bool {
        self.replace(value).is_some()
    }

    /// Assigns; dirty only if the value is another one, and then returns the previous value.
    #[inline]
    pub fn replace(&mut self, value: T) -> Option<T> {
        if self.value.0.same(&value) {
            return None;
        }
        self.mark_changed();
        Some(std::mem::replace(&mut self.value.0, value))
    }

    /// Changes the value through a function; dirty only if it is another one afterwards.
    ///
    /// ```
    /// # use syncvar::SyncVar;
    /// let mut name: SyncVar<String> = "Ann".into();
    /// name.update(|name| name.make_ascii_lowercase());
    /// assert_eq!(name, "ann");
    /// ```
    #[inline]
    pub fn update(&mut self, change: impl FnOnce(&mut T)) {
        let (previous, state) = (self.value.0.clone(), self.state);
        // The function may have changed the value before a panic.
        self.mark_changed();
        change(&mut self.value.0);
        if self.value.0.same(&previous) {
            self.state = state;
        }
    }
}

/// Calls of the derived code, also available as [`SyncField`] and [`HookField`].
impl<T> SyncVar<T> {
    /// Returns the value for overwriting by a received one; does not make the variable dirty.
    #[inline]
    pub const fn received(&mut self) -> &mut T {
        &mut self.value.0
    }

    /// Returns whether every observer has the value.
    #[inline]
    pub const fn is_sent(&self) -> bool {
        self.state.is_clean()
    }

    /// Returns the value for a later comparison.
    #[inline]
    pub fn remembered(&self) -> T
    where
        T: Clone,
    {
        self.value.0.clone()
    }

    /// Returns whether the value differs from an earlier one. Drops an equal one.
    #[inline]
    pub fn has_changed_since(&self, previous: &mut Option<T>) -> bool
    where
        T: SyncValue,
    {
        let former = previous.take();
        *previous = former.filter(|former| !self.value.0.same(former));
        previous.is_some()
    }

    /// Makes the variable clean: its value travels as the same bytes as its last clean value.
    /// Keeps a forced variable dirty.
    #[inline]
    pub const fn withdraw_change(&mut self, place: Place) {
        if self.state.0 == State::DIRTY.0 {
            self.clear_dirty_at(place);
        }
    }

    /// Takes over the value of a variable, and leaves that one clean. Returns whether it is due; `previous`
    /// receives a former value that differs.
    #[inline]
    pub(super) fn take_value(
        &mut self,
        from: &mut Self,
        same: impl FnOnce(&T, &T) -> bool,
        copy: impl FnOnce(&T) -> T,
        previous: &mut Option<T>,
    ) -> bool {
        let forced = from.state.is_forced();
        from.clear_dirty();
        *previous = None;
        if !same(&self.value.0, &from.value.0) {
            let value = copy(&from.value.0);
            *previous = Some(std::mem::replace(&mut **self, value));
        }
        if forced {
            self.set_dirty();
        }
        forced || previous.is_some()
    }

    /// Appends the snapshot.
    #[inline]
    pub fn write_full(&self, writer: &mut NetworkWriter)
    where
        T: SyncValue,
    {
        self.value.0.write(writer);
    }

    /// Appends the delta.
    #[inline]
    pub fn write_delta(&self, writer: &mut NetworkWriter)
    where
        T: SyncValue,
    {
        self.value.0.write(writer);
    }

    /// Reads the bytes of [`write_full`](Self::write_full).
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a field.
    #[inline]
    pub fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_in_place(reader)
    }

    /// Reads the bytes of [`write_delta`](Self::write_delta); does not make the field dirty.
    ///
    /// # Errors
    ///
    /// When the bytes do not hold such a change.
    #[inline]
    pub fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_in_place(reader)
    }

    /// Like [`read_delta`](Self::read_delta); returns the previous value if the field has changed.
    ///
    /// # Errors
    ///
    /// Like [`read_delta`](Self::read_delta).
    #[inline]
    pub fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError>
    where
        T: SyncValue,
    {
        self.value.0.read_with_previous(reader)
    }
}

impl<T: SyncValue> SyncField for SyncVar<T> {
    const SCHEMA: TypeSchema = T::SCHEMA;
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
    fn clear_dirty_at(&mut self, place: Place) {
        self.clear_dirty_at(place);
    }

    #[inline]
    fn notice_replacement(&mut self, place: Place) {
        self.notice_replacement(place);
    }

    #[expect(
        clippy::inline_always,
        reason = "a call for each field costs a snapshot of Mirror a tenth"
    )]
    #[inline(always)]
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

    #[inline]
    fn take_changes(&mut self, from: &mut Self) -> bool {
        let forced = from.state.is_forced();
        from.clear_dirty();
        let differs = !self.value.0.same(&from.value.0);
        if differs {
            // Keeps the memory of the former value.
            T::clone_from(self, &from.value.0);
        }
        if forced {
            self.set_dirty();
        }
        forced || differs
    }
}

impl<T: SyncValue> HookField for SyncVar<T> {
    type Previous = T;

    #[inline]
    fn take_changes_with_previous(&mut self, from: &mut Self, previous: &mut Option<T>) -> bool {
        self.take_value(from, T::same, T::clone, previous)
    }

    #[inline]
    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<T>, ReadError> {
        self.read_delta_with_previous(reader)
    }

    #[inline]
    fn remembered(&self) -> Option<T> {
        Some(self.remembered())
    }

    #[inline]
    fn has_changed_since(&self, previous: &mut Option<T>) -> bool {
        self.has_changed_since(previous)
    }
}

impl<T> Deref for SyncVar<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value.0
    }
}

impl<T> DerefMut for SyncVar<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.mark_changed();
        &mut self.value.0
    }
}

impl<T: Default> Default for SyncVar<T> {
    #[inline]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Clone> Clone for SyncVar<T> {
    /// A new variable with the same value.
    #[inline]
    fn clone(&self) -> Self {
        Self::new(self.value.0.clone())
    }
}

impl<T> From<T> for SyncVar<T> {
    #[inline]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl From<&str> for SyncVar<String> {
    #[inline]
    fn from(value: &str) -> Self {
        Self::new(value.into())
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for SyncVar<T> {
    #[inline]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.0.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for SyncVar<T> {
    #[inline]
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::SyncVar;

    #[test]
    fn change_before_a_panic_in_update_is_sent() {
        let mut name = SyncVar::new(String::from("Ann"));
        name.clear_dirty();
        let update = std::panic::AssertUnwindSafe(|| {
            name.update(|name| {
                name.push('a');
                panic!("in the middle of it");
            });
        });
        assert!(std::panic::catch_unwind(update).is_err());
        assert!(name.is_dirty() && *name == "Anna");
        name.clear_dirty();
        name.update(|name| name.push_str(""));
        assert!(!name.is_dirty());
    }

    #[test]
    #[inline]
    fn a_variable_is_its_value_and_32_bits() {
        assert_eq!(size_of::<SyncVar<i32>>(), 8);
        assert_eq!(size_of::<SyncVar<f32>>(), 8);
        assert_eq!(size_of::<SyncVar<bool>>(), 8);
        assert_eq!(size_of::<SyncVar<String>>(), 32);
    }
}
