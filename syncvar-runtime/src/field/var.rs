//! `SyncVar`: a value that knows when it has changed.

mod derived;
mod state;

use std::ops::{Deref, DerefMut};

use super::FieldPlace;
use crate::SyncValue;
use state::VarState;

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
/// The server also notices a new variable in the place of a previous variable, at the end of the write
/// access: `player.health = 5.into()`, `*player = Player::default()`, `mem::take`, `mem::swap`, of
/// variables and of whole behaviours.
/// [`Assign::assign`](crate::Assign::assign) sends the fields that differ only.
///
/// The size is that of the value and 32 bits. A struct travels as a whole when
/// any of its members changes.
///
/// # Limits
///
/// | encoding | `String` | `Vec<u8>` | sequences and maps | whole value |
/// | --- | --- | --- | --- | --- |
/// | `Unet` | 32 767 bytes | 65 535 bytes | 65 535 elements | a message: 65 535 bytes |
/// | `Compact` | 32 767 bytes | `ServerConfig::max_message_size` (16 MiB) | [`Limits::max_elements`](crate::Limits::max_elements) of the receiver | `max_message_size` |
/// | `Mirror` | 65 534 bytes | 16 777 216 bytes | `max_elements` of the receiver | a message of the transport: 16 373 bytes with Telepathy |
///
/// On an unreliable channel the whole value fits a packet (1 340 bytes).
///
/// A value above a limit stops this field alone: observers keep the last value that was sent, the remaining
/// fields of the object travel on, and the first value that fits is sent. A new observer receives the value of
/// the prefab. An event of the server names the field (`SerializeFailed`).
#[doc(alias = "NetworkVariable")]
// The compiler quotes the line of the struct in its errors about `-player.health` and `!player.open`.
#[rustfmt::skip]
pub struct SyncVar<T> { // operators take the value: `-*player.health`, `!*player.open`
    value: Hidden<T>,
    state: VarState,
}

/// Value of a variable. As a field of type `T`, it would be proposed by the compiler for `match player.state`.
#[repr(transparent)]
struct Hidden<T>(T);

impl<T> SyncVar<T> {
    /// A variable with this value; not dirty, for an object's first value travels with its spawn.
    pub const fn new(value: T) -> Self {
        Self {
            value: Hidden(value),
            state: VarState::NEW,
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
    /// for it. That is so with a [codec](crate::SyncCodec) too, which takes back writes that
    /// make no difference.
    #[inline]
    pub const fn set_dirty(&mut self) {
        self.state = self.state.with(VarState::FORCED);
    }

    #[inline]
    pub(super) const fn mark_changed(&mut self) {
        self.state = self.state.with(VarState::DIRTY);
    }

    /// Returns the place of the last send.
    #[inline]
    pub(super) const fn place(&mut self) -> &mut FieldPlace {
        &mut self.state.0
    }

    /// Forgets that the variable has changed.
    #[inline]
    pub const fn clear_dirty(&mut self) {
        self.state = self.state.unchanged();
        self.state.0.note_sent();
    }

    /// Adds the dirty bit of the variable to a mask if it is dirty.
    #[inline]
    pub const fn collect_dirty(&self, bit: u64, dirty_bits: &mut u64) {
        if self.is_dirty() {
            *dirty_bits |= bit;
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

    /// Like [`set`](Self::set), from a reference: an equal value is not copied, and a different one reuses the memory
    /// of the present value, so that a text that fits costs no allocation.
    ///
    /// ```
    /// # use syncvar::SyncVar;
    /// let own = String::from("Ann");
    /// let mut name: SyncVar<String> = "Berta".into();
    /// let memory = name.as_ptr();
    /// assert!(name.set_from(&own));
    /// assert_eq!(name.as_ptr(), memory);
    /// assert!(!name.set_from(&own));
    /// ```
    #[inline]
    pub fn set_from(&mut self, value: &T) -> bool {
        let differs = !self.value.0.same(value);
        if differs {
            self.mark_changed();
            self.value.0.clone_from(value);
        }
        differs
    }

    /// Assigns; dirty only if the value differs, and then returns the previous value.
    #[inline]
    pub fn replace(&mut self, value: T) -> Option<T> {
        if self.value.0.same(&value) {
            return None;
        }
        self.mark_changed();
        Some(std::mem::replace(&mut self.value.0, value))
    }

    /// Changes the value through a function; dirty only if it differs afterwards.
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

// The compiler quotes the line of the implementation when the type of a value has no default.
#[rustfmt::skip]
impl<T: Default> Default for SyncVar<T> { // write `#[derive(Default)]` above `T`; an enum marks a variant with `#[default]`
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
