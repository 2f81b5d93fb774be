//! Every identifier and path that is emitted.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Member, Path};

/// The name of a field without `r#`; a number for the fields of a tuple struct.
pub(crate) fn plain(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// The constant that holds a field's dirty bit: `HEALTH_BIT`, `FIELD_0_BIT`.
pub(crate) fn bit(member: &Member) -> Ident {
    match member {
        Member::Named(ident) => {
            let name = ident.unraw().to_string().to_uppercase();
            Ident::new(&format!("{name}_BIT"), Span::call_site())
        }
        Member::Unnamed(index) => format_ident!("FIELD_{}_BIT", index.index),
    }
}

/// The struct that holds previous values until the hooks are called: `PreviousOfPlayer`.
pub(crate) fn previous(behaviour: &Ident) -> Ident {
    format_ident!("PreviousOf{}", behaviour.unraw())
}

/// The member of that struct that belongs to a field.
pub(crate) fn previous_member(member: &Member) -> Ident {
    match member {
        Member::Named(ident) => ident.clone(),
        Member::Unnamed(index) => format_ident!("field_{}", index.index),
    }
}

/// The constant that holds a call's number: `FIRE_CALL`.
pub(crate) fn call(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string().to_uppercase();
    Ident::new(&format!("{name}_CALL"), Span::call_site())
}

/// The constant by which an event is known: `EXPLODED`.
pub(crate) fn event(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string().to_uppercase();
    Ident::new(&name, ident.span())
}

/// What commands, or the calls of clients, are called on: `CommandsOfPlayer`.
pub(crate) fn handle(what: &str, behaviour: &str) -> Ident {
    format_ident!("{what}Of{behaviour}")
}

/// A name in the spelling of C#: `take_damage` is `TakeDamage`.
pub(crate) fn camel(ident: &Ident) -> String {
    let name = ident.unraw().to_string();
    let words = name.split('_').map(|word| {
        let mut characters = word.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).collect::<String>()
    });
    words.collect()
}

/// A name, with as many underscores before it as it takes to be none of those.
pub(crate) fn free(name: &str, taken: &[String]) -> Ident {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.insert(0, '_');
    }
    Ident::new(&name, Span::call_site())
}

/// A name for the `index`th member of a variant.
pub(crate) fn binding(prefix: char, index: usize) -> Ident {
    format_ident!("{prefix}{index}")
}

/// The name of an integer.
pub(crate) fn number_type(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// A number without a suffix, so that the reader sees `0` and not `0usize`.
pub(crate) fn number(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

/// `Behaviour.field`, as errors name the place.
pub(crate) fn place(owner: &Ident, member: &Member) -> String {
    format!("{}.{}", owner.unraw(), plain(member))
}

/// The line that gives everything else a short name.
pub(crate) fn import(krate: Option<&Path>) -> TokenStream {
    match krate {
        Some(krate) => quote!(use #krate::__private::{self as _syncvar, ReadResultExt as _};),
        None => quote!(
            use ::syncvar::__private::{self as _syncvar, ReadResultExt as _};
        ),
    }
}
