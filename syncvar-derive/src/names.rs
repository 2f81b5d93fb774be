//! Emitted identifiers and paths.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Member, Path};

/// Returns the name of a field without `r#`; a number for the fields of a tuple struct.
pub(crate) fn plain(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Returns the constant of a field: `HEALTH`, `FIELD_0`. Its place is the field, for errors about a second
/// constant with this name.
pub(crate) fn constant(member: &Member) -> Ident {
    let (name, place) = match member {
        Member::Named(ident) => (ident.unraw().to_string().to_uppercase(), ident.span()),
        Member::Unnamed(index) => (format!("FIELD_{}", index.index), index.span),
    };
    Ident::new(&name, Span::call_site().located_at(place))
}

/// Returns the struct of previous values: `PreviousOfPlayer`.
pub(crate) fn previous(behaviour: &Ident) -> Ident {
    format_ident!("PreviousOf{}", behaviour.unraw())
}

/// Returns the member of that struct for a field.
pub(crate) fn previous_member(member: &Member) -> Ident {
    match member {
        Member::Named(ident) => ident.clone(),
        Member::Unnamed(index) => format_ident!("field_{}", index.index),
    }
}

/// Returns the constant of a call's number: `FIRE_CALL`.
pub(crate) fn call(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string().to_uppercase();
    Ident::new(&format!("{name}_CALL"), Span::call_site())
}

/// Returns the method that runs a call on this end: `run_fire`.
pub(crate) fn run(ident: &Ident) -> Ident {
    Ident::new(&format!("run_{}", ident.unraw()), ident.span())
}

/// Returns the constant of an event: `EXPLODED`.
pub(crate) fn event(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string().to_uppercase();
    Ident::new(&name, ident.span())
}

/// Returns the handle struct for commands or for calls of clients: `CommandsOfPlayer`.
pub(crate) fn handle(kind: &str, behaviour: &str) -> Ident {
    format_ident!("{kind}Of{behaviour}")
}

/// Returns a name in the spelling of C#: `TakeDamage` for `take_damage`.
pub(crate) fn camel(ident: &Ident) -> String {
    let name = ident.unraw().to_string();
    let words = name.split('_').map(|word| {
        let mut characters = word.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).collect::<String>()
    });
    words.collect()
}

/// Returns a name with underscores before it until it differs from every taken name.
pub(crate) fn free(name: &str, taken: &[String]) -> Ident {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.insert(0, '_');
    }
    Ident::new(&name, Span::call_site())
}

/// Returns a name for the `index`th member of a variant.
pub(crate) fn binding(prefix: char, index: usize) -> Ident {
    format_ident!("{prefix}{index}")
}

/// Returns the name of an integer type.
pub(crate) fn number_type(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// Returns a number without a suffix: `0`, not `0usize`.
pub(crate) fn number(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

/// Returns the place that errors name: `Behaviour.field`.
pub(crate) fn place(owner: &Ident, member: &Member) -> String {
    format!("{}.{}", owner.unraw(), plain(member))
}

/// Emits the import of `_syncvar`, the prefix of the remaining paths.
pub(crate) fn import(krate: Option<&Path>) -> TokenStream {
    let private = private(krate);
    quote!(use #private::{self as _syncvar, ReadResultExt as _};)
}

/// Emits the import of a behaviour, which needs the calls of a class without calls too.
pub(crate) fn behaviour_import(krate: Option<&Path>) -> TokenStream {
    let private = private(krate);
    quote! {
        #[allow(unused_imports)]
        use #private::{self as _syncvar, NoCalls as _, ReadResultExt as _};
    }
}

fn private(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(krate) => quote!(#krate::__private),
        None => quote!(::syncvar::__private),
    }
}
