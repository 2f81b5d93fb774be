//! The struct that carries previous values from `on_deserialize` to `call_hooks`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::{behaviour_bounds, item};
use crate::model::{Behaviour, Container, SyncVar};
use crate::names;

/// The names in the struct. There is one where a field has a hook, or a base may have some.
pub(super) struct Previous<'a> {
    behaviour: &'a Behaviour<'a>,
    ident: Ident,
    /// The member for the base's own previous values.
    base: Option<Ident>,
    /// The member that mentions the type parameters.
    marker: Option<Ident>,
}

impl<'a> Previous<'a> {
    pub(super) fn of(behaviour: &'a Behaviour<'a>) -> Option<Self> {
        if !behaviour.has_hooks() && behaviour.base.is_none() {
            return None;
        }
        let free = |name| {
            let taken = hooked(behaviour).map(|sync_var| names::plain(&sync_var.member));
            names::free(name, &taken.collect::<Vec<_>>())
        };
        let generic = behaviour.generics.type_params().next().is_some();
        Some(Self {
            behaviour,
            ident: names::previous(behaviour.ident),
            base: behaviour.base.as_ref().map(|_| free("base")),
            marker: generic.then(|| free("marker")),
        })
    }

    pub(super) fn declaration(&self) -> TokenStream {
        let Self {
            behaviour, ident, ..
        } = self;
        let name = behaviour.ident.unraw();
        let doc = format!(" Previous values of `{name}`, on their way to its hooks.");
        let base = behaviour.base.as_ref().map(|base| {
            let (member, ty) = (&self.base, item(base.ty, "NetworkBehaviour", "Previous"));
            quote!(#member: #ty,)
        });
        let fields = hooked(behaviour).map(|sync_var| {
            let member = names::previous_member(&sync_var.member);
            let ty = previous_value(sync_var);
            quote!(#member: _syncvar::Option<#ty>,)
        });
        let parameters = behaviour
            .generics
            .type_params()
            .map(|parameter| &parameter.ident);
        let marker = self
            .marker
            .as_ref()
            .map(|marker| quote!(#marker: _syncvar::PhantomData<fn() -> (#(#parameters,)*)>,));
        let lints = behaviour.lints.for_items();
        let where_clause = behaviour_bounds(behaviour);
        let (generics, _, _) = behaviour.generics.split_for_impl();
        quote! {
            #[doc = #doc]
            #lints
            pub struct #ident #generics #where_clause {
                #base
                #(#fields)*
                #marker
            }
        }
    }

    /// What `type Previous` is.
    pub(super) fn ty(&self) -> TokenStream {
        let ident = &self.ident;
        let (_, ty_generics, _) = self.behaviour.generics.split_for_impl();
        quote!(#ident #ty_generics)
    }

    /// Without previous values of its own; those of the base are in the variable `base`.
    pub(super) fn empty(&self) -> TokenStream {
        let ident = &self.ident;
        let base = self.base.as_ref().map(|member| {
            if member == "base" {
                quote!(base,)
            } else {
                quote!(#member: base,)
            }
        });
        let members =
            hooked(self.behaviour).map(|sync_var| names::previous_member(&sync_var.member));
        let marker = self
            .marker
            .as_ref()
            .map(|marker| quote!(#marker: _syncvar::PhantomData,));
        quote!(#ident { #base #(#members: _syncvar::None,)* #marker })
    }

    /// The previous values of the base, out of the variable `previous`.
    pub(super) fn of_base(&self) -> TokenStream {
        let member = &self.base;
        quote!(previous.#member)
    }
}

/// The fields that have a hook.
pub(super) fn hooked<'a>(behaviour: &'a Behaviour<'a>) -> impl Iterator<Item = &'a SyncVar<'a>> {
    behaviour
        .sync_vars
        .iter()
        .filter(|sync_var| sync_var.hook.is_some())
}

/// The type of a field's previous value.
fn previous_value(sync_var: &SyncVar<'_>) -> TokenStream {
    match sync_var.ty.container {
        Container::SyncVar(value) => quote!(#value),
        Container::Unknown => item(sync_var.ty.original, "HookField", "Previous"),
    }
}
