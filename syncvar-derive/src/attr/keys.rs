//! Keys of an attribute: known keys, hints for unknown keys, and the check for duplicates.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Meta, Token};

use crate::errors::Errors;

const BEHAVIOUR: &str = "the struct: `#[network_behaviour";
const FIELD: &str = "a synchronised field: `#[sync_var";

/// Keys with the item that an attribute with the key belongs to, and an example of the arguments.
const PLACES: &[(&str, &str, &str)] = &[
    ("crate", BEHAVIOUR, "crate = ..."),
    ("send_interval", BEHAVIOUR, "send_interval = ..."),
    ("lifecycle", BEHAVIOUR, "lifecycle"),
    ("synchronize", BEHAVIOUR, "synchronize"),
    ("sync_mode", BEHAVIOUR, "sync_mode = ..."),
    ("sync_direction", BEHAVIOUR, "sync_direction = ..."),
    ("sync_method", BEHAVIOUR, "sync_method = ..."),
    ("channel", BEHAVIOUR, "channel = ..."),
    ("redundancy", BEHAVIOUR, "redundancy = 1"),
    ("gather", BEHAVIOUR, "gather = false"),
    (
        "base",
        "the field of the base, in place of `#[sync_var]`: `#[network_behaviour",
        "base",
    ),
    ("was", FIELD, "was = \"hp\""),
    ("with", FIELD, "with = ..."),
    ("constant", FIELD, "constant = ..."),
    ("hook", FIELD, "hook = ..."),
    (
        "batch_hook",
        "a synchronised collection: `#[sync_var",
        "batch_hook = ...",
    ),
    ("read", FIELD, "read = owner"),
    ("write", FIELD, "write = owner"),
    ("server_override", FIELD, "write = owner, server_override"),
    ("check", FIELD, "write = owner, check = ..."),
    ("initial_only", FIELD, "initial_only"),
    ("min_interval", FIELD, "min_interval = ..."),
    ("max_interval", FIELD, "max_interval = ..."),
    ("threshold", FIELD, "threshold = ..."),
    ("history", FIELD, "history = 0.5"),
    ("on_view", FIELD, "on_view = ..."),
    ("interpolate", FIELD, "interpolate = linear"),
    (
        "extrapolate",
        FIELD,
        "interpolate = linear, extrapolate = ...",
    ),
    ("snap", FIELD, "interpolate = linear, snap = ..."),
    (
        "initial_hook",
        "a synchronised field with a hook: `#[sync_var",
        "hook = ..., initial_hook",
    ),
];

/// Returns the correct place of a misplaced key.
fn placement_hint(key: &str) -> Option<String> {
    if key == "skip" {
        return Some("a field without `#[sync_var]` does not travel: remove the attribute".into());
    }
    let (_, place, arguments) = PLACES.iter().find(|(name, ..)| *name == key)?;
    let for_a_field = match key {
        "sync_mode" => "; for a field alone write `read = owner`",
        "sync_direction" => "; for a field alone write `write = owner`",
        _ => "",
    };
    Some(format!(
        "`{key}` belongs on {place}({arguments})]`{for_a_field}"
    ))
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
    if let Some(message) =
        placement_hint(key).filter(|_| !keys.contains(&"skip") && !keys.contains(&"other"))
    {
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
        "readonly" | "serverauthority" => {
            "only the server writes a field without `write = owner`: leave it out"
        }
        "server" | "serveronly" | "readserver" | "save" | "saved" | "persist" | "persistent" => {
            "only the server writes a field without `write = owner`: leave it out; write `read = server` for a field \
             that no client receives, and that the server saves"
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
