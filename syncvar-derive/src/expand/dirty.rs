//! The bit constants, and `sync_var_dirty_bits`.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::{Method, call, item, place_of};
use crate::model::Behaviour;
use crate::names;

/// Emits `const HEALTH_BIT: u64 = 1 << 0;` for every field.
pub(super) fn bits(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.sync_vars.is_empty() {
        return None;
    }
    let ident = behaviour.ident;
    let bits = behaviour
        .sync_vars
        .iter()
        .enumerate()
        .map(|(index, sync_var)| {
            let bit = names::bit(&sync_var.member);
            let index = names::number(index);
            match &behaviour.base {
                None => quote!(const #bit: u64 = 1 << #index;),
                Some(base) => {
                    let ty = base.ty;
                    let schema = item(ty, "NetworkBehaviour", "SCHEMA");
                    let bit_after = quote_spanned!(place_of(ty)=> bit_after(#index));
                    quote!(const #bit: u64 = #schema.#bit_after;)
                }
            }
        });
    let where_clause = super::behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let lints = behaviour.lints.for_items();
    Some(quote! {
        #lints
        impl #impl_generics #ident #ty_generics #where_clause {
            #(#bits)*
        }
    })
}

pub(super) fn sync_var_dirty_bits(behaviour: &Behaviour<'_>) -> TokenStream {
    let of_base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", "sync_var_dirty_bits");
        quote!(#function(&self.#member))
    });
    let start = of_base.unwrap_or_else(|| quote!(0));
    if behaviour.sync_vars.is_empty() {
        return quote!(fn sync_var_dirty_bits(&self) -> u64 { #start });
    }
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let arguments = quote!(Self::#bit, &mut dirty_bits);
        let collect = call(sync_var, &Method::COLLECT_DIRTY, &arguments);
        quote!(#collect;)
    });
    quote! {
        fn sync_var_dirty_bits(&self) -> u64 {
            let mut dirty_bits = #start;
            #(#fields)*
            dirty_bits
        }
    }
}

/// Emits a constant that does not compile when base and fields together are more than 64. Without a
/// base the model has counted them.
pub(super) fn limit(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let countable = behaviour.base.is_some() && behaviour.generics.type_params().next().is_none();
    let last = behaviour.sync_vars.last().filter(|_| countable)?;
    let (ident, span) = (behaviour.ident, place_of(last.ty.original));
    let bit = Ident::new(&names::bit(&last.member).to_string(), span);
    Some(quote_spanned!(span=> const _: u64 = #ident::#bit;))
}
