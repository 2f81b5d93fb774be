//! Bounds for type parameters, where a synchronised type mentions one.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Generics, Type};

/// The type parameters of an item.
pub(crate) struct Parameters(BTreeSet<String>);

impl Parameters {
    pub(crate) fn of(generics: &Generics) -> Self {
        let names = generics
            .type_params()
            .map(|parameter| parameter.ident.to_string());
        Self(names.collect())
    }

    /// Whether a type mentions one of the parameters. A path segment of the same name counts as
    /// well; the bound it brings is needed anyway.
    pub(crate) fn occur_in(&self, ty: &Type) -> bool {
        !self.0.is_empty() && self.occur_in_tokens(ty.to_token_stream())
    }

    fn occur_in_tokens(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => self.0.contains(&ident.to_string()),
            TokenTree::Group(group) => self.occur_in_tokens(group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
}
