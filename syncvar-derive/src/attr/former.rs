//! Former names: `was = "hp"`.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{LitStr, Token, parenthesized};

use super::value;
use crate::errors::Errors;

/// Former names of an item, newest first.
pub(crate) type FormerNames = Vec<LitStr>;

/// Item with a name, among siblings whose names differ.
pub(crate) struct Named<'a> {
    pub(crate) name: String,
    pub(crate) was: &'a [LitStr],
}

/// Parses `was = "hp"` or `was("hp", "life")`.
pub(crate) fn former_names(meta: &ParseNestedMeta<'_>) -> syn::Result<FormerNames> {
    const EXAMPLE: &str = "`was` is the former name in quotes, or several, newest first: `was = \"hp\"`, `was(\"hp\", \"life\")`";
    let names: FormerNames = if meta.input.peek(syn::token::Paren) {
        let content;
        parenthesized!(content in meta.input);
        let tokens: TokenStream = content.parse()?;
        let names = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(tokens);
        let names = names.map_err(|error| syn::Error::new(error.span(), EXAMPLE))?;
        names.into_iter().collect()
    } else {
        let name = value(meta, EXAMPLE)?.parse::<LitStr>();
        vec![name.map_err(|error| syn::Error::new(error.span(), EXAMPLE))?]
    };
    if names.is_empty() {
        return Err(meta.error(EXAMPLE));
    }
    if let Some(empty) = names.iter().find(|name| name.value().is_empty()) {
        return Err(syn::Error::new_spanned(empty, EXAMPLE));
    }
    Ok(names)
}

/// Reports former names that cannot find their item: a present name of an item or a sibling, and a name that is given
/// twice. `kind` is the word for the items, such as "field".
pub(crate) fn refuse_shared_names(items: &[Named<'_>], kind: &str, errors: &mut Errors) {
    let mut known: Vec<String> = Vec::new();
    for item in items {
        for literal in item.was {
            let name = literal.value();
            if name == item.name {
                let message = format!("`{name}` is the present name of this {kind}: remove `was`");
                errors.add(literal, message);
            } else if items.iter().any(|sibling| sibling.name == name) {
                let message = format!(
                    "`{name}` is the name of a {kind} here: a former name belongs to no present {kind}"
                );
                errors.add(literal, message);
            } else if known.contains(&name) {
                let message = format!(
                    "`{name}` is given twice as a former name: a former name belongs to one {kind}"
                );
                errors.add(literal, message);
            } else {
                known.push(name);
            }
        }
    }
}
