//! Forms of a hook: with and without a context, on `&mut self` or `&self`.

use std::marker::PhantomData;

use super::NetworkContext;

/// A function with the arguments of a value's hook, for a behaviour `B` and a value `P`.
///
/// `Form` keeps the four implementations apart.
#[diagnostic::on_unimplemented(
    message = "this hook has other arguments than the previous value",
    label = "write `(&mut self, previous: {P})`",
    note = "with a context: `(&mut self, previous: {P}, ctx: &mut NetworkContext<'_>)`",
    note = "the field itself holds the new value; a hook is no `async fn`"
)]
pub trait HookFunction<B, P, R, Form>: Sized {
    /// Whether the hook takes a context.
    const CONTEXT: bool;

    /// Calls the hook.
    fn call(self, behaviour: &mut B, previous: P, ctx: &mut NetworkContext<'_>) -> R;
}

/// A function with the arguments of a collection's hook, for a behaviour `B` and a change or slice of
/// changes `C`.
#[diagnostic::on_unimplemented(
    message = "this hook of a collection has other arguments than the change",
    label = "write `(&mut self, change: &{C})`",
    note = "with a context: `(&mut self, change: &{C}, ctx: &mut NetworkContext<'_>)`",
    note = "`hook` receives each change, `batch_hook` a slice of all changes"
)]
pub trait ChangeHookFunction<B, C: ?Sized, R, Form>: Sized {
    /// Whether the hook takes a context.
    const CONTEXT: bool;

    /// Calls the hook.
    fn call(self, behaviour: &mut B, change: &C, ctx: &mut NetworkContext<'_>) -> R;
}

/// A function with the arguments of a hook at the view time, for a behaviour `B` and a value `P`.
#[diagnostic::on_unimplemented(
    message = "this hook at the view time has other arguments than the value",
    label = "write `(&mut self, value: {P})`",
    note = "with a context: `(&mut self, value: {P}, ctx: &mut NetworkContext<'_>)`",
    note = "`value` is the one that the view shows now; there is no previous value, and no `async fn`"
)]
pub trait ViewHookFunction<B, P, R, Form>: HookFunction<B, P, R, Form> {}

#[diagnostic::do_not_recommend]
impl<B, P, R, Form, F: HookFunction<B, P, R, Form>> ViewHookFunction<B, P, R, Form> for F {}

/// Form of a hook on `&mut self` without a context.
#[derive(Debug)]
pub struct Plain;

/// Form of a hook on `&mut self` with a context.
#[derive(Debug)]
pub struct WithContext;

/// Form of a hook on `&self` without a context.
#[derive(Debug)]
pub struct Shared;

/// Form of a hook on `&self` with a context.
#[derive(Debug)]
pub struct SharedWithContext;

impl<B, P, R, F: FnOnce(&mut B, P) -> R> HookFunction<B, P, R, Plain> for F {
    const CONTEXT: bool = false;

    #[inline]
    fn call(self, behaviour: &mut B, previous: P, _: &mut NetworkContext<'_>) -> R {
        self(behaviour, previous)
    }
}

