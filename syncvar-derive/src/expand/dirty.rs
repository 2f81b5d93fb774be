//! The bit constants, `sync_var_dirty_bits`, `set_dirty_bit`, `clear_all_dirty_bits`,
//! `notice_replacements`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::{Method, call, item, place_of};
use crate::model::{Behaviour, Container, SyncVar};
use crate::names;

/// `const HEALTH_BIT: u64 = 1 << 0;` for every field.
pub(super) fn bits(behaviour: &Behaviour<'_>) -> TokenStream {
    if behaviour.sync_vars.is_empty() {
        return TokenStream::new();
    }
    let ident = behaviour.ident;
    let bits = behaviour
        .sync_vars
        .iter()
        .enumerate()
        .map(|(index, sync_var)| {
            let bit = names::bit(&sync_var.member);
            let index = names::number(index);
            let name = names::plain(&sync_var.member);
            match &behaviour.base {
                None => {
                    let doc = format!(" Dirty bit of `{name}`.");
                    quote!(#[doc = #doc] const #bit: u64 = 1 << #index;)
                }
                Some(base) => {
                    let ty = base.ty;
                    let doc = format!(
                        " Dirty bit of `{name}`, after those of `{}`.",
                        ty.to_token_stream()
                    );
                    let schema = item(ty, "NetworkBehaviour", "SCHEMA");
                    let bit_after = quote_spanned!(place_of(ty)=> bit_after(#index));
                    quote!(#[doc = #doc] const #bit: u64 = #schema.#bit_after;)
                }
            }
        });
    let where_clause = super::behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let lints = behaviour.lints.for_items();
    quote! {
        #lints
        impl #impl_generics #ident #ty_generics #where_clause {
            #(#bits)*
        }
    }
}

pub(super) fn sync_var_dirty_bits(behaviour: &Behaviour<'_>) -> TokenStream {
    let from_base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", "sync_var_dirty_bits");
        quote!(#function(&self.#member))
    });
    if behaviour.sync_vars.is_empty() {
        let bits = from_base.unwrap_or_else(|| quote!(0));
        return quote!(fn sync_var_dirty_bits(&self) -> u64 { #bits });
    }
    let start = from_base.unwrap_or_else(|| quote!(0));
    let checks = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let is_dirty = call(sync_var, &Method::IS_DIRTY, None);
        quote! {
            if #is_dirty {
                dirty_bits |= Self::#bit;
            }
        }
    });
    quote! {
        fn sync_var_dirty_bits(&self) -> u64 {
            let mut dirty_bits = #start;
            #(#checks)*
            dirty_bits
        }
    }
}

pub(super) fn set_dirty_bit(behaviour: &Behaviour<'_>) -> TokenStream {
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", "set_dirty_bit");
        quote!(#function(&mut self.#member, dirty_bits);)
    });
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let set_dirty = call(sync_var, &Method::SET_DIRTY, None);
        quote! {
            if dirty_bits & Self::#bit != 0 {
                #set_dirty;
            }
        }
    });
    let parameter = if behaviour.base.is_none() && behaviour.sync_vars.is_empty() {
        quote!(_dirty_bits)
    } else {
        quote!(dirty_bits)
    };
    quote! {
        fn set_dirty_bit(&mut self, #parameter: u64) {
            #base
            #(#fields)*
        }
    }
}

pub(super) fn clear_all_dirty_bits(behaviour: &Behaviour<'_>) -> TokenStream {
    for_all_fields(behaviour, "clear_all_dirty_bits", &Method::CLEAR_DIRTY)
}

/// Where some fields may be sent and others not.
pub(super) fn clear_dirty_bits(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if !behaviour.may_have_rules() {
        return None;
    }
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", "clear_dirty_bits");
        quote!(#function(&mut self.#member, dirty_bits);)
    });
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let clear_dirty = call(sync_var, &Method::CLEAR_DIRTY, None);
        quote! {
            if dirty_bits & Self::#bit != 0 {
                #clear_dirty;
            }
        }
    });
    Some(quote! {
        fn clear_dirty_bits(&mut self, dirty_bits: u64) {
            #base
            #(#fields)*
        }
    })
}

pub(super) fn notice_replacements(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let is_empty = behaviour.base.is_none() && behaviour.sync_vars.is_empty();
    let function = || {
        for_all_fields(
            behaviour,
            "notice_replacements",
            &Method::NOTICE_REPLACEMENT,
        )
    };
    (!is_empty).then(function)
}

pub(super) fn set_observed(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let arguments = [("observed", "bool")];
    for_listening_fields(behaviour, "set_observed", &arguments, &Method::SET_OBSERVED)
}

pub(super) fn set_verbatim(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let arguments = [("verbatim", "bool"), ("promised", "usize")];
    for_listening_fields(behaviour, "set_verbatim", &arguments, &Method::SET_VERBATIM)
}

/// A function that tells something to the base and to every field that may want to know it: a `SyncVar`
/// does not. Its arguments have these names and types.
fn for_listening_fields(
    behaviour: &Behaviour<'_>,
    name: &str,
    arguments: &[(&str, &str)],
    method: &Method,
) -> Option<TokenStream> {
    let ident = |name| Ident::new(name, Span::call_site());
    let names: Vec<_> = arguments.iter().map(|(name, _)| ident(name)).collect();
    let types = arguments.iter().map(|(_, ty)| ident(ty));
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", name);
        quote!(#function(&mut self.#member, #(#names),*);)
    });
    let listening =
        |sync_var: &&SyncVar<'_>| !matches!(sync_var.ty.container, Container::SyncVar(_));
    let fields = behaviour.sync_vars.iter().filter(listening);
    let calls: Vec<_> = fields
        .map(|sync_var| call(sync_var, method, Some(&quote!(#(#names),*))))
        .collect();
    let name = ident(name);
    (base.is_some() || !calls.is_empty()).then(|| {
        quote! {
            fn #name(&mut self, #(#names: #types),*) {
                #base
                #(#calls;)*
            }
        }
    })
}

/// A function that does the same to the base and to every field.
fn for_all_fields(behaviour: &Behaviour<'_>, name: &str, method: &Method) -> TokenStream {
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let function = item(base.ty, "NetworkBehaviour", name);
        quote!(#function(&mut self.#member);)
    });
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let call = call(sync_var, method, None);
        quote!(#call;)
    });
    let name = Ident::new(name, Span::call_site());
    quote! {
        fn #name(&mut self) {
            #base
            #(#fields)*
        }
    }
}

/// A constant that does not compile when base and fields together are more than 64. Without a base
/// the model has counted them.
pub(super) fn limit(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let countable = behaviour.base.is_some() && behaviour.generics.type_params().next().is_none();
    let last = behaviour.sync_vars.last().filter(|_| countable)?;
    let (ident, span) = (behaviour.ident, place_of(last.ty.original));
    let bit = Ident::new(&names::bit(&last.member).to_string(), span);
    Some(quote_spanned!(span=> const _: u64 = #ident::#bit;))
}
