//! Lint attributes of the user: a lint allowed for the type is allowed for the emitted code that
//! names it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Meta};

/// Lints that the user allows for a type.
pub(crate) struct Lints {
    /// The lints of `#[allow(...)]` and `#[expect(...)]` on the type.
    allowed: Vec<TokenStream>,
    /// Set if the type or a field is `#[deprecated]`: rustc's derives are silent about it.
    deprecated: bool,
}

impl Lints {
    pub(crate) fn of(input: &DeriveInput) -> Self {
        let allows = input.attrs.iter().filter_map(|attr| match &attr.meta {
            Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
                Some(list.tokens.clone())
            }
            _ => None,
        });
        let deprecated =
            |attrs: &[Attribute]| attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
        let fields: Vec<&[Attribute]> = match &input.data {
            Data::Struct(data) => data.fields.iter().map(|field| &*field.attrs).collect(),
            Data::Enum(data) => {
                let members = data.variants.iter().flat_map(|variant| &variant.fields);
                let variants = data.variants.iter().map(|variant| &*variant.attrs);
                members.map(|field| &*field.attrs).chain(variants).collect()
            }
            Data::Union(_) => Vec::new(),
        };
        Self {
            allowed: allows.collect(),
            deprecated: deprecated(&input.attrs) || fields.into_iter().any(deprecated),
        }
    }

    /// Emits the attributes of items with a name made from a name of the user.
    pub(crate) fn for_items(&self) -> TokenStream {
        let allowed = &self.allowed;
        let deprecated = self.deprecated.then(|| quote!(#[allow(deprecated)]));
        quote!(#(#[allow(#allowed)])* #deprecated)
    }

    /// Emits the attributes of the `impl`. `unused_qualifications` would fire as soon as the user imports an item
    /// that `_syncvar::` names in full.
    pub(crate) fn for_impl(&self) -> TokenStream {
        if self.deprecated {
            quote!(#[allow(deprecated, unused_qualifications)])
        } else {
            quote!(#[allow(unused_qualifications)])
        }
    }
}
