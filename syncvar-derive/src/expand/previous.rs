//! The previous values that go from `on_deserialize` to `call_hooks`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::{behaviour_bounds, item};
use crate::model::{Behaviour, Container, SyncVar};
use crate::names;

/// What carries them.
pub(super) enum Previous<'a> {
    /// There is no hook, no codec, and no base that may have some: `()`.
    Nothing,
    /// Only the base may have some: whatever it uses, unless that would show a private type to those
    /// who see the struct.
    OfBase(TokenStream),
    /// A struct.
    Struct(PreviousStruct<'a>),
}

/// A struct with a member for each field that has a hook or a codec.
pub(super) struct PreviousStruct<'a> {
    behaviour: &'a Behaviour<'a>,
    ident: Ident,
    /// The member for the base's previous values. It is an `Option` where this class has hooks or codecs:
    /// it may have something to remember [before a change](super::change) when the base has not.
    base: Option<Ident>,
    /// The last member, which has a size whatever the base is: it mentions the type parameters.
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

    /// With what is remembered of the fields, as `value` says. What the base remembers is in the
    /// variable `base`, as an `Option` where the member for it is one.
    pub(super) fn remembered(&self, value: impl Fn(&SyncVar<'_>) -> TokenStream) -> TokenStream {
        match self {
            Self::Struct(declared) => {
                let base = declared.base.as_ref().map(|member| named(member, "base"));
                declared.build(base.as_ref(), value)
            }
            Self::Nothing | Self::OfBase(_) => self.empty(),
        }
    }

    /// The member for what the base remembers, and whether it is an `Option`; there is none if that is
    /// all there is.
    pub(super) fn member_of_base(&self) -> Option<(&Ident, bool)> {
        match self {
            Self::Struct(declared) => {
                let is_optional = declared.behaviour.remembers();
                Some((declared.base.as_ref()?, is_optional))
            }
            Self::Nothing | Self::OfBase(_) => None,
        }
    }

    /// What is done with the previous values of the base, out of the variable `carrier`.
    pub(super) fn for_base(
        &self,
        carrier: &TokenStream,
        action: impl FnOnce(TokenStream) -> TokenStream,
    ) -> TokenStream {
        match self {
            Self::Struct(PreviousStruct {
                behaviour,
                base: Some(member),
                ..
            }) if behaviour.remembers() => {
                let action = action(quote!(base));
                quote!(if let _syncvar::Some(base) = #carrier.#member { #action })
            }
            Self::Struct(PreviousStruct {
                base: Some(member), ..
            }) => action(quote!(#carrier.#member)),
            _ => action(carrier.clone()),
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
        let destination = match (behaviour.has_hooks(), behaviour.has_codecs()) {
            (_, false) => "on their way to its hooks",
            (false, true) => "to see what has changed",
            (true, true) => "on their way to its hooks, or to see what has changed",
        };
        let doc = format!(" Previous values of `{name}`, {destination}.");
        let base = behaviour.base.as_ref().map(|base| {
            let (member, ty) = (&self.base, item(base.ty, "NetworkBehaviour", "Previous"));
            if behaviour.remembers() {
                quote!(#member: _syncvar::Option<#ty>,)
            } else {
                quote!(#member: #ty,)
            }
        });
        let fields = remembered(behaviour).map(|sync_var| {
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
        let base = self.base.as_ref().map(|member| {
            if self.behaviour.remembers() {
                quote!(#member: _syncvar::Some(base),)
            } else {
                named(member, "base")
            }
        });
        self.build(base.as_ref(), |_| quote!(_syncvar::None))
    }

    /// The struct with these values.
    fn build(
        &self,
        base: Option<&TokenStream>,
        value: impl Fn(&SyncVar<'_>) -> TokenStream,
    ) -> TokenStream {
        let ident = &self.ident;
        let members = remembered(self.behaviour).map(|sync_var| {
            let (member, value) = (names::previous_member(&sync_var.member), value(sync_var));
            quote!(#member: #value,)
        });
        let marker = self
            .marker
            .as_ref()
            .map(|marker| quote!(#marker: _syncvar::PhantomData,));
        quote!(#ident { #base #(#members)* #marker })
    }
}

/// A member that is given the value of a variable.
fn named(member: &Ident, variable: &str) -> TokenStream {
    if member == variable {
        quote!(#member,)
    } else {
        let variable = Ident::new(variable, Span::call_site());
        quote!(#member: #variable,)
    }
}

/// The fields whose previous values are kept.
fn remembered<'a>(behaviour: &'a Behaviour<'a>) -> impl Iterator<Item = &'a SyncVar<'a>> {
    behaviour
        .sync_vars
        .iter()
        .filter(|sync_var| sync_var.is_remembered())
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
