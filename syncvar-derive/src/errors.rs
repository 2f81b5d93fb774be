//! Collector of mistakes, so that one build shows every mistake.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds a mistake at these tokens.
    pub(crate) fn add(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.add_error(syn::Error::new_spanned(tokens, message));
    }

    /// Adds a mistake with its place.
    pub(crate) fn add_error(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds all mistakes of a part.
    pub(crate) fn add_all(&mut self, others: Self) {
        if let Some(others) = others.0 {
            self.add_error(others);
        }
    }

    /// Returns the value, if no mistake was added.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Self> {
        match self.0 {
            None => Ok(value),
            Some(_) => Err(self),
        }
    }

    /// Emits a `compile_error!` for each mistake.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0
            .as_ref()
            .map(syn::Error::to_compile_error)
            .unwrap_or_default()
    }
}
