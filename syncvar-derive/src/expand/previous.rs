//! Previous values, on their way from `on_deserialize` to `call_hooks`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::{behaviour_bounds, item};
use crate::model::{Behaviour, Container, SyncVar, elements_travel, travels};
use crate::names;

/// Type of the previous values.
pub(super) enum Previous<'a> {
    /// `()`, for a class without hook, codec and base.
    Nothing,
    /// The type of the base, for a class without hook and codec. A visible class has a struct instead,
    /// since it must not expose a private base.
    OfBase(TokenStream),
    /// A struct.
    Struct(PreviousStruct<'a>),
}

/// Struct with a member for the base and for each field that has a hook or a codec.
pub(super) struct PreviousStruct<'a> {
    behaviour: &'a Behaviour<'a>,
    ident: Ident,
    /// Member for the previous values of the base.
    base: Option<Ident>,
    /// Last member, which mentions the type parameters. It is always sized: with a base that is no
    /// behaviour, an unsized last member would be one more error.
    marker: Option<Ident>,
}

impl<'a> Previous<'a> {
    pub(super) fn of(behaviour: &'a Behaviour<'a>) -> Self {
        let remembers = behaviour.remembers();
        match &behaviour.base {
            None if !remembers => Self::Nothing,
            Some(base) if !remembers && !behaviour.is_visible => {
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

    /// Emits `type Previous`, which documentation leaves out: the struct lacks a page.
    pub(super) fn item(&self) -> TokenStream {
        let ty = self.ty();
        let hidden = matches!(self, Self::Struct(_)).then(|| quote!(#[doc(hidden)]));
        quote!(#hidden type Previous = #ty;)
    }

    /// Returns the type for signatures, which documentation shows.
    pub(super) fn argument(&self) -> TokenStream {
        match self {
            Self::Struct(_) => quote!(Self::Previous),
            Self::Nothing | Self::OfBase(_) => self.ty(),
        }
    }

    /// Returns the type for `type Previous`.
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

    /// Returns the previous values of the base, out of a variable.
    pub(super) fn of_base(&self, variable: &TokenStream) -> TokenStream {
        match self {
            Self::Struct(PreviousStruct {
                base: Some(member), ..
            }) => quote!(#variable.#member),
            _ => variable.clone(),
        }
    }
}

impl<'a> PreviousStruct<'a> {
    fn of(behaviour: &'a Behaviour<'a>) -> Self {
        let free = |name| {
            let taken = remembered(behaviour).map(|sync_var| names::plain(&sync_var.member));
            names::free(name, &taken.collect::<Vec<_>>())
        };
        let generic = behaviour.generics.type_params().next().is_some();
        Self {
            behaviour,
            ident: names::previous(behaviour.ident),
            base: behaviour.base.as_ref().map(|_| free("base")),
            marker: (generic || remembered(behaviour).next().is_none()).then(|| free("marker")),
        }
    }

    fn declaration(&self) -> TokenStream {
        let Self {
            behaviour, ident, ..
        } = self;
        let name = behaviour.ident.unraw();
        let purpose = match (behaviour.has_hooks(), behaviour.has_codecs()) {
            (false, _) if behaviour.keeps_previous() => "for observers",
            (_, false) => "for its hooks",
            (false, true) => "for its codecs",
            (true, true) => "for its hooks and codecs",
        };
        let doc = format!(" Previous values of `{name}`, {purpose}.");
        let base = behaviour.base.as_ref().map(|base| {
            let (member, ty) = (&self.base, item(base.ty, "NetworkBehaviour", "Previous"));
            // A renamed member has a name that the program cannot know.
            let is_known = self.base.as_ref().is_some_and(|member| member == "base");
            let visibility = is_known.then_some(base.visibility);
            quote!(#visibility #member: #ty,)
        });
        let fields = remembered(behaviour).map(|sync_var| {
            let member = names::previous_member(&sync_var.member);
            let ty = previous_value(sync_var);
            let visibility = sync_var.visibility;
            quote!(#visibility #member: _syncvar::Option<#ty>,)
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
        let is_derived = self.derives_default();
        let derive = is_derived.then(|| quote!(#[derive(_syncvar::Default)]));
        let default = (!is_derived).then(|| self.default());
        quote! {
            #[doc = #doc]
            #derive
            #lints
            pub struct #ident #generics #where_clause {
                #base
                #(#fields)*
                #marker
            }

            #default
        }
    }

    /// Returns whether `Default` is derived. A derive would bound type parameters, and report a base or
    /// field type without its trait once more.
    fn derives_default(&self) -> bool {
        let is_known = |sync_var: &SyncVar<'_>| match sync_var.ty.container {
            Container::SyncVar(value) => travels(value) || sync_var.codec.is_some(),
            Container::Collection => elements_travel(sync_var.ty.original),
            Container::Unknown => false,
        };
        let is_generic = self.behaviour.generics.type_params().next().is_some();
        !is_generic && self.base.is_none() && remembered(self.behaviour).all(is_known)
    }

    fn default(&self) -> TokenStream {
        let Self {
            behaviour, ident, ..
        } = self;
        let base = self.base.as_ref();
        let base = base.map(|member| quote!(#member: _syncvar::Default::default(),));
        let fields = remembered(behaviour).map(|sync_var| names::previous_member(&sync_var.member));
        let marker = self.marker.as_ref();
        let marker = marker.map(|member| quote!(#member: _syncvar::PhantomData,));
        let where_clause = behaviour_bounds(behaviour);
        let allowed = behaviour.lints.for_impl();
        let (generics, ty_generics, _) = behaviour.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            #allowed
            impl #generics _syncvar::Default for #ident #ty_generics #where_clause {
                fn default() -> Self {
                    Self { #base #(#fields: _syncvar::None,)* #marker }
                }
            }
        }
    }
}

/// Returns the fields with a hook or a codec.
fn remembered<'a>(behaviour: &'a Behaviour<'a>) -> impl Iterator<Item = &'a SyncVar<'a>> {
    behaviour
        .sync_vars
        .iter()
        .filter(|sync_var| sync_var.is_remembered())
}

/// Returns the type of a collection's change; `None` if the collection's arguments are incomplete.
pub(super) fn change_of(sync_var: &SyncVar<'_>) -> Option<TokenStream> {
    let collection = sync_var.ty.collection()?;
    let change = Ident::new(collection.change, Span::call_site());
    let arguments = collection.arguments;
    Some(quote!(_syncvar::#change #arguments))
}

/// Returns the type of a field's previous value.
pub(super) fn previous_value(sync_var: &SyncVar<'_>) -> TokenStream {
    if let Some(change) = change_of(sync_var) {
        return quote!(_syncvar::Vec<#change>);
    }
    match sync_var.ty.container {
        Container::SyncVar(value) => quote!(#value),
        Container::Collection | Container::Unknown => {
            item(sync_var.ty.original, "HookField", "Previous")
        }
    }
}
