//! Syntax of `#[network_calls(...)]`, `#[command(...)]` and the remaining call attributes.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitBool, LitStr, Path, parse_quote};

use crate::attr::{
    FormerNames, UNRELIABLE, channel, distance, former_names, number, parse_keys, path, quoted,
    set, value, word,
};
use crate::errors::Errors;

/// Kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    Command,
    ClientRpc,
    TargetRpc,
    SyncEvent,
}

/// Receivers of a call of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Observers,
    Owner,
    NotOwner,
    Everyone,
}

/// Attributes of the block.
#[derive(Default)]
pub(crate) struct BlockAttrs {
    pub(crate) krate: Option<Path>,
}

/// Attributes of a call.
#[derive(Default)]
pub(crate) struct CallAttrs {
    pub(crate) channel: Option<u8>,
    /// `after_state`, with its place.
    pub(crate) after_state: Option<Span>,
    pub(crate) name: Option<LitStr>,
    pub(crate) mirror: Option<LitStr>,
    /// Former names of the method.
    pub(crate) was: Option<FormerNames>,
    pub(crate) requires_ownership: Option<bool>,
    pub(crate) rate: Option<f64>,
    pub(crate) target: Option<Audience>,
}

impl CallKind {
    const ALL: [Self; 4] = [
        Self::Command,
        Self::ClientRpc,
        Self::TargetRpc,
        Self::SyncEvent,
    ];

    /// Returns the name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::ClientRpc => "client_rpc",
            Self::TargetRpc => "target_rpc",
            Self::SyncEvent => "sync_event",
        }
    }

    /// Returns the prefix of UNet's name.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Command => "Cmd",
            Self::ClientRpc => "Rpc",
            Self::TargetRpc => "Target",
            Self::SyncEvent => "Event",
        }
    }

    /// Returns the kind's part of UNet's hashes.
    pub(crate) fn unity_text(self) -> &'static str {
        match self {
            Self::TargetRpc => "TargetRpc",
            other => other.prefix(),
        }
    }

    /// Returns the kind of a call attribute; `None` for further attributes.
    pub(crate) fn of(attr: &Attribute) -> Option<Self> {
        let name = &attr.path().segments.last()?.ident;
        Self::ALL.into_iter().find(|kind| name == kind.attribute())
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Command => &[
                "requires_ownership",
                "channel",
                "unreliable",
                "rate",
                "name",
                "mirror",
                "was",
            ],
            Self::ClientRpc => &[
                "target",
                "channel",
                "unreliable",
                "after_state",
                "name",
                "mirror",
                "was",
            ],
            Self::TargetRpc => &["channel", "name", "mirror", "was"],
            Self::SyncEvent => &["channel", "name", "was"],
        }
    }
}

