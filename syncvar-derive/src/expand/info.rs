//! `INFO`: settings, remote calls and callbacks; and the markers of the callback traits.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{check, hook, item, motion, policy, schema};
use crate::model::Behaviour;

pub(super) fn constant(behaviour: &Behaviour<'_>) -> TokenStream {
    let after = behaviour.base.as_ref().map(|base| {
        let info = item(base.ty, "NetworkBehaviour", "INFO");
        quote!(.after(&#info))
    });
    let was = schema::former_names(&behaviour.was);
    let send_interval = behaviour.send_interval.map(|seconds| {
        let duration = policy::duration(seconds);
        quote!(.send_interval(#duration))
    });
    let channel = behaviour.channel.map(|channel| {
        let channel = Literal::u8_unsuffixed(channel);
        quote!(.channel(#channel))
    });
    let redundancy = behaviour.delivery.redundancy.map(|frames| {
        let frames = Literal::u8_unsuffixed(frames);
        quote!(.redundancy(#frames))
    });
    let ungathered = (!behaviour.delivery.gathers).then(|| quote!(.ungathered()));
    let hybrid = behaviour.delivery.is_hybrid.then(|| quote!(.hybrid()));
    let lifecycle = behaviour
        .callbacks
        .lifecycle
        .map(|place| callback("lifecycle", place));
    let synchronize = behaviour
        .callbacks
        .synchronize
        .map(|place| callback("synchronize", place));
    let checks = check::info(behaviour);
    let context = hook::context(behaviour);
    let on_view = motion::on_view(behaviour);
    quote! {
        const INFO: _syncvar::BehaviourInfo = _syncvar::OwnCalls::<Self>::INFO
            #after #was #send_interval #channel #redundancy #ungathered #hybrid #lifecycle #synchronize #checks #context #on_view;
    }
}

/// Emits `.lifecycle::<Self>()` at the word of the attribute.
fn callback(name: &str, place: Span) -> TokenStream {
    let place = Span::call_site().located_at(place);
    let name = Ident::new(name, place);
    quote_spanned!(place=> .#name::<Self>())
}

/// Emits the markers that `NetworkLifecycle` and `Synchronize` require: they prove that the class
/// passes the callbacks on.
pub(super) fn markers(behaviour: &Behaviour<'_>) -> TokenStream {
    let ident = behaviour.ident;
    let where_clause = super::behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    let lifecycle = behaviour.callbacks.lifecycle.map(|_| quote!(HasLifecycle));
    let synchronize = behaviour
        .callbacks
        .synchronize
        .map(|_| quote!(HasSynchronize));
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
