//! `before_change` and `withdraw_changes`, for fields that have a codec.

use proc_macro2::TokenStream;
use quote::quote;

use super::previous::Previous;
use super::{item, value_item};
use crate::model::{Behaviour, Container};
use crate::names;

pub(super) fn before_change(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.base.is_none() && !behaviour.has_codecs() {
        return None;
    }
    let previous = Previous::of(behaviour);
    let previous_type = previous.ty();
    let of_base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let before_change = item(base.ty, "NetworkBehaviour", "before_change");
        quote!(#before_change(&self.#member))
    });
    let body = match (of_base, &previous) {
        (Some(of_base), Previous::OfBase(_)) => of_base,
        (of_base, _) => {
            let base = of_base.map(|of_base| let_base(&of_base, &previous, behaviour.has_codecs()));
            let before = previous.remembered(|sync_var| {
                let member = &sync_var.member;
                match sync_var.codec {
                    Some(_) => quote!(self.#member.sent_value()),
                    None => quote!(_syncvar::None),
                }
            });
            quote!(#base _syncvar::Some(#before))
        }
    };
    Some(quote! {
        fn before_change(&self) -> _syncvar::Option<#previous_type> {
            #body
        }
    })
}

/// Puts what the base remembers into the variable `base`. A class that has nothing to remember itself
/// remembers nothing if the base does not.
pub(super) fn let_base(
    of_base: &TokenStream,
    previous: &Previous<'_>,
    has_own: bool,
) -> TokenStream {
    match previous.member_of_base() {
        Some((_, true)) if has_own => quote!(let base = #of_base;),
        Some((_, true)) => quote!(let base = _syncvar::Some(#of_base?);),
        _ => quote!(let base = #of_base?;),
    }
}

pub(super) fn withdraw_changes(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.base.is_none() && !behaviour.has_codecs() {
        return None;
    }
    let previous = Previous::of(behaviour);
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let withdraw_changes = item(base.ty, "NetworkBehaviour", "withdraw_changes");
        previous.for_base(
            &quote!(before),
            |of_base| quote!(#withdraw_changes(&mut self.#member, #of_base);),
        )
    });
    let fields = behaviour.sync_vars.iter().filter_map(|sync_var| {
        sync_var.codec.as_ref()?;
        let Container::SyncVar(value) = sync_var.ty.container else {
            return None;
        };
        let (member, kept) = (&sync_var.member, names::previous_member(&sync_var.member));
        let same = value_item(sync_var, value, "same");
        Some(quote! {
            if let _syncvar::Some(#kept) = before.#kept {
                if #same(&self.#member, &#kept) {
                    self.#member.withdraw_change();
                }
            }
        })
    });
    let previous_type = previous.ty();
    Some(quote! {
        fn withdraw_changes(&mut self, before: #previous_type) {
            #base
            #(#fields)*
        }
    })
}
