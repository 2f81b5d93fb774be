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
            // Without codecs of its own there is nothing to remember if the base remembers nothing.
            let base = of_base.map(|of_base| {
                let or_nothing = (!behaviour.has_codecs()).then(|| quote!(?));
                quote!(let base = #of_base #or_nothing;)
            });
            let before = previous.before_change();
            quote!(#base _syncvar::Some(#before))
        }
    };
    Some(quote! {
        fn before_change(&self) -> _syncvar::Option<#previous_type> {
            #body
        }
    })
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
