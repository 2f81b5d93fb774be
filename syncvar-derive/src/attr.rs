//! The syntax of `#[sync_var(...)]`, `#[network_behaviour(...)]` and `#[sync_value(...)]`.
//!
//! Says what was written, and where; knows no meaning. A key that is wrong, doubled or out of place
//! is reported and skipped, so that the rest is still looked at.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitFloat, LitInt, LitStr, Path, Token};

use crate::errors::Errors;

/// What stands on a behaviour.
#[derive(Default)]
pub(crate) struct BehaviourAttrs {
    pub(crate) krate: Option<Path>,
    pub(crate) send_interval: Option<f64>,
    pub(crate) channel: Option<u8>,
}

/// What stands on a field of a behaviour.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `#[sync_var]`, with its place.
    pub(crate) sync_var: Option<Span>,
    pub(crate) hook: Option<Ident>,
    /// `#[network_behaviour(base)]`, with its place.
    pub(crate) base: Option<Span>,
}

/// What stands on a value.
#[derive(Default)]
pub(crate) struct ValueAttrs {
    pub(crate) krate: Option<Path>,
}

/// What stands on a member of a value.
#[derive(Default)]
pub(crate) struct MemberAttrs {
    /// `#[sync_value(skip)]`, with its place.
    pub(crate) skip: Option<Span>,
}

impl BehaviourAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs {
            if attr.path().is_ident("sync_var") {
                errors.add(attr, "`#[sync_var]` belongs on a field, not on the struct");
            }
            if !attr.path().is_ident("network_behaviour") {
                continue;
            }
            const KEYS: &[&str] = &["crate", "send_interval", "channel"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                    "send_interval" => {
                        set(&mut found.send_interval, meta, seconds(meta)?, errors);
                    }
                    "channel" => set(&mut found.channel, meta, channel(meta)?, errors),
                    "base" => {
                        return Err(
                            meta.error("`base` belongs on a field: the one that is the base")
                        );
                    }
                    _ => return Err(unknown(meta, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

impl FieldAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs {
            if attr.path().is_ident("sync_var") {
                found.parse_sync_var(attr, errors);
            } else if attr.path().is_ident("network_behaviour") {
                found.parse_network_behaviour(attr, errors);
            }
        }
        found
    }

    fn parse_sync_var(&mut self, attr: &Attribute, errors: &mut Errors) {
        if self.sync_var.replace(attr.span()).is_some() {
            errors.add(
                attr,
                "a second `#[sync_var]` on this field: write everything into one",
            );
            return;
        }
        if attr.meta.require_path_only().is_ok() {
            return;
        }
        const KEYS: &[&str] = &["hook"];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "hook" => set(&mut self.hook, meta, method(meta)?, errors),
                "send_interval" | "channel" => {
                    return Err(meta.error(format!(
                        "`{key}` belongs on the struct: `#[network_behaviour({key} = ...)]`"
                    )));
                }
                _ => return Err(unknown(meta, KEYS)),
            }
            Ok(())
        });
    }

    fn parse_network_behaviour(&mut self, attr: &Attribute, errors: &mut Errors) {
        const KEYS: &[&str] = &["base"];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "base" => set(&mut self.base, meta, word(meta)?, errors),
                "crate" | "send_interval" | "channel" => {
                    return Err(
                        meta.error(format!("`{key}` belongs on the struct, not on a field"))
                    );
                }
                _ => return Err(unknown(meta, KEYS)),
            }
            Ok(())
        });
    }
}

