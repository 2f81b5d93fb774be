//! Keys of `#[sync_var(...)]` for the policy of a field: readers, writers and times.

use proc_macro2::Span;
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Ident, Path};

use super::spanned::Spanned;
use super::{seconds_as, set, value, word};
use crate::errors::Errors;

/// Keys of a policy.
pub(super) const KEYS: &[&str] = &[
    "read",
    "write",
    "server_override",
    "check",
    "initial_only",
    "min_interval",
    "max_interval",
    "threshold",
];

/// Policy of a field: readers, writers and times.
#[derive(Default)]
pub(crate) struct RuleAttrs {
    /// `everyone`, `owner`, `others` or `group`.
    pub(crate) read: Option<Spanned<String>>,
    /// `server` or `owner`.
    pub(crate) write: Option<Spanned<String>>,
    pub(crate) server_override: Option<Span>,
    /// Function that accepts a value of the owner.
    pub(crate) check: Option<Path>,
    pub(crate) initial_only: Option<Span>,
    /// Seconds.
    pub(crate) min_interval: Option<Spanned<f64>>,
    pub(crate) max_interval: Option<Spanned<f64>>,
    /// Function that decides whether a change is large enough.
    pub(crate) threshold: Option<Path>,
}

impl RuleAttrs {
    /// Takes a key of [`KEYS`].
    pub(super) fn parse(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        key: &str,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        match key {
            "read" => {
                const EXAMPLE: &str = "`read` names the readers of the field: `everyone`, `owner`, `others` for all \
                     observers except the owner, `group` for the owner and the observers in the group of the \
                     object, or `server` for no client, as in `read = owner`. For a team, a role or another group write `read = group`, and \
                     name the group on the server: `set_group`, `join_group`";
                let read = one_of(
                    meta,
                    &["everyone", "owner", "others", "group", "server"],
                    EXAMPLE,
                )?;
                set(&mut self.read, meta, read, errors);
            }
            "write" => {
                const EXAMPLE: &str = "`write` names the writer of the field: `server` or `owner`, as in `write = owner`";
                let write = one_of(meta, &["server", "owner"], EXAMPLE)?;
                set(&mut self.write, meta, write, errors);
            }
            "server_override" => set(&mut self.server_override, meta, word(meta)?, errors),
            "check" => {
                const EXAMPLE: &str = "`check` names a method of this struct, `fn(&self, former: &T, new: &T) -> bool` or with a \
                     last argument `elapsed_ticks: u32`: `check = moves_legally`";
                set(&mut self.check, meta, function(meta, EXAMPLE)?, errors);
            }
            "initial_only" => set(&mut self.initial_only, meta, word(meta)?, errors),
            "min_interval" => {
                const EXAMPLE: &str = "`min_interval` is a number of seconds between 0 and 3600, such as `min_interval = 0.5`";
                set(
                    &mut self.min_interval,
                    meta,
                    interval(meta, EXAMPLE)?,
                    errors,
                );
            }
            "max_interval" => {
                const EXAMPLE: &str = "`max_interval` is a number of seconds between 0 and 3600, such as `max_interval = 2.0`";
                set(
                    &mut self.max_interval,
                    meta,
                    interval(meta, EXAMPLE)?,
                    errors,
                );
            }
            _ => {
                const EXAMPLE: &str = "`threshold` names a function of this struct, `fn(&T, &T) -> bool`, for the last \
                     sent value and the present one: `threshold = moved_far`";
                set(&mut self.threshold, meta, function(meta, EXAMPLE)?, errors);
            }
        }
        Ok(())
    }
}

fn function(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Path> {
    let path = value(meta, example)?.call(Path::parse_mod_style);
    path.map_err(|error| syn::Error::new(error.span(), example))
}

fn interval(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Spanned<f64>> {
    let value = seconds_as(meta, example)?;
    let span = meta.path.span();
    Ok(Spanned { value, span })
}

/// Parses a word among several; the example names the words.
pub(super) fn one_of(
    meta: &ParseNestedMeta<'_>,
    known: &[&str],
    example: &str,
) -> syn::Result<Spanned<String>> {
    let input = value(meta, example)?;
    let token: proc_macro2::TokenTree = input.parse()?;
    let text = token.to_string();
    if !known.contains(&&*text) {
        return Err(syn::Error::new_spanned(token.to_token_stream(), example));
    }
    let ident: Ident = syn::parse2(token.into_token_stream())?;
    if !(input.is_empty() || input.peek(syn::Token![,])) {
        let rest: proc_macro2::TokenTree = input.parse()?;
        let key = meta.path.to_token_stream();
        let on_the_server = match &*text {
            "group" => ", and name the group on the server: `set_group`, `join_group`",
            _ => "",
        };
        let message = format!("`{text}` has no argument: write `{key} = {text}`{on_the_server}");
        return Err(syn::Error::new_spanned(rest, message));
    }
    let span = ident.span();
    Ok(Spanned { value: text, span })
}
