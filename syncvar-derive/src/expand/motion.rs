//! Interpolation of a field, and `#[derive(Interpolate)]`.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse_quote;

use super::{hook, place_of, policy};
use crate::model::{Behaviour, SyncVar, ValueMembers, ValueModel};
use crate::names;

/// Emits the interpolation of a field around its access.
pub(super) fn interpolated(sync_var: &SyncVar<'_>, access: TokenStream) -> TokenStream {
    let Some(interpolation) = &sync_var.interpolation else {
        return access;
    };
    let (method, value) = (&interpolation.method, interpolation.value);
    let extrapolate = interpolation.extrapolate.map(|seconds| {
        let duration = policy::duration(seconds);
        quote!(.extrapolate(#duration))
    });
    let snap = interpolation.snap.map(|distance| {
        #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
        let distance = Literal::f32_unsuffixed(distance as f32);
        quote!(.snap(#distance))
    });
    let history = interpolation.history.map(|seconds| {
        let duration = policy::duration(seconds);
        quote!(.history(#duration))
    });
    // At the method's name, where an error about the value belongs.
    let place = place_of(method);
    let rules = quote_spanned!(place=> _syncvar::Interpolation::<#value>::#method());
    quote!(_syncvar::interpolated(#access, #rules #extrapolate #snap #history))
}

/// Emits the part of `INFO` about the hooks at the view time.
pub(super) fn on_view(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let hooks: Vec<_> = { behaviour.sync_vars.iter() }
        .filter_map(|sync_var| Some((&sync_var.constant, hook::of_view(sync_var)?)))
        .collect();
    let contexts = hooks.iter().map(|(_, hook)| hook);
    let calls = hooks.iter().map(|(bit, hook)| {
        quote! {
            if let _syncvar::Some(value) = shown.value(Self::#bit) {
                #hook.call(behaviour, value, ctx);
            }
        }
    });
    (!hooks.is_empty()).then(|| {
        quote! {
            #(.context_hooks(#contexts.has_context()))*
            .on_view(|behaviour, shown, ctx| if let _syncvar::Some(behaviour) = behaviour.downcast_mut::<Self>() {
                #(#calls)*
            })
        }
    })
}

/// Emits the whole expansion of `#[derive(Interpolate)]` for a struct.
pub(crate) fn interpolate(value: &ValueModel<'_>, shape: &ValueMembers<'_>) -> TokenStream {
    let ident = value.ident;
    let import = names::import(value.krate.as_ref());
    let linear = shape.members.iter().map(|member| {
        let (name, ty) = (&member.member, member.ty);
        let place = place_of(ty);
        if member.skipped {
            quote_spanned!(place=> #name: _syncvar::Clone::clone(&self.#name))
        } else {
            quote_spanned!(place=> #name: <#ty as _syncvar::Interpolate>::linear(&self.#name, &to.#name, fraction))
        }
    });
    let distances = shape.members.iter().filter(|member| !member.skipped);
    let distances = distances.map(|member| {
        let (name, ty) = (&member.member, member.ty);
        let distance = quote_spanned!(place_of(ty)=> <#ty as _syncvar::Interpolate>::distance);
        quote!(#distance(&self.#name, &to.#name))
    });
    let mut generics = value.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(_syncvar::Interpolate));
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, ty_generics, _) = value.generics.split_for_impl();
    let allowed = value.lints.for_impl();
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            #import

            #[automatically_derived]
            #allowed
            impl #impl_generics _syncvar::Interpolate for #ident #ty_generics #where_clause {
                fn linear(&self, to: &Self, fraction: f32) -> Self {
                    Self { #(#linear),* }
                }
                fn distance(&self, to: &Self) -> f32 {
                    let distances: &[f32] = &[#(#distances),*];
                    distances.iter().map(|distance| distance * distance).sum::<f32>().sqrt()
                }
            }
        };
    }
}
