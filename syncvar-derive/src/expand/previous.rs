//! The previous values that go from `on_deserialize` to `call_hooks`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::{behaviour_bounds, item};
use crate::model::{Behaviour, Container, SyncVar};
use crate::names;

/// What carries them.
pub(super) enum Previous<'a> {
    /// There is no hook and no base that may have some: `()`.
    Nothing,
    /// Only the base may have hooks: whatever it uses, unless that would show a private type to those
    /// who see the struct.
    OfBase(TokenStream),
    /// A struct.
    Struct(PreviousStruct<'a>),
}

/// A struct with a member for each field that has a hook.
pub(super) struct PreviousStruct<'a> {
    behaviour: &'a Behaviour<'a>,
    ident: Ident,
    /// The member for the base's previous values.
    base: Option<Ident>,
    /// The last member, which has a size whatever the base is: it mentions the type parameters.
    marker: Option<Ident>,
}

impl<'a> Previous<'a> {
    pub(super) fn of(behaviour: &'a Behaviour<'a>) -> Self {
        match &behaviour.base {
            None if !behaviour.has_hooks() => Self::Nothing,
            Some(base) if !behaviour.has_hooks() && !behaviour.is_visible => {
                Self::OfBase(item(base.ty, "NetworkBehaviour", "Previous"))
            }
            _ => Self::Struct(PreviousStruct::of(behaviour)),
        }
    }

    pub(super) fn declaration(&self) -> Option<TokenStream> {
        match self {
            Self::Struct(declared) => Some(declared.declaration()),
            Self::Nothing | Self::OfBase(_) => None,
        }
    }

    /// What `type Previous` is.
    pub(super) fn ty(&self) -> TokenStream {
        match self {
            Self::Nothing => quote!(()),
            Self::OfBase(ty) => ty.clone(),
            Self::Struct(declared) => {
                let ident = &declared.ident;
                let (_, ty_generics, _) = declared.behaviour.generics.split_for_impl();
                quote!(#ident #ty_generics)
            }
        }
    }

    /// Without previous values of its own; those of the base are in the variable `base`.
    pub(super) fn empty(&self) -> TokenStream {
        match self {
            Self::Nothing => quote!(()),
            Self::OfBase(_) => quote!(base),
            Self::Struct(declared) => declared.empty(),
        }
    }

    /// The previous values of the base, out of the variable `previous`.
    pub(super) fn of_base(&self) -> TokenStream {
        match self {
            Self::Struct(PreviousStruct {
                base: Some(member), ..
            }) => quote!(previous.#member),
            _ => quote!(previous),
        }
    }
}

impl<'a> PreviousStruct<'a> {
    fn of(behaviour: &'a Behaviour<'a>) -> Self {
        let free = |name| {
            let taken = hooked(behaviour).map(|sync_var| names::plain(&sync_var.member));
            names::free(name, &taken.collect::<Vec<_>>())
        };
        let generic = behaviour.generics.type_params().next().is_some();
        Self {
            behaviour,
            ident: names::previous(behaviour.ident),
            base: behaviour.base.as_ref().map(|_| free("base")),
            marker: (generic || !behaviour.has_hooks()).then(|| free("marker")),
        }
    }

    fn declaration(&self) -> TokenStream {
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

    fn empty(&self) -> TokenStream {
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
}

/// The fields that have a hook.
pub(super) fn hooked<'a>(behaviour: &'a Behaviour<'a>) -> impl Iterator<Item = &'a SyncVar<'a>> {
    behaviour
        .sync_vars
        .iter()
        .filter(|sync_var| sync_var.has_hook())
}

/// The type of a field's previous value.
fn previous_value(sync_var: &SyncVar<'_>) -> TokenStream {
    if let Some(collection) = sync_var.ty.collection() {
        let change = Ident::new(collection.change, Span::call_site());
        let arguments = collection.arguments;
        return quote!(_syncvar::Vec<_syncvar::#change #arguments>);
    }
    match sync_var.ty.container {
        Container::SyncVar(value) => quote!(#value),
        Container::Collection | Container::Unknown => {
            item(sync_var.ty.original, "HookField", "Previous")
        }
    }
}