impl<B, P, R, F> HookFunction<B, P, R, WithContext> for F
where
    F: FnOnce(&mut B, P, &mut NetworkContext<'_>) -> R,
{
    const CONTEXT: bool = true;

    #[inline]
    fn call(self, behaviour: &mut B, previous: P, ctx: &mut NetworkContext<'_>) -> R {
        self(behaviour, previous, ctx)
    }
}

impl<B, P, R, F: FnOnce(&B, P) -> R> HookFunction<B, P, R, Shared> for F {
    const CONTEXT: bool = false;

    #[inline]
    fn call(self, behaviour: &mut B, previous: P, _: &mut NetworkContext<'_>) -> R {
        self(behaviour, previous)
    }
}

impl<B, P, R, F> HookFunction<B, P, R, SharedWithContext> for F
where
    F: FnOnce(&B, P, &mut NetworkContext<'_>) -> R,
{
    const CONTEXT: bool = true;

    #[inline]
    fn call(self, behaviour: &mut B, previous: P, ctx: &mut NetworkContext<'_>) -> R {
        self(behaviour, previous, ctx)
    }
}

impl<B, C: ?Sized, R, F> ChangeHookFunction<B, C, R, Plain> for F
where
    F: FnOnce(&mut B, &C) -> R,
{
    const CONTEXT: bool = false;

    #[inline]
    fn call(self, behaviour: &mut B, change: &C, _: &mut NetworkContext<'_>) -> R {
        self(behaviour, change)
    }
}

impl<B, C: ?Sized, R, F> ChangeHookFunction<B, C, R, WithContext> for F
where
    F: FnOnce(&mut B, &C, &mut NetworkContext<'_>) -> R,
{
    const CONTEXT: bool = true;

    #[inline]
    fn call(self, behaviour: &mut B, change: &C, ctx: &mut NetworkContext<'_>) -> R {
        self(behaviour, change, ctx)
    }
}

impl<B, C: ?Sized, R, F: FnOnce(&B, &C) -> R> ChangeHookFunction<B, C, R, Shared> for F {
    const CONTEXT: bool = false;

    #[inline]
    fn call(self, behaviour: &mut B, change: &C, _: &mut NetworkContext<'_>) -> R {
        self(behaviour, change)
    }
}

impl<B, C: ?Sized, R, F> ChangeHookFunction<B, C, R, SharedWithContext> for F
where
    F: FnOnce(&B, &C, &mut NetworkContext<'_>) -> R,
{
    const CONTEXT: bool = true;

    #[inline]
    fn call(self, behaviour: &mut B, change: &C, ctx: &mut NetworkContext<'_>) -> R {
        self(behaviour, change, ctx)
    }
}

/// A value's hook of either form. The derive emits `Hook::of(Self::on_health)`.
#[derive(Debug)]
pub struct Hook<B, P>(PhantomData<fn(B, P)>);

impl<B, P> Hook<B, P> {
    /// Accepts a hook.
    pub const fn of<F, R, Form>(function: F) -> AnyHook<B, P, F, R>
    where
        F: HookFunction<B, P, R, Form>,
    {
        AnyHook {
            function,
            call: F::call,
            context: F::CONTEXT,
        }
    }
}

/// A hook at the view time, of either form. The derive emits `ViewHook::of(Self::on_jump_shown)`.
#[derive(Debug)]
pub struct ViewHook<B, P>(PhantomData<fn(B, P)>);

impl<B, P> ViewHook<B, P> {
    /// Accepts a hook.
    pub const fn of<F, R, Form>(function: F) -> AnyHook<B, P, F, R>
    where
        F: ViewHookFunction<B, P, R, Form>,
    {
        Hook::of(function)
    }
}

/// An accepted hook. Without a bound, so that a wrong hook is one error.
#[derive(Debug)]
pub struct AnyHook<B, P, F, R> {
    function: F,
    call: fn(F, &mut B, P, &mut NetworkContext<'_>) -> R,
    context: bool,
}

impl<B, P, F, R> AnyHook<B, P, F, R> {
    /// Returns whether the hook takes a context.
    pub const fn has_context(&self) -> bool {
        self.context
    }

    /// Calls the hook.
    #[inline]
    pub fn call(self, behaviour: &mut B, previous: P, ctx: &mut NetworkContext<'_>) -> R {
        (self.call)(self.function, behaviour, previous, ctx)
    }
}

/// A collection's hook of either form. The derive emits `ChangeHook::of(Self::on_item)`.
#[derive(Debug)]
pub struct ChangeHook<B, C: ?Sized>(PhantomData<fn(B, Box<C>)>);

impl<B, C: ?Sized> ChangeHook<B, C> {
    /// Accepts a hook.
    pub const fn of<F, R, Form>(function: F) -> AnyChangeHook<B, C, F, R>
    where
        F: ChangeHookFunction<B, C, R, Form>,
    {
        AnyChangeHook {
            function,
            call: F::call,
            context: F::CONTEXT,
        }
    }
}

/// An accepted hook of a collection.
#[derive(Debug)]
pub struct AnyChangeHook<B, C: ?Sized, F, R> {
    function: F,
    call: fn(F, &mut B, &C, &mut NetworkContext<'_>) -> R,
    context: bool,
}

impl<B, C: ?Sized, F, R> AnyChangeHook<B, C, F, R> {
    /// Returns whether the hook takes a context.
    pub const fn has_context(&self) -> bool {
        self.context
    }

    /// Calls the hook.
    #[inline]
    pub fn call(self, behaviour: &mut B, change: &C, ctx: &mut NetworkContext<'_>) -> R {
        (self.call)(self.function, behaviour, change, ctx)
    }
}
