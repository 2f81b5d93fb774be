//! `visit`: passes the base and every field to a visitor.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;

use super::previous::Previous;
use super::{first_place_of, item, last_place_of, motion, policy, value_item};
use crate::model::{Behaviour, Container, SyncVar, elements_travel, travels};
use crate::names;

pub(super) fn visit(behaviour: &Behaviour<'_>) -> TokenStream {
    let previous = Previous::of(behaviour);
    let previous_type = previous.argument();
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let visit = item(base.ty, "NetworkBehaviour", "visit_as_base");
        let kept = previous.of_base(&quote!(previous));
        let arguments = match previous {
            Previous::Struct(_) => quote!(&mut self.#member, &mut #kept, visitor),
            Previous::Nothing | Previous::OfBase(_) => quote!(&mut self.#member, #kept, visitor),
        };
        quote_spanned!(last_place_of(base.ty)=> #visit(#arguments);)
    });
    let is_used = base.is_some() || behaviour.remembers();
    let previous = if is_used { quote!(previous) } else { quote!(_) };
    let is_empty = base.is_none() && behaviour.sync_vars.is_empty();
    let visitor = if is_empty { quote!(_) } else { quote!(visitor) };
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = &sync_var.constant;
        let name = names::place(behaviour.ident, &sync_var.member);
        let access = motion::interpolated(sync_var, access(sync_var));
        let access = policy::throttled(sync_var, access);
        if is_plain(sync_var) {
            quote!(visitor.field(Self::#bit.bit(), #name, #access);)
        } else if is_known(sync_var) {
            quote! {
                let field = #access;
                visitor.field(Self::#bit.bit(), #name, field);
            }
        } else {
            // From the first to the last token of the type: the compiler prints a missing trait once.
            let ty = place_type(sync_var);
            let root = quote_spanned!(first_place_of(ty)=> _syncvar);
            let arguments = quote!(visitor, Self::#bit.bit(), #name, #access);
            quote_spanned!(last_place_of(ty)=> #root::FieldVisitor::field(#arguments);)
        }
    });
    quote! {
        fn visit(&mut self, #previous: &mut #previous_type, #visitor: &mut impl _syncvar::FieldVisitor) {
            #base
            #(#fields)*
        }
    }
}

/// Returns the type with the place of errors about a field: the codec, the value or the field's type.
fn place_type<'a>(sync_var: &'a SyncVar<'a>) -> &'a Type {
    match (&sync_var.codec, sync_var.ty.container) {
        (Some(codec), _) => codec,
        (None, Container::SyncVar(value)) => value,
        (None, Container::Collection | Container::Unknown) => sync_var.ty.original,
    }
}

/// Returns whether the access to a field is short enough for the line of its visit.
fn is_plain(sync_var: &SyncVar<'_>) -> bool {
    is_known(sync_var)
        && !sync_var.is_remembered()
        && sync_var.policy.threshold.is_none()
        && sync_var.interpolation.is_none()
}

/// Returns whether the macro knows that the type has the trait.
fn is_known(sync_var: &SyncVar<'_>) -> bool {
    match sync_var.ty.container {
        Container::SyncVar(value) => travels(value) && sync_var.codec.is_none(),
        Container::Collection => elements_travel(sync_var.ty.original),
        Container::Unknown => false,
    }
}

/// Emits the access to a field. If the macro does not know that the type has the trait, an item of
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
    if let Container::SyncVar(value) = sync_var.ty.container
        && !is_known(sync_var)
    {
        let adapter = match (sync_var.keeps_previous(), sync_var.codec.is_some()) {
            (false, false) => "variable",
            (true, false) => "hooked_variable",
            (false, true) => "encoded",
            (true, true) => "encoded_hook",
        };
        let ty = place_type(sync_var);
        let (first, last) = (first_place_of(ty), last_place_of(ty));
        let adapter = Ident::new(adapter, last);
        let root = quote_spanned!(first=> _syncvar);
        let form = value_item(sync_var, value, "form");
        return quote_spanned!(last=> #root::#adapter(#arguments, #form()));
    }
    match (is_known(sync_var), sync_var.keeps_previous()) {
        (true, false) => field,
        (true, true) => quote!(_syncvar::hooked(#arguments)),
        (false, keeps_previous) => {
            let function = if keeps_previous {
                item(ty, "HookField", "hooked")
            } else {
                item(ty, "SyncField", "access")
            };
            quote_spanned!(last_place_of(ty)=> #function(#arguments))
        }
    }
}