impl ValueAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs
            .iter()
            .filter(|attr| attr.path().is_ident("sync_value"))
        {
            const KEYS: &[&str] = &["crate"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                    "skip" => return Err(meta.error("`skip` belongs on a member, not on the type")),
                    _ => return Err(unknown(meta, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

impl MemberAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs
            .iter()
            .filter(|attr| attr.path().is_ident("sync_value"))
        {
            const KEYS: &[&str] = &["skip"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "skip" => set(&mut found.skip, meta, word(meta)?, errors),
                    "crate" => {
                        return Err(meta.error("`crate` belongs on the type, not on a member"));
                    }
                    _ => return Err(unknown(meta, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

/// Goes through the keys of one attribute. A key that `action` refuses is reported, with its value
/// skipped.
fn parse_keys(
    attr: &Attribute,
    keys: &[&str],
    errors: &mut Errors,
    mut action: impl FnMut(&ParseNestedMeta<'_>, &str, &mut Errors) -> syn::Result<()>,
) {
    if !matches!(&attr.meta, syn::Meta::List(_)) {
        let name = attr.path().to_token_stream();
        let known = quoted(keys);
        errors.add(
            attr,
            format!(
                "`#[{name}]` is written with parentheses: `#[{name}(...)]`, with {known} inside"
            ),
        );
        return;
    }
    let parsed = attr.parse_nested_meta(|meta| {
        let key = meta
            .path
            .get_ident()
            .map(|ident| ident.unraw().to_string())
            .unwrap_or_default();
        if let Err(error) = action(&meta, &key, errors) {
            errors.add_error(error);
            skip_value(&meta)?;
        }
        Ok(())
    });
    if let Err(error) = parsed {
        errors.add_error(error);
    }
}

/// Skips what follows a key that was refused, up to the next comma.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// Keeps a key's value; a second one is reported.
fn set<T>(slot: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T, errors: &mut Errors) {
    if slot.is_some() {
        let key = meta.path.to_token_stream();
        errors.add(&meta.path, format!("`{key}` is given twice"));
    } else {
        *slot = Some(value);
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, keys: &[&str]) -> syn::Error {
    let key = meta.path.to_token_stream().to_string().replace(' ', "");
    let similar = keys.iter().find(|known| distance(known, &key) <= 2);
    match similar {
        Some(known) => meta.error(format!("unknown key `{key}`; did you mean `{known}`?")),
        None => meta.error(format!("unknown key `{key}`; known here: {}", quoted(keys))),
    }
}

fn quoted(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(", ")
}

/// How many letters have to be changed, added or dropped.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A key without a value.
fn word(meta: &ParseNestedMeta<'_>) -> syn::Result<Span> {
    if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
        let key = meta.path.to_token_stream();
        return Err(meta.error(format!("`{key}` stands alone, without a value")));
    }
    Ok(meta.path.span())
}

fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let value = meta.value()?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        return Err(syn::Error::new_spanned(
            &text,
            format!("write the path without quotes: `crate = {}`", text.value()),
        ));
    }
    value.call(Path::parse_mod_style)
}

/// The name of a method.
fn method(meta: &ParseNestedMeta<'_>) -> syn::Result<Ident> {
    const EXAMPLE: &str = "`hook` names a method of this struct: `hook = on_health_changed`";
    if !meta.input.peek(Token![=]) {
        return Err(meta.error(EXAMPLE));
    }
    let value = meta.value()?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        let message = format!(
            "write the method's name without quotes: `hook = {}`",
            text.value()
        );
        return Err(syn::Error::new_spanned(&text, message));
    }
    let expression: Expr = value.parse()?;
    match &expression {
        Expr::Path(path) if path.path.get_ident().is_some() => path.path.require_ident().cloned(),
        _ => Err(syn::Error::new_spanned(&expression, EXAMPLE)),
    }
}

/// A number of seconds.
fn seconds(meta: &ParseNestedMeta<'_>) -> syn::Result<f64> {
    const EXAMPLE: &str =
        "`send_interval` is a number of seconds between 0 and 3600, such as `send_interval = 0.1`";
    if !meta.input.peek(Token![=]) {
        return Err(meta.error(EXAMPLE));
    }
    let expression: Expr = meta.value()?.parse()?;
    let text = expression.to_token_stream().to_string();
    let number = syn::parse_str::<LitFloat>(&text)
        .and_then(|literal| literal.base10_parse::<f64>())
        .or_else(|_| {
            syn::parse_str::<LitInt>(&text).and_then(|literal| literal.base10_parse::<f64>())
        });
    match number {
        Ok(number) if (0.0..=3600.0).contains(&number) => Ok(number),
        _ => Err(syn::Error::new_spanned(&expression, EXAMPLE)),
    }
}

/// The number of a channel.
fn channel(meta: &ParseNestedMeta<'_>) -> syn::Result<u8> {
    const EXAMPLE: &str = "`channel` is a number between 0 and 255, such as `channel = 1`";
    if !meta.input.peek(Token![=]) {
        return Err(meta.error(EXAMPLE));
    }
    let expression: Expr = meta.value()?.parse()?;
    let literal = syn::parse_str::<LitInt>(&expression.to_token_stream().to_string());
    literal
        .and_then(|literal| literal.base10_parse())
        .map_err(|_| syn::Error::new_spanned(&expression, EXAMPLE))
}
