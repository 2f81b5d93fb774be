//! The syntax of `#[sync_var(...)]`, `#[network_behaviour(...)]` and `#[sync_value(...)]`.
//!
//! Says what was written, and where; knows no meaning. A key that is wrong, doubled or out of place
//! is reported and skipped, so that the rest is still looked at.

mod rules;

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token, Type};

use crate::errors::Errors;
pub(crate) use rules::RuleAttrs;

/// What stands on a behaviour.
#[derive(Default)]
pub(crate) struct BehaviourAttrs {
    pub(crate) krate: Option<Path>,
    pub(crate) send_interval: Option<f64>,
    pub(crate) channel: Option<u8>,
    /// `lifecycle`, with its place.
    pub(crate) lifecycle: Option<Span>,
    /// `synchronize`, with its place.
    pub(crate) synchronize: Option<Span>,
}

/// What stands on a field of a behaviour.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `#[sync_var]`, with its place.
    pub(crate) sync_var: Option<Span>,
    pub(crate) hook: Option<Ident>,
    pub(crate) batch_hook: Option<Ident>,
    /// `initial_hook`, with its place.
    pub(crate) initial_hook: Option<Span>,
    /// How the value travels, where that is not its own way.
    pub(crate) with: Option<Type>,
    pub(crate) rules: RuleAttrs,
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
            const KEYS: &[&str] = &[
                "crate",
                "send_interval",
                "channel",
                "lifecycle",
                "synchronize",
            ];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                    "send_interval" => set(&mut found.send_interval, meta, seconds(meta)?, errors),
                    "channel" => set(&mut found.channel, meta, channel(meta)?, errors),
                    "lifecycle" => set(&mut found.lifecycle, meta, word(meta)?, errors),
                    "synchronize" => set(&mut found.synchronize, meta, word(meta)?, errors),
                    _ => return Err(unknown(meta, key, KEYS)),
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
        if self.sync_var.replace(attr.path().span()).is_some() {
            errors.add(
                attr,
                "a second `#[sync_var]` on this field: write everything into one",
            );
            return;
        }
        if attr.meta.require_path_only().is_ok() {
            return;
        }
        const KEYS: &[&str] = &[
            "hook",
            "batch_hook",
            "initial_hook",
            "with",
            "read",
            "write",
            "server_override",
            "initial_only",
            "min_interval",
            "max_interval",
            "threshold",
        ];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "hook" => {
                    const EXAMPLE: &str =
                        "`hook` names a method of this struct: `hook = on_health_changed`";
                    set(&mut self.hook, meta, method(meta, EXAMPLE)?, errors);
                }
                "batch_hook" => {
                    const EXAMPLE: &str = "`batch_hook` names a method of this struct: `batch_hook = on_buffs_changed`";
                    set(&mut self.batch_hook, meta, method(meta, EXAMPLE)?, errors);
                }
                "initial_hook" => set(&mut self.initial_hook, meta, word(meta)?, errors),
                "with" => set(&mut self.with, meta, codec(meta)?, errors),
                _ if rules::KEYS.contains(&key) => self.rules.parse(meta, key, errors)?,
                _ => return Err(unknown(meta, key, KEYS)),
            }
            Ok(())
        });
    }

    fn parse_network_behaviour(&mut self, attr: &Attribute, errors: &mut Errors) {
        const KEYS: &[&str] = &["base"];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "base" => set(&mut self.base, meta, word(meta)?, errors),
                _ => return Err(unknown(meta, key, KEYS)),
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
                    _ => return Err(unknown(meta, key, KEYS)),
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
                        return Err(meta.error(
                            "`crate` belongs on the type, not on a member: `#[sync_value(crate = ...)]`",
                        ));
                    }
                    _ => return Err(unknown(meta, key, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

/// Where a key belongs that stands at the wrong place of a behaviour.
fn belongs(key: &str) -> Option<&'static str> {
    Some(match key {
        "crate" => "`crate` belongs on the struct: `#[network_behaviour(crate = ...)]`",
        "send_interval" => {
            "`send_interval` belongs on the struct: `#[network_behaviour(send_interval = ...)]`"
        }
        "lifecycle" => "`lifecycle` belongs on the struct: `#[network_behaviour(lifecycle)]`",
        "synchronize" => "`synchronize` belongs on the struct: `#[network_behaviour(synchronize)]`",
        "channel" => "`channel` belongs on the struct: `#[network_behaviour(channel = ...)]`",
        "base" => {
            "`base` belongs on the field that is the base, in the place of `#[sync_var]`: \
             `#[network_behaviour(base)]`"
        }
        "with" => "`with` belongs on a synchronised field: `#[sync_var(with = ...)]`",
        "hook" => "`hook` belongs on a synchronised field: `#[sync_var(hook = ...)]`",
        "batch_hook" => {
            "`batch_hook` belongs on a synchronised collection: `#[sync_var(batch_hook = ...)]`"
        }
        "read" => "`read` belongs on a synchronised field: `#[sync_var(read = owner)]`",
        "write" => "`write` belongs on a synchronised field: `#[sync_var(write = owner)]`",
        "server_override" => {
            "`server_override` belongs on a synchronised field: `#[sync_var(write = owner, server_override)]`"
        }
        "initial_only" => {
            "`initial_only` belongs on a synchronised field: `#[sync_var(initial_only)]`"
        }
        "min_interval" => {
            "`min_interval` belongs on a synchronised field: `#[sync_var(min_interval = ...)]`"
        }
        "max_interval" => {
            "`max_interval` belongs on a synchronised field: `#[sync_var(max_interval = ...)]`"
        }
        "threshold" => {
            "`threshold` belongs on a synchronised field: `#[sync_var(threshold = ...)]`"
        }
        "initial_hook" => {
            "`initial_hook` belongs on a synchronised field with a hook: `#[sync_var(hook = ..., initial_hook)]`"
        }
        "skip" => "a field without `#[sync_var]` does not travel: remove the attribute",
        _ => return None,
    })
}

/// Goes through the keys of one attribute. A key that `action` refuses is reported, with its value
/// skipped.
pub(crate) fn parse_keys(
    attr: &Attribute,
    keys: &[&str],
    errors: &mut Errors,
    mut action: impl FnMut(&ParseNestedMeta<'_>, &str, &mut Errors) -> syn::Result<()>,
) {
    let name = attr.path().to_token_stream();
    if !matches!(&attr.meta, Meta::List(_)) {
        let message = if attr.path().is_ident("sync_var") {
            "write `#[sync_var]` or `#[sync_var(hook = on_health_changed)]`".into()
        } else {
            format!(
                "`#[{name}]` is written with parentheses: `#[{name}(...)]`, with {} inside",
                quoted(keys)
            )
        };
        errors.add(attr, message);
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
        let literal = error.to_string().starts_with("unexpected literal");
        let message = format!("a key is expected here; known: {}", quoted(keys));
        errors.add_error(if literal {
            syn::Error::new(error.span(), message)
        } else {
            error
        });
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
pub(crate) fn set<T>(
    slot: &mut Option<T>,
    meta: &ParseNestedMeta<'_>,
    value: T,
    errors: &mut Errors,
) {
    if slot.is_some() {
        let key = meta.path.to_token_stream();
        errors.add(
            &meta.path,
            format!("`{key}` is given twice: keep one of them"),
        );
    } else {
        *slot = Some(value);
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, key: &str, keys: &[&str]) -> syn::Error {
    if let Some(message) = belongs(key).filter(|_| !keys.contains(&"skip")) {
        return meta.error(message);
    }
    let key = meta.path.to_token_stream().to_string().replace(' ', "");
    let similar = keys.iter().find(|known| distance(known, &key) <= 2);
    let hint = match similar {
        Some(known) => format!("did you mean `{known}`?"),
        None if keys.contains(&"hook") && !meta.input.peek(Token![=]) => {
            format!(
                "did you mean `hook = {}`?",
                key.rsplit("::").next().unwrap_or_default()
            )
        }
        None => format!("known here: {}", quoted(keys)),
    };
    meta.error(format!("unknown key `{key}`; {hint}"))
}

pub(crate) fn quoted(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(", ")
}

/// How many letters have to be changed, added or dropped.
pub(crate) fn distance(a: &str, b: &str) -> usize {
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

/// What stands behind a key's `=`; the example says what should.
pub(crate) fn value<'a>(meta: &ParseNestedMeta<'a>, example: &str) -> syn::Result<ParseStream<'a>> {
    if !meta.input.peek(Token![=]) {
        return Err(meta.error(example));
    }
    let value = meta.value()?;
    if value.is_empty() || value.peek(Token![,]) {
        return Err(meta.error(example));
    }
    Ok(value)
}

pub(crate) fn path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let value = value(meta, "`crate` is a path: `crate = syncvar`")?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        let message = format!("write the path without quotes: `crate = {}`", text.value());
        return Err(syn::Error::new_spanned(&text, message));
    }
    value.call(Path::parse_mod_style)
}

/// The name of a method.
fn method(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Ident> {
    let value = value(meta, example)?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        let message = format!(
            "write the method's name without quotes: `{} = {}`",
            meta.path.to_token_stream(),
            text.value()
        );
        return Err(syn::Error::new_spanned(&text, message));
    }
    let expression: Expr = value.parse()?;
    match &expression {
        Expr::Path(path) if path.path.get_ident().is_some() => path.path.require_ident().cloned(),
        _ => Err(syn::Error::new_spanned(&expression, example)),
    }
}

/// The type that encodes a value.
fn codec(meta: &ParseNestedMeta<'_>) -> syn::Result<Type> {
    const EXAMPLE: &str = "`with` names the type that encodes the value: `with = Half`";
    let value = value(meta, EXAMPLE)?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        let message = format!("write the type without quotes: `with = {}`", text.value());
        return Err(syn::Error::new_spanned(&text, message));
    }
    value
        .parse()
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))
}

/// A number of seconds for `send_interval`.
fn seconds(meta: &ParseNestedMeta<'_>) -> syn::Result<f64> {
    const EXAMPLE: &str =
        "`send_interval` is a number of seconds between 0 and 3600, such as `send_interval = 0.1`";
    seconds_as(meta, EXAMPLE)
}

/// A number of seconds; the example says what it is for.
fn seconds_as(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<f64> {
    let expression: Expr = value(meta, example)?.parse()?;
    let number = match &expression {
        Expr::Lit(ExprLit {
            lit: Lit::Float(literal),
            ..
        }) => literal.base10_parse::<f64>().ok(),
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse::<f64>().ok(),
        _ => None,
    };
    number
        .filter(|number| (0.0..=3600.0).contains(number))
        .ok_or_else(|| syn::Error::new_spanned(&expression, example))
}

/// The number of a channel.
pub(crate) fn channel(meta: &ParseNestedMeta<'_>) -> syn::Result<u8> {
    const EXAMPLE: &str = "`channel` is a number between 0 and 255, such as `channel = 1`";
    let expression: Expr = value(meta, EXAMPLE)?.parse()?;
    let number = match &expression {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| syn::Error::new_spanned(&expression, EXAMPLE))
}
