//! Keys of an attribute: known keys, hints for unknown keys, and the check for duplicates.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Meta, Token};

use crate::errors::Errors;

/// Returns the correct place of a misplaced key of a behaviour.
fn placement_hint(key: &str) -> Option<&'static str> {
    Some(match key {
        "crate" => "`crate` belongs on the struct: `#[network_behaviour(crate = ...)]`",
        "send_interval" => {
            "`send_interval` belongs on the struct: `#[network_behaviour(send_interval = ...)]`"
        }
        "lifecycle" => "`lifecycle` belongs on the struct: `#[network_behaviour(lifecycle)]`",
        "synchronize" => "`synchronize` belongs on the struct: `#[network_behaviour(synchronize)]`",
        "sync_mode" => {
            "`sync_mode` belongs on the struct: `#[network_behaviour(sync_mode = ...)]`; for a field alone write \
             `read = owner`"
        }
        "sync_direction" => {
            "`sync_direction` belongs on the struct: `#[network_behaviour(sync_direction = ...)]`; for a field \
             alone write `write = owner`"
        }
        "sync_method" => {
            "`sync_method` belongs on the struct: `#[network_behaviour(sync_method = ...)]`"
        }
        "channel" => "`channel` belongs on the struct: `#[network_behaviour(channel = ...)]`",
        "redundancy" => {
            "`redundancy` belongs on the struct: `#[network_behaviour(redundancy = 1)]`"
        }
        "gather" => "`gather` belongs on the struct: `#[network_behaviour(gather = false)]`",
        "base" => {
            "`base` belongs on the field of the base, in place of `#[sync_var]`: `#[network_behaviour(base)]`"
        }
        "with" => "`with` belongs on a synchronised field: `#[sync_var(with = ...)]`",
        "constant" => "`constant` belongs on a synchronised field: `#[sync_var(constant = ...)]`",
        "hook" => "`hook` belongs on a synchronised field: `#[sync_var(hook = ...)]`",
        "batch_hook" => {
            "`batch_hook` belongs on a synchronised collection: `#[sync_var(batch_hook = ...)]`"
        }
        "read" => "`read` belongs on a synchronised field: `#[sync_var(read = owner)]`",
        "write" => "`write` belongs on a synchronised field: `#[sync_var(write = owner)]`",
        "server_override" => {
            "`server_override` belongs on a synchronised field: `#[sync_var(write = owner, server_override)]`"
        }
        "check" => {
            "`check` belongs on a synchronised field: `#[sync_var(write = owner, check = ...)]`"
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
        "history" => "`history` belongs on a synchronised field: `#[sync_var(history = 0.5)]`",
        "on_view" => "`on_view` belongs on a synchronised field: `#[sync_var(on_view = ...)]`",
        "interpolate" | "extrapolate" | "snap" => {
            "this key belongs on a synchronised field: `#[sync_var(interpolate = linear)]`"
        }
        "initial_hook" => {
            "`initial_hook` belongs on a synchronised field with a hook: `#[sync_var(hook = ..., initial_hook)]`"
        }
        "skip" => "a field without `#[sync_var]` does not travel: remove the attribute",
        _ => return None,
    })
}

/// Parses the keys of an attribute. A key that `action` refuses is reported, with its value
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

/// Skips the value of a refused key, up to the next comma.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        meta.input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// Stores a key's value; reports a second value.
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

pub(super) fn unknown(meta: &ParseNestedMeta<'_>, key: &str, keys: &[&str]) -> syn::Error {
    if let Some(message) = placement_hint(key).filter(|_| !keys.contains(&"skip")) {
        return meta.error(message);
    }
    let key = meta.path.to_token_stream().to_string().replace(' ', "");
    let similar = keys.iter().find(|known| distance(known, &key) <= 2);
    let word = key.rsplit("::").next().unwrap_or_default();
    let other = other_name(word).filter(|_| keys.contains(&"hook"));
    let hint = match (other, similar) {
        (Some(hint), _) => hint.to_owned(),
        (None, Some(known)) => format!("did you mean `{known}`?"),
        (None, None) if keys.contains(&"hook") && names_method(meta, word) => {
            format!("did you mean `hook = {word}`?")
        }
        (None, None) => format!("known here: {}", quoted(keys)),
    };
    meta.error(format!("unknown key `{key}`; {hint}"))
}

/// Returns whether a word alone is probably the name of a hook.
fn names_method(meta: &ParseNestedMeta<'_>, word: &str) -> bool {
    let is_method = word.starts_with("on_") || word.contains("change") || word.contains("hook");
    is_method && !meta.input.peek(Token![=])
}

/// Returns the text to write for a setting of a field under the name in a different library.
fn other_name(key: &str) -> Option<&'static str> {
    let key = key.to_lowercase().replace('_', "");
    Some(match &*key {
        "owner" | "owneronly" | "private" | "readowner" => {
            "write `read = owner` for a field that only the owner receives"
        }
        "others" | "skipowner" | "notowner" | "readothers" => {
            "write `read = others` for a field that all but the owner receive"
        }
        "group" | "team" | "party" | "faction" | "role" | "teamonly" | "readgroup" => {
            "write `read = group` for a field that the owner and the observers in the object's group receive"
        }
        "readonly" | "server" | "serveronly" | "serverauthority" => {
            "only the server writes a field without `write = owner`: leave it out"
        }
        "writable" | "ownerwrite" | "writeowner" | "clientauthority" | "clienttoserver" => {
            "write `write = owner` for a field that the owner's client writes"
        }
        "unreliable" | "reliable" => {
            "the channel belongs to all fields of a struct: `#[network_behaviour(channel = unreliable)]`"
        }
        "quantized" | "quantised" | "quantize" | "compress" | "compressed" | "half" | "packed" => {
            "write `with = ...` for an encoding, such as `with = Half` or `with = Quantized<-500, 500, 100>`"
        }
        "once" | "initial" | "initialonly" | "snapshot" | "spawnonly" => {
            "write `initial_only` for a field that travels with snapshots only"
        }
        "rate" | "interval" | "sendinterval" | "syncinterval" => {
            "write `min_interval = 0.5` for the shortest time between two updates, in seconds"
        }
        "onchange" | "onchanged" | "callback" => {
            "write `hook = on_health` for a method that runs when the field changes"
        }
        _ => return None,
    })
}

pub(crate) fn quoted(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(", ")
}

/// Returns the number of letters to change, add or drop.
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
