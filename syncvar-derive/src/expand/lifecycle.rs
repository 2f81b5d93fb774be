//! `LIFECYCLE` and `on_lifecycle`, `SYNCHRONIZE` and `synchronize`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::item;
use crate::model::Behaviour;

/// Whether it is called at all. A class that does not say so is what its base is.
pub(super) fn constants(behaviour: &Behaviour<'_>) -> TokenStream {
    let of = |name: &str, own: bool| {
        let inherited = || {
            let base = behaviour.base.as_ref()?;
            Some(item(base.ty, "NetworkBehaviour", name))
        };
        let value = if own { Some(quote!(true)) } else { inherited() };
        let name = syn::Ident::new(name, proc_macro2::Span::call_site());
        value.map(|value| quote!(const #name: bool = #value;))
    };
    let lifecycle = of("LIFECYCLE", behaviour.lifecycle.is_some());
    let synchronize = of("SYNCHRONIZE", behaviour.synchronize.is_some());
    quote!(#lifecycle #synchronize)
}

/// Passes callbacks to `NetworkLifecycle`, or to the base.
pub(super) fn on_lifecycle(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let call = match (behaviour.lifecycle, &behaviour.base) {
        (Some(place), _) => {
            let place = proc_macro2::Span::call_site().located_at(place);
            let this = quote_spanned!(place=> self);
            quote!(callback.call(#this, ctx))
        }
        (None, Some(base)) => {
            let (member, function) = (
                &base.member,
                item(base.ty, "NetworkBehaviour", "on_lifecycle"),
            );
            quote!(#function(&mut self.#member, callback, ctx))
        }
        (None, None) => return None,
    };
    Some(quote! {
        fn on_lifecycle(
            &mut self,
            callback: _syncvar::LifecycleCallback,
            ctx: &mut _syncvar::NetworkContext<'_>,
        ) -> _syncvar::LifecycleResult {
            #call
        }
    })
}

/// Passes the serializer to `Synchronize`, or to the base.
pub(super) fn synchronize(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let call = match (behaviour.synchronize, &behaviour.base) {
        (Some(place), _) => {
            let place = proc_macro2::Span::call_site().located_at(place);
            let this = quote_spanned!(place=> self);
            quote!(_syncvar::Synchronize::on_synchronize(#this, serializer))
        }
        (None, Some(base)) => {
            let (member, function) = (
                &base.member,
                item(base.ty, "NetworkBehaviour", "synchronize"),
            );
            quote!(#function(&mut self.#member, serializer))
        }
        (None, None) => return None,
    };
    Some(quote! {
        fn synchronize(
            &mut self,
            serializer: &mut _syncvar::BufferSerializer<'_, '_>,
        ) -> _syncvar::Result<(), _syncvar::SynchronizeError> {
            #call
        }
    })
}

/// What allows it to implement `NetworkLifecycle` and `Synchronize`: without it nothing would call them.
pub(super) fn markers(behaviour: &Behaviour<'_>) -> TokenStream {
    let ident = behaviour.ident;
    let where_clause = super::behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let lifecycle = behaviour.lifecycle.map(|_| quote!(HasLifecycle));
    let synchronize = behaviour.synchronize.map(|_| quote!(HasSynchronize));
    let markers = lifecycle.into_iter().chain(synchronize);
    let allowed = behaviour.lints.for_impl();
    quote! {
        #(
            #[automatically_derived]
            #allowed
            impl #impl_generics _syncvar::#markers for #ident #ty_generics #where_clause {}
        )*
    }
}
