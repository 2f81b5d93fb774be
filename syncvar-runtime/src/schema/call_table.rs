//! `CallTable`: the remote calls of a class and its bases.

use std::any::TypeId;
use std::fmt;

use super::calls::CallSchema;

/// Calls of a behaviour, numbered in order, with the calls of its bases first.
#[derive(Clone, Copy)]
pub struct CallTable {
    class: TypeId,
    class_name: &'static str,
    base: Option<&'static Self>,
    own: &'static [CallSchema],
}

impl CallTable {
    /// Table without calls.
    pub(crate) const NONE: Self = Self {
        class: TypeId::of::<()>(),
        class_name: "",
        base: None,
        own: &[],
    };

    /// Creates the table of a class without a base.
    pub(crate) const fn new(
        class: TypeId,
        class_name: &'static str,
        own: &'static [CallSchema],
    ) -> Self {
        Self {
            class,
            class_name,
            base: None,
            own,
        }
    }

    /// Puts these calls behind the calls of a base.
    ///
    /// # Panics
    ///
    /// When a call of the base has the same UNet hash as a call of this class. The derive calls it in a
    /// constant, where the panic is a compile error.
    #[must_use]
    #[track_caller]
    pub(crate) const fn after(mut self, base: &'static Self) -> Self {
        let mut index = 0;
        while index < self.own.len() {
            assert!(
                !base.has_hash(self.own[index].hash),
                "a call has the same hash for UNet as one of the base: give one of them another name"
            );
            index += 1;
        }
        self.base = Some(base);
        self
    }

    const fn has_hash(&self, hash: u32) -> bool {
        let mut index = 0;
        while index < self.own.len() {
            if self.own[index].hash == hash {
                return true;
            }
            index += 1;
        }
        match self.base {
            Some(base) => base.has_hash(hash),
            None => false,
        }
    }

    /// Returns the calls of the class without its bases.
    pub const fn own(&self) -> &'static [CallSchema] {
        self.own
    }

    /// Returns the table of the base.
    pub(crate) const fn base(&self) -> Option<&'static Self> {
        self.base
    }

    /// Returns the number of calls, with the bases.
    #[expect(clippy::cast_possible_truncation, reason = "nobody writes so many")]
    pub const fn count(&self) -> u32 {
        self.inherited() + self.own.len() as u32
    }

    /// Returns the number of calls of the bases.
    pub const fn inherited(&self) -> u32 {
        match self.base {
            Some(base) => base.count(),
            None => 0,
        }
    }

    /// Returns the class that declares a call, its number there, and its declaration.
    pub(crate) fn get(&self, number: u32) -> Option<(TypeId, u32, &'static CallSchema)> {
        match number.checked_sub(self.inherited()) {
            Some(own) => {
                let schema = self.own.get(usize::try_from(own).ok()?)?;
                Some((self.class, own, schema))
            }
            None => self.base?.get(number),
        }
    }

    /// Returns the name of the class that declares a call.
    pub fn class_of(&self, number: u32) -> Option<&'static str> {
        match number.checked_sub(self.inherited()) {
            Some(own) => (own < u32::try_from(self.own.len()).ok()?).then_some(self.class_name),
            None => self.base?.class_of(number),
        }
    }

    /// Returns the number of a class's first call, if the behaviour has this class or base.
    pub(crate) fn first_of(&self, class: TypeId) -> Option<u32> {
        if self.class == class {
            return Some(self.inherited());
        }
        self.base?.first_of(class)
    }

    /// Returns all calls, first the calls of the bases.
    pub fn all(&self) -> impl Iterator<Item = &'static CallSchema> {
        (0..self.count()).filter_map(|number| self.get(number).map(|(_, _, schema)| schema))
    }
}

impl fmt::Debug for CallTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.class_name)?;
        let names = self.all().map(|call| call.name);
        f.debug_list().entries(names).finish()
    }
}
