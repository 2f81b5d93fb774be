//! Calls and callbacks of a behaviour, from its class or from a base.

use super::callback::Callback;
use super::info::Presence;
use super::{FieldVisitor, NetworkBehaviour};
use crate::motion::Shown;
use crate::{
    BufferSerializer, CallContext, LifecycleCallback, LifecycleResult, NetworkContext,
    NetworkReader, ReadResult, SyncField, SynchronizeError,
};

/// Reads the arguments of a remote call and runs it.
///
/// # Errors
///
/// When the class lacks the call, or the arguments cannot be read. The call does not run then.
pub(crate) fn handle_call<B: NetworkBehaviour>(
    behaviour: &mut B,
    call: u32,
    reader: &mut NetworkReader<'_>,
    context: &mut CallContext<'_>,
) -> ReadResult<()> {
    let info = const { &B::INFO };
    if let Some(own) = call.checked_sub(info.calls.inherited()) {
        return (info.handle_call)(behaviour, own, reader, context);
    }
    if const { matches!(B::INFO.presence, Presence::Optional) } && !has_base(behaviour) {
        tracing::debug!(
            behaviour = B::SCHEMA.name,
            call,
            "a call to an absent behaviour"
        );
        return Ok(());
    }
    let unknown = reader.unknown_call(call);
    let handled = with_base(
        behaviour,
        CallBase {
            call,
            reader,
            context,
        },
    );
    handled.unwrap_or(Err(unknown))
}

/// Returns whether the class has a base, and the base is present.
fn has_base<B: NetworkBehaviour>(behaviour: &mut B) -> bool {
    struct Exists;

    impl WithBase for Exists {
        type Output = ();

        fn run<B: NetworkBehaviour>(self, _: &mut B) {}
    }

    with_base(behaviour, Exists).is_some()
}

/// Returns whether the class that declares a field accepts its present value.
///
/// # Errors
///
/// When the bytes of the previous value do not fit.
pub(crate) fn accepts<B: NetworkBehaviour>(
    behaviour: &mut B,
    field: u64,
    former: &mut NetworkReader<'_>,
    elapsed_ticks: u32,
) -> ReadResult<bool> {
    if field & const { B::SCHEMA.own_bits() } != 0 {
        return const { B::INFO.accepts }
            .map_or(Ok(true), |own| own(behaviour, field, former, elapsed_ticks));
    }
    let base = AcceptsOfBase {
        field,
        former,
        elapsed_ticks,
    };
    with_base(behaviour, base).unwrap_or(Ok(true))
}

/// Calls the hook of a field at the view time.
pub(crate) fn show<B: NetworkBehaviour>(
    behaviour: &mut B,
    shown: &Shown<'_>,
    ctx: &mut NetworkContext<'_>,
) {
    if shown.field() & const { B::SCHEMA.own_bits() } == 0 {
        with_base(behaviour, ShowBase { shown, ctx });
    } else if let Some(own) = const { B::INFO.on_view } {
        own(behaviour, shown, ctx);
    }
}

/// Runs a lifecycle callback.
///
/// # Errors
///
/// When the callback fails.
pub(crate) fn on_lifecycle<B: NetworkBehaviour>(
    behaviour: &mut B,
    callback: LifecycleCallback,
    ctx: &mut NetworkContext<'_>,
) -> LifecycleResult {
    match const { B::INFO.on_lifecycle } {
        Callback::None => Ok(()),
        Callback::Own(own) => own(behaviour, callback, ctx),
        Callback::Inherited => {
            with_base(behaviour, LifecycleOfBase { callback, ctx }).unwrap_or(Ok(()))
        }
    }
}

/// Writes or reads the data beside the fields.
///
/// # Errors
///
/// When [`Synchronize`](crate::Synchronize) fails.
pub(crate) fn synchronize<B: NetworkBehaviour>(
    behaviour: &mut B,
    serializer: &mut BufferSerializer<'_, '_>,
) -> Result<(), SynchronizeError> {
    match const { B::INFO.on_synchronize } {
        Callback::None => Ok(()),
        Callback::Own(own) => own(behaviour, serializer),
        Callback::Inherited => {
            with_base(behaviour, SynchronizeBase { serializer }).unwrap_or(Ok(()))
        }
    }
}

/// An action on the base of a class.
trait WithBase {
    type Output;

    fn run<B: NetworkBehaviour>(self, base: &mut B) -> Self::Output;
}

/// Runs an action on the base; `None` if the class lacks a base.
fn with_base<B: NetworkBehaviour, W: WithBase>(behaviour: &mut B, action: W) -> Option<W::Output> {
    let mut visitor = BaseVisitor::Action(action);
    behaviour.visit(&mut B::Previous::default(), &mut visitor);
    match visitor {
        BaseVisitor::Done(output) => Some(output),
        BaseVisitor::Action(_) | BaseVisitor::Running => None,
    }
}

enum BaseVisitor<W: WithBase> {
    Action(W),
    Running,
    Done(W::Output),
}

impl<W: WithBase> FieldVisitor for BaseVisitor<W> {
    fn field<A: SyncField>(&mut self, _: u64, _: &'static str, _: A) {}

    fn base<B: NetworkBehaviour>(&mut self, base: &mut B, _: &mut B::Previous) {
        if let Self::Action(action) = std::mem::replace(self, Self::Running) {
            *self = Self::Done(action.run(base));
        }
    }
}

struct CallBase<'a, 'b, 'c, 'd> {
    call: u32,
    reader: &'a mut NetworkReader<'b>,
    context: &'c mut CallContext<'d>,
}

impl WithBase for CallBase<'_, '_, '_, '_> {
    type Output = ReadResult<()>;

    fn run<B: NetworkBehaviour>(self, base: &mut B) -> Self::Output {
        handle_call(base, self.call, self.reader, self.context)
    }
}

struct AcceptsOfBase<'a, 'b> {
    field: u64,
    former: &'a mut NetworkReader<'b>,
    elapsed_ticks: u32,
}

impl WithBase for AcceptsOfBase<'_, '_> {
    type Output = ReadResult<bool>;

    fn run<B: NetworkBehaviour>(self, base: &mut B) -> Self::Output {
        accepts(base, self.field, self.former, self.elapsed_ticks)
    }
}

struct ShowBase<'a, 'b, 'c> {
    shown: &'a Shown<'b>,
    ctx: &'a mut NetworkContext<'c>,
}

impl WithBase for ShowBase<'_, '_, '_> {
    type Output = ();

    fn run<B: NetworkBehaviour>(self, base: &mut B) {
        show(base, self.shown, self.ctx);
    }
}

struct LifecycleOfBase<'a, 'b> {
    callback: LifecycleCallback,
    ctx: &'a mut NetworkContext<'b>,
}

impl WithBase for LifecycleOfBase<'_, '_> {
    type Output = LifecycleResult;

    fn run<B: NetworkBehaviour>(self, base: &mut B) -> Self::Output {
        on_lifecycle(base, self.callback, self.ctx)
    }
}

struct SynchronizeBase<'a, 'b, 'c> {
    serializer: &'a mut BufferSerializer<'b, 'c>,
}

impl WithBase for SynchronizeBase<'_, '_, '_> {
    type Output = Result<(), SynchronizeError>;

    fn run<B: NetworkBehaviour>(self, base: &mut B) -> Self::Output {
        synchronize(base, self.serializer)
    }
}
