//! `CheckWrites`: the checks of fields that the owner writes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{behaviour_bounds, value_item};
use crate::model::{Behaviour, Container, SyncVar};

/// Emits `.checks::<Self>()` of `INFO`.
pub(super) fn info(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    behaviour.has_checks().then(|| quote!(.checks::<Self>()))
}

/// Emits the implementation for a class with a check.
pub(super) fn implementation(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if !behaviour.has_checks() {
        return None;
    }
    let ident = behaviour.ident;
    let where_clause = behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let allowed = behaviour.lints.for_impl();
    let checks = behaviour.sync_vars.iter().filter_map(check);
    Some(quote! {
        #[automatically_derived]
        #allowed
        impl #impl_generics _syncvar::CheckWrites for #ident #ty_generics #where_clause {
            fn accepts(
                &self,
                field: u64,
                former: &mut _syncvar::NetworkReader<'_>,
                elapsed_ticks: u32,
            ) -> _syncvar::ReadResult<bool> {
                #(#checks)*
                _syncvar::Ok(true)
            }
        }
    })
}

/// Emits the check of a field.
fn check(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let function = sync_var.policy.check.as_ref()?;
    let Container::SyncVar(value) = sync_var.ty.container else {
        return None;
    };
    let (bit, member) = (&sync_var.constant, &sync_var.member);
    let read = value_item(sync_var, value, "read");
    // At the function's name, where an error about its arguments belongs.
    let place = function.span();
    let function = match function.get_ident() {
        Some(method) => quote_spanned!(place=> Self::#method),
        None => quote!(#function),
    };
    let check = quote_spanned!(place=> _syncvar::Check::<Self, #value>::of(#function));
    Some(quote! {
        if field == Self::#bit.bit() {
            let former = #read(former)?;
            return _syncvar::Ok(#check.call(self, &former, self.#member.get(), elapsed_ticks));
        }
    })
}
