//! The constants of the fields, and `sync_var_dirty_bits`.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, Visibility, parse_quote};

use super::{Method, call, item, place_of};
use crate::model::{Behaviour, SyncVar};
use crate::names;

/// Emits `const HEALTH: FieldBit<Self> = bit(1 << 0);` for every field, with its visibility, and
/// `FieldBit<Self, Vector3>` for an interpolated one.
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
            let (visibility, constant) = (sync_var.visibility, &sync_var.constant);
            let index = names::number(index);
            let bit = match &behaviour.base {
                None => quote!(1 << #index),
                Some(base) => {
                    let ty = base.ty;
                    let schema = item(ty, "NetworkBehaviour", "SCHEMA");
                    let bit_after = quote_spanned!(place_of(ty)=> bit_after(#index));
                    quote!(#schema.#bit_after)
                }
            };
            let values = values(sync_var);
            // At the field, for errors about a second constant with this name.
            quote_spanned! {constant.span()=>
                #visibility const #constant: _syncvar::FieldBit<Self #values> = _syncvar::bit(#bit);
            }
        });
    let where_clause = super::behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let lints = behaviour.lints.for_items();
    let private = |sync_var: &SyncVar<'_>| matches!(sync_var.visibility, Visibility::Inherited);
    let undocumented = { behaviour.sync_vars.iter() }
        .any(|sync_var| !private(sync_var))
        .then(|| quote!(#[allow(missing_docs)]));
    Some(quote! {
        #lints
        #undocumented
        impl #impl_generics #ident #ty_generics #where_clause {
            #(#bits)*
        }
    })
}

/// Emits the type of an interpolated field's values behind the class.
fn values(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let value = sync_var.interpolation.as_ref()?.value;
    Some(quote!(, #value))
}

/// Emits the marker that lets the constants of the bases name fields of this class. A base that is a type
/// parameter could be this class, so that the marker would conflict with the marker of every class for itself.
pub(super) fn inherits(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let base = behaviour.base.as_ref()?.ty;
    let parameters = || {
        behaviour
            .generics
            .type_params()
            .map(|parameter| &parameter.ident)
    };
    if parameters().any(|name| matches!(base, Type::Path(path) if path.path.is_ident(name))) {
        return None;
    }
    let ident = behaviour.ident;
    let constants = behaviour
        .generics
        .const_params()
        .map(|parameter| &parameter.ident);
    let taken: Vec<_> = parameters()
        .chain(constants)
        .map(Ident::to_string)
        .collect();
    let class = names::free("C", &taken);
    let mut generics = behaviour.generics.clone();
    generics.params.push(parse_quote!(#class));
    let mut clause = super::behaviour_bounds(behaviour).unwrap_or_else(|| parse_quote!(where));
    clause
        .predicates
        .push(parse_quote!(#base: _syncvar::Inherits<#class>));
    let (impl_generics, _, _) = generics.split_for_impl();
    let (_, ty_generics, _) = behaviour.generics.split_for_impl();
    let allowed = behaviour.lints.for_impl();
    Some(quote! {
        #[automatically_derived]
        #allowed
        impl #impl_generics _syncvar::Inherits<#class> for #ident #ty_generics #clause {}
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
        let bit = &sync_var.constant;
        let arguments = quote!(Self::#bit.bit(), &mut dirty_bits);
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
    let bit = Ident::new(&last.constant.to_string(), span);
    let values = values(last);
    Some(quote_spanned!(span=> const _: _syncvar::FieldBit<#ident #values> = #ident::#bit;))
}
