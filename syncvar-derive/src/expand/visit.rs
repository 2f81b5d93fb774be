//! `visit`: shows the base and every field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::previous::Previous;
use super::{item, last_place_of, place_of, policy, value_item};
use crate::model::{Behaviour, Container, SyncVar, elements_travel, travels};
use crate::names;

pub(super) fn visit(behaviour: &Behaviour<'_>) -> TokenStream {
    let previous = Previous::of(behaviour);
    let previous_type = previous.ty();
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let kept = previous.of_base(&quote!(previous));
        let kept = match previous {
            Previous::Struct(_) => quote!(&mut #kept),
            Previous::Nothing | Previous::OfBase(_) => kept,
        };
        quote_spanned!(place_of(base.ty)=> visitor.base(&mut self.#member, #kept);)
    });
    let is_used = base.is_some() || behaviour.remembers();
    let previous = if is_used { quote!(previous) } else { quote!(_) };
    let is_empty = base.is_none() && behaviour.sync_vars.is_empty();
    let visitor = if is_empty { quote!(_) } else { quote!(visitor) };
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let name = names::place(behaviour.ident, &sync_var.member);
        let access = policy::throttled(sync_var, access(sync_var));
        if is_plain(sync_var) {
            quote!(visitor.field(Self::#bit, #name, #access);)
        } else {
            quote! {
                let field = #access;
                visitor.field(Self::#bit, #name, field);
            }
        }
    });
    quote! {
        fn visit(&mut self, #previous: &mut #previous_type, #visitor: &mut impl _syncvar::FieldVisitor) {
            #base
            #(#fields)*
        }
    }
}

/// Returns whether the access to a field is short enough for the line of its visit.
fn is_plain(sync_var: &SyncVar<'_>) -> bool {
    let by_name = match sync_var.ty.container {
        Container::SyncVar(value) => travels(value),
        Container::Collection => elements_travel(sync_var.ty.original),
        Container::Unknown => false,
    };
    by_name && !sync_var.is_remembered() && sync_var.policy.threshold.is_none()
}

/// Emits the access to a field. Where the macro does not know that the type has the trait, an item of
/// the trait at the type's place: a missing trait is then one error.
fn access(sync_var: &SyncVar<'_>) -> TokenStream {
    let (member, ty) = (&sync_var.member, sync_var.ty.original);
    let kept = names::previous_member(member);
    let (field, previous) = (quote!(&mut self.#member), quote!(&mut previous.#kept));
    let arguments = if sync_var.is_remembered() {
        quote!(#field, #previous)
    } else {
        field.clone()
    };
    let known = match sync_var.ty.container {
        Container::SyncVar(value) if !travels(value) || sync_var.codec.is_some() => {
            let adapter = match (sync_var.has_hook(), sync_var.codec.is_some()) {
                (false, false) => quote!(variable),
                (true, false) => quote!(hooked_variable),
                (false, true) => quote!(encoded),
                (true, true) => quote!(encoded_hook),
            };
            let form = value_item(sync_var, value, "form");
            return quote!(_syncvar::#adapter(#arguments, #form()));
        }
        Container::SyncVar(_) => true,
        Container::Collection => elements_travel(ty),
        Container::Unknown => false,
    };
    match (known, sync_var.has_hook()) {
        (true, false) => field,
        (true, true) => quote!(_syncvar::hooked(#arguments)),
        (false, has_hook) => {
            let function = if has_hook {
                item(ty, "HookField", "hooked")
            } else {
                item(ty, "SyncField", "access")
            };
            quote_spanned!(last_place_of(ty)=> #function(#arguments))
        }
    }
}
