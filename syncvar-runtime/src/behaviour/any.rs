//! `AnyBehaviour`: a behaviour of any type, and the behaviour within an [`Optional`](super::Optional).

use std::any::{Any, TypeId};

use super::NetworkBehaviour;
use crate::field::FieldPlace;

/// A behaviour that `Any` downcasts to its type.
pub trait AnyBehaviour: Any + Send + Sync {
    /// Returns the access to the behaviour within an [`Optional`](super::Optional).
    fn inner(&self) -> Option<&'static InnerBehaviour> {
        None
    }

    /// Returns `false` for an optional behaviour that is absent.
    fn is_present(&self) -> bool;
}

impl<B: NetworkBehaviour> AnyBehaviour for B {
    #[inline]
    fn inner(&self) -> Option<&'static InnerBehaviour> {
        B::INFO.inner
    }

    fn is_present(&self) -> bool {
        B::INFO
            .inner
            .is_none_or(|inner| (inner.get)(self).is_some())
    }
}

/// Access to the behaviour within an [`Optional`](super::Optional).
#[derive(Clone, Copy, Debug)]
pub struct InnerBehaviour {
    /// Type of the inner behaviour.
    pub id: TypeId,
    /// Returns the inner behaviour; `None` while it is absent.
    pub(super) get: fn(&dyn Any) -> Option<&dyn Any>,
    /// Returns the inner behaviour, and the place and bit of the field `present`.
    pub(super) get_mut: fn(&mut dyn Any) -> Option<InnerMut<'_>>,
    /// Adds an absent inner behaviour by its default.
    pub(super) add: fn(&mut dyn Any),
}

/// The behaviour within an [`Optional`](super::Optional), for writing.
pub(super) struct InnerMut<'a> {
    pub(super) behaviour: &'a mut dyn Any,
    pub(super) presence: PresencePlace<'a>,
}

/// Place of the field `present`, and its bit.
pub(crate) struct PresencePlace<'a> {
    pub(crate) place: &'a mut FieldPlace,
    pub(crate) bit: u64,
}

impl dyn AnyBehaviour {
    /// Returns the behaviour if it has a type, or the present behaviour of an
    /// [`Optional`](super::Optional) of this type.
    pub fn of_type(&self, id: TypeId) -> Option<&dyn Any> {
        let own: &dyn Any = self;
        if own.type_id() == id {
            return Some(own);
        }
        let inner = self.inner().filter(|inner| inner.id == id)?;
        (inner.get)(self)
    }

    /// Like `of_type`, for writing.
    pub fn of_type_mut(&mut self, id: TypeId) -> Option<&mut dyn Any> {
        if Any::type_id(self) == id {
            return Some(self);
        }
        let inner = self.inner().filter(|inner| inner.id == id)?;
        Some((inner.get_mut)(self)?.behaviour)
    }

    /// Returns the behaviour as one of a type; looks through [`Optional`](super::Optional).
    #[inline]
    pub fn get<B: NetworkBehaviour>(&self) -> Option<&B> {
        let own: &dyn Any = self;
        match own.downcast_ref() {
            Some(behaviour) => Some(behaviour),
            None => self.of_type(TypeId::of::<B>())?.downcast_ref(),
        }
    }

    /// Like `get`, for writing.
    #[inline]
    pub fn get_mut<B: NetworkBehaviour>(&mut self) -> Option<&mut B> {
        self.of_type_mut(TypeId::of::<B>())?.downcast_mut()
    }

    /// Returns the behaviour as one of a type for writing, and the place of the field `present` around it.
    pub(crate) fn get_mut_with_presence<B: NetworkBehaviour>(
        &mut self,
    ) -> Option<(&mut B, Option<PresencePlace<'_>>)> {
        if (self as &dyn Any).is::<B>() {
            let own: &mut dyn Any = self;
            return Some((own.downcast_mut()?, None));
        }
        let inner = self.inner().filter(|inner| inner.id == TypeId::of::<B>())?;
        let InnerMut {
            behaviour,
            presence,
        } = (inner.get_mut)(self)?;
        Some((behaviour.downcast_mut()?, Some(presence)))
    }

    /// Adds the absent behaviour of an [`Optional`](super::Optional) of a type, by its default.
    pub fn add_absent(&mut self, id: TypeId) {
        if let Some(inner) = self.inner().filter(|inner| inner.id == id)
            && (inner.get)(self).is_none()
        {
            (inner.add)(self);
        }
    }
}
