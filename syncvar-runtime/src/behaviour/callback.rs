//! Functions of a class that its `BehaviourInfo` refers to.

use std::any::Any;

use super::{
    BufferSerializer, CallContext, Frame, LifecycleCallback, LifecycleResult, NetworkContext,
    SynchronizeError,
};
use crate::motion::Shown;
use crate::{NetworkReader, ReadResult};

/// Function that runs a remote call of a class.
pub(crate) type HandleCall =
    fn(&mut dyn Any, u32, &mut NetworkReader<'_>, &mut CallContext<'_>) -> ReadResult<()>;

/// Function that checks a value which the owner of an object has written.
pub(super) type Accepts = fn(&dyn Any, u64, &mut NetworkReader<'_>, u32) -> ReadResult<bool>;

/// Function that runs a lifecycle callback of a class.
pub(super) type OnLifecycle =
    fn(&mut dyn Any, LifecycleCallback, &mut NetworkContext<'_>) -> LifecycleResult;

/// Function that writes or reads the data of a class beside its fields.
pub(super) type OnSynchronize =
    fn(&mut dyn Any, &mut BufferSerializer<'_, '_>) -> Result<(), SynchronizeError>;

/// Function that runs the work of a class in a frame.
pub type OnFrame = fn(&mut dyn Any, &mut Frame<'_>);

/// Function that calls the hook of a field at the view time.
pub(super) type OnView = fn(&mut dyn Any, &Shown<'_>, &mut NetworkContext<'_>);

/// Callback of a class: declared by it, inherited from a base, or absent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Callback<F> {
    None,
    Inherited,
    Own(F),
}

impl<F> Callback<F> {
    pub(super) const fn exists(&self) -> bool {
        !matches!(self, Self::None)
    }
}
