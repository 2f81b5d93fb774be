//! Bounds for type parameters that a synchronised type mentions.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Generics, Type};

/// Type parameters of an item, in order.
pub(crate) struct Parameters(Vec<Ident>);

impl Parameters {
    pub(crate) fn of(generics: &Generics) -> Self {
        Self(
            generics
                .type_params()
                .map(|parameter| parameter.ident.clone())
                .collect(),
        )
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a type mentions a parameter of a list.
    pub(crate) fn occur_in(&self, ty: &Type) -> bool {
        self.0
            .iter()
            .any(|parameter| occurs(parameter, ty.to_token_stream()))
    }

    /// Returns the parameters that a type of a list mentions.
    pub(crate) fn mentioned_in<'a>(&self, types: impl Iterator<Item = &'a Type>) -> Vec<Ident> {
        let types: Vec<TokenStream> = types.map(ToTokens::to_token_stream).collect();
        let mut parameters = self.0.clone();
        parameters.retain(|parameter| types.iter().any(|ty| occurs(parameter, ty.clone())));
        parameters
    }
}

/// Returns whether a name occurs among the tokens of a type. A path segment of the same name counts
/// too; its bound is needed anyway.
fn occurs(parameter: &Ident, tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *parameter,
        TokenTree::Group(group) => occurs(parameter, group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