impl BlockAttrs {
    pub(crate) fn parse(tokens: &TokenStream, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        if tokens.is_empty() {
            return found;
        }
        const KEYS: &[&str] = &["crate"];
        let attr: Attribute = parse_quote!(#[network_calls(#tokens)]);
        parse_keys(&attr, KEYS, errors, |meta, key, errors| {
            match key {
                "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                _ => return Err(unknown(meta, key, KEYS)),
            }
            Ok(())
        });
        found
    }
}

impl CallAttrs {
    pub(crate) fn parse(kind: CallKind, attr: &Attribute, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        if attr.meta.require_path_only().is_ok() {
            return found;
        }
        let keys = kind.keys();
        parse_keys(attr, keys, errors, |meta, key, errors| {
            if !keys.contains(&key) {
                return Err(unknown(meta, key, keys));
            }
            match key {
                "channel" => set_channel(&mut found.channel, meta, channel(meta)?, errors),
                "unreliable" => {
                    word(meta)?;
                    set_channel(&mut found.channel, meta, UNRELIABLE, errors);
                }
                "after_state" => set(&mut found.after_state, meta, word(meta)?, errors),
                "name" => set(&mut found.name, meta, name(meta)?, errors),
                "mirror" => set(&mut found.mirror, meta, mirror(meta)?, errors),
                "was" => set(&mut found.was, meta, former_names(meta)?, errors),
                "rate" => set(&mut found.rate, meta, rate(meta)?, errors),
                "target" => set(&mut found.target, meta, target(meta)?, errors),
                _ => set(
                    &mut found.requires_ownership,
                    meta,
                    requires_ownership(meta)?,
                    errors,
                ),
            }
            Ok(())
        });
        found
    }
}

/// Stores the channel, which has two keys; reports a second channel.
fn set_channel(
    slot: &mut Option<u8>,
    meta: &ParseNestedMeta<'_>,
    channel: u8,
    errors: &mut Errors,
) {
    if slot.is_some() {
        errors.add(
            &meta.path,
            "the channel is given twice, as `channel` or `unreliable`: keep one of them",
        );
    } else {
        *slot = Some(channel);
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, key: &str, keys: &[&str]) -> syn::Error {
    let owner = { CallKind::ALL }
        .into_iter()
        .find(|kind| kind.keys().contains(&key));
    if let Some(owner) = owner {
        let message = format!("`{key}` belongs on `#[{}(...)]`", owner.attribute());
        return meta.error(message);
    }
    let key = meta.path.to_token_stream().to_string().replace(' ', "");
    let similar = keys.iter().find(|known| distance(known, &key) <= 2);
    let hint = match similar {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("known here: {}", quoted(keys)),
    };
    meta.error(format!("unknown key `{key}`; {hint}"))
}

fn name(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    const EXAMPLE: &str = "`name` is the name of the call in UNet, in quotes: `name = \"CmdFire\"`";
    let value = value(meta, EXAMPLE)?;
    let text: LitStr = value
        .parse()
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))?;
    if text.value().is_empty() {
        return Err(syn::Error::new_spanned(&text, EXAMPLE));
    }
    Ok(text)
}

/// Parses the full name of a method, as Mirror hashes it: `System.Void Namespace.Type::Method(Type,Type)`.
fn mirror(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    const EXAMPLE: &str = "`mirror` is the full name of the method in C#, with the types of all its \
         parameters: `mirror = \"System.Void Game.Player::CmdFire(System.Int32,UnityEngine.Vector3)\"`";
    let value = value(meta, EXAMPLE)?;
    let text: LitStr = value
        .parse()
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))?;
    if !is_method(&text.value()) {
        return Err(syn::Error::new_spanned(&text, EXAMPLE));
    }
    Ok(text)
}

/// Returns whether the text has the shape `System.Void Type::Method(Type,Type)`.
fn is_method(text: &str) -> bool {
    let method = text.strip_prefix("System.Void ");
    let method = method.and_then(|method| method.strip_suffix(')'));
    let Some((method, parameters)) = method.and_then(|method| method.split_once('(')) else {
        return false;
    };
    let Some((class, name)) = method.split_once("::") else {
        return false;
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_`".contains(c))
    };
    let is_class = class.split(['.', '/']).all(is_name);
    let has_types = parameters.is_empty() || parameters.split(',').all(|ty| !ty.is_empty());
    is_class && is_name(name) && has_types && !parameters.contains([' ', '(', ')'])
}

fn requires_ownership(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    const EXAMPLE: &str = "`requires_ownership` is `true` or `false`, by default `true`: `requires_ownership = false`";
    let value: LitBool = value(meta, EXAMPLE)?
        .parse()
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))?;
    Ok(value.value)
}

/// Parses a number of calls a second.
fn rate(meta: &ParseNestedMeta<'_>) -> syn::Result<f64> {
    const EXAMPLE: &str = "`rate` is a number of calls a second, more than 0, such as `rate = 5.0`";
    number(meta, EXAMPLE, |rate| rate > 0.0 && rate.is_finite())
}

fn target(meta: &ParseNestedMeta<'_>) -> syn::Result<Audience> {
    const EXAMPLE: &str =
        "`target` is one of `observers`, `owner`, `not_owner`, `everyone`: `target = not_owner`";
    let ident: Ident = value(meta, EXAMPLE)?
        .parse()
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))?;
    Ok(match ident.to_string().as_str() {
        "observers" => Audience::Observers,
        "owner" => Audience::Owner,
        "not_owner" => Audience::NotOwner,
        "everyone" => Audience::Everyone,
        _ => return Err(syn::Error::new_spanned(&ident, EXAMPLE)),
    })
}
