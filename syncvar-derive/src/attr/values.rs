//! Values of the keys of an attribute.

use proc_macro2::Span;
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token, Type};

use super::spanned::Spanned;

/// Number of the reliable channel in default settings.
pub(crate) const RELIABLE: u8 = 0;

/// Number of the unreliable channel in default settings.
pub(crate) const UNRELIABLE: u8 = 1;

/// Parses a key without a value.
pub(crate) fn word(meta: &ParseNestedMeta<'_>) -> syn::Result<Span> {
    if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
        let key = meta.path.to_token_stream();
        return Err(meta.error(format!("`{key}` takes no value: write `{key}` alone")));
    }
    Ok(meta.path.span())
}

/// Parses the `=` behind a key and returns its value; the example shows a correct value.
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

/// Parses a name.
pub(super) fn method(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Ident> {
    let value = value(meta, example)?;
    if value.peek(LitStr) {
        let text: LitStr = value.parse()?;
        let message = format!(
            "write the name without quotes: `{} = {}`",
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

/// Parses the type of a codec.
pub(super) fn codec(meta: &ParseNestedMeta<'_>) -> syn::Result<Type> {
    const EXAMPLE: &str = "`with` names the codec of the value: `with = Half`";
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

/// Parses a number of seconds for `send_interval`.
pub(super) fn seconds(meta: &ParseNestedMeta<'_>) -> syn::Result<f64> {
    const EXAMPLE: &str =
        "`send_interval` is a number of seconds between 0 and 3600, such as `send_interval = 0.1`";
    seconds_as(meta, EXAMPLE)
}

/// Parses a number of seconds; the example shows its use.
pub(super) fn seconds_as(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<f64> {
    number(meta, example, |seconds| (0.0..=3600.0).contains(&seconds))
}

/// Parses a number with or without a fraction, in its valid range; the example names the range.
pub(crate) fn number(
    meta: &ParseNestedMeta<'_>,
    example: &str,
    is_right: impl Fn(f64) -> bool,
) -> syn::Result<f64> {
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
        .filter(|number| is_right(*number))
        .ok_or_else(|| syn::Error::new_spanned(&expression, example))
}

/// Parses the number of frames that repeat a change.
pub(super) fn redundancy(meta: &ParseNestedMeta<'_>) -> syn::Result<Spanned<u8>> {
    const EXAMPLE: &str =
        "`redundancy` is the number of later frames that repeat a change, 0 or 1: `redundancy = 1`";
    let frames = number(meta, EXAMPLE, |frames| [0.0, 1.0].contains(&frames))?;
    Ok(Spanned {
        value: u8::from(frames > 0.0),
        span: meta.path.span(),
    })
}

/// Parses whether changes wait for the other changes of their tick.
pub(super) fn gather(meta: &ParseNestedMeta<'_>) -> syn::Result<Spanned<bool>> {
    const EXAMPLE: &str = "`gather` says whether changes in a datagram wait for the other packets of their tick, `true` \
         or `false`: `gather = false`";
    let expression: Expr = value(meta, EXAMPLE)?.parse()?;
    match &expression {
        Expr::Lit(ExprLit {
            lit: Lit::Bool(literal),
            ..
        }) => Ok(Spanned {
            value: literal.value,
            span: meta.path.span(),
        }),
        _ => Err(syn::Error::new_spanned(&expression, EXAMPLE)),
    }
}

/// Parses a channel: its number, or its kind in default settings.
pub(crate) fn channel(meta: &ParseNestedMeta<'_>) -> syn::Result<u8> {
    const EXAMPLE: &str = "`channel` is `reliable`, `unreliable`, or a number between 0 and 255: \
         `channel = unreliable`";
    let expression: Expr = value(meta, EXAMPLE)?.parse()?;
    let number = match &expression {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse().ok(),
        Expr::Path(path) if path.path.is_ident("reliable") => Some(RELIABLE),
        Expr::Path(path) if path.path.is_ident("unreliable") => Some(UNRELIABLE),
        _ => None,
    };
    number.ok_or_else(|| syn::Error::new_spanned(&expression, EXAMPLE))
}
