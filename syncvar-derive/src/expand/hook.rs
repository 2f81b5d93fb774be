//! Hooks of either form, with or without a context.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::previous::{change_of, previous_value};
use super::{last_place_of, place_of};
use crate::model::{Behaviour, Container, SyncVar};
use crate::names;

/// A hook of a field, and the type of its argument.
struct AcceptedHook<'a> {
    function: &'a Ident,
    /// Type of the derive's runtime that accepts the hook.
    kind: &'static str,
    argument: TokenStream,
    /// Place of errors about the type of the argument.
    place: Span,
}

impl<'a> AcceptedHook<'a> {
    /// Returns the hook of a value.
    fn of_value(sync_var: &'a SyncVar<'a>) -> Option<Self> {
        let function = sync_var.hook.as_ref()?;
        Some(Self {
            function,
            kind: "Hook",
            argument: previous_value(sync_var),
            // A missing `HookField` is an error at the type, which the compiler prints once.
            place: match sync_var.ty.container {
                Container::SyncVar(_) | Container::Collection => function.span(),
                Container::Unknown => last_place_of(sync_var.ty.original),
            },
        })
    }

    /// Returns the hook of every change.
    fn of_change(sync_var: &'a SyncVar<'a>) -> Option<Self> {
        let function = sync_var.hook.as_ref()?;
        Some(Self {
            function,
            kind: "ChangeHook",
            argument: change_of(sync_var)?,
            place: function.span(),
        })
    }

    /// Returns the hook of a batch of changes.
    fn of_batch(sync_var: &'a SyncVar<'a>) -> Option<Self> {
        let (function, change) = (sync_var.batch_hook.as_ref()?, change_of(sync_var)?);
        Some(Self {
            function,
            kind: "ChangeHook",
            argument: quote!([#change]),
            place: function.span(),
        })
    }

    /// Emits `_syncvar::Hook::<Self, i32>::of(Self::on_health)` at the hook's name, where an error about
    /// its arguments belongs.
    fn emit(&self) -> TokenStream {
        let Self {
            function, argument, ..
        } = self;
        let kind = Ident::new(self.kind, self.place);
        // With the names of the program, not of the macro: then the compiler proposes methods with a similar name.
        let function = quote_spanned!(function.span()=> Self::#function);
        quote_spanned!(self.place=> _syncvar::#kind::<Self, #argument>::of(#function))
    }

    fn context(&self) -> TokenStream {
        let hook = self.emit();
        quote!(.context_hooks(#hook.has_context()))
    }

    fn call(&self, argument: &TokenStream) -> TokenStream {
        let hook = self.emit();
        quote!(#hook.call(self, #argument, ctx);)
    }
}

/// Emits the part of `INFO` about the context of the hooks. A wrong hook is the same error there and in
/// `call_hooks`, which the compiler prints once.
pub(super) fn context(behaviour: &Behaviour<'_>) -> TokenStream {
    let hooks = behaviour.sync_vars.iter().flat_map(|sync_var| {
        if sync_var.ty.is_collection() {
            [
                AcceptedHook::of_change(sync_var),
                AcceptedHook::of_batch(sync_var),
            ]
        } else {
            [AcceptedHook::of_value(sync_var), None]
        }
    });
    hooks.flatten().map(|hook| hook.context()).collect()
}

/// Emits `_syncvar::ViewHook::<Self, u32>::of(Self::on_jump_shown)`, at the name of the hook at the view time.
pub(super) fn of_view(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let interpolation = sync_var.interpolation.as_ref()?;
    let (function, value) = (interpolation.on_view.as_ref()?, interpolation.value);
    let hook = AcceptedHook {
        function,
        kind: "ViewHook",
        argument: quote!(#value),
        place: function.span(),
    };
    Some(hook.emit())
}

/// Emits the calls of a field's hooks.
pub(super) fn calls(sync_var: &SyncVar<'_>) -> TokenStream {
    let kept = names::previous_member(&sync_var.member);
    // A variable of the macro: lints about the name belong to the field.
    let mut member = kept.clone();
    member.set_span(place_of(&kept));
    let calls = if !sync_var.ty.is_collection() {
        AcceptedHook::of_value(sync_var).map(|hook| hook.call(&quote!(#member)))
    } else if change_of(sync_var).is_some() {
        Some(calls_of_collection(sync_var, &member))
    } else {
        // The number of the arguments is an error already.
        let hooks = sync_var.hook.iter().chain(&sync_var.batch_hook);
        Some(quote!(#(self.#hooks(&#member);)*))
    };
    quote! {
        if let _syncvar::Some(#member) = previous.#kept {
            #calls
        }
    }
}

/// Emits the calls of a collection's hooks: one for each change, in order, and then the batch hook.
fn calls_of_collection(sync_var: &SyncVar<'_>, changes: &Ident) -> TokenStream {
    let each = AcceptedHook::of_change(sync_var).map(|hook| {
        let call = hook.call(&quote!(change));
        quote! {
            for change in &#changes {
                #call
            }
        }
    });
    let batch = AcceptedHook::of_batch(sync_var).map(|hook| hook.call(&quote!(&#changes[..])));
    quote!(#each #batch)
}
