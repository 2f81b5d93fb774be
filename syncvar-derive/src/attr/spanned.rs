//! `Spanned`: a value with its place.

use proc_macro2::Span;

/// A value, and the place of its key.
#[derive(Clone)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}
