//! The four collections, by name: their elements, and their counterparts in std.

use syn::{AngleBracketedGenericArguments, PathArguments, PathSegment, Type};

use super::type_tokens::{arguments, last_segment, parts, type_text};

/// A collection, recognised by its name.
pub(crate) struct Collection<'a> {
    pub(crate) name: &'static str,
    plain: &'static str,
    /// Argument type of its hook.
    pub(crate) change: &'static str,
    key: Option<Key>,
    /// Element types, or key and value types, in their brackets.
    pub(crate) arguments: &'a AngleBracketedGenericArguments,
}

/// Trait requirements of the first type, if it is a key or an element of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Hashed,
    Ordered,
}

/// Collections, their counterparts in std, the argument types of their hooks, their keys.
const COLLECTIONS: &[(&str, &str, &str, Option<Key>)] = &[
    ("SyncList", "Vec", "ListChange", None),
    (
        "SyncDictionary",
        "BTreeMap",
        "DictionaryChange",
        Some(Key::Hashed),
    ),
    ("SyncHashSet", "HashSet", "SetChange", Some(Key::Hashed)),
    ("SyncSortedSet", "BTreeSet", "SetChange", Some(Key::Ordered)),
];

/// Types known as valid keys, by name.
const KEYS: &[&str] = &[
    "bool", "char", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "String", "Vec",
    "Option", "Box", "NetId",
];

impl<'a> Collection<'a> {
    /// Recognises a collection; `None` for any further type.
    pub(crate) fn of(ty: &'a Type) -> Option<Self> {
        let segment = last_segment(ty)?;
        let mut known = COLLECTIONS.iter();
        let (name, plain, change, key) = known.find(|(name, ..)| segment.ident == name)?;
        match &segment.arguments {
            PathArguments::AngleBracketed(found) if arguments(segment).next().is_some() => {
                Some(Self {
                    name,
                    plain,
                    change,
                    key: *key,
                    arguments: found,
                })
            }
            _ => None,
        }
    }

    /// Returns whether it has the right number of arguments; otherwise the compiler reports the mistake.
    pub(crate) fn is_complete(&self) -> bool {
        let takes = if self.name == "SyncDictionary" { 2 } else { 1 };
        self.arguments.args.len() == takes
    }

    /// Returns the element types, each with the requirements of a key if it is one.
    pub(crate) fn elements(ty: &'a Type) -> impl Iterator<Item = (&'a Type, Option<Key>)> {
        let key = Self::of(ty).and_then(|collection| collection.key);
        let keys = key.into_iter().map(Some).chain(std::iter::repeat(None));
        elements(ty).into_iter().zip(keys)
    }
}

/// Returns whether the key type, if any, is known as a valid key.
pub(super) fn keys_are_good(ty: &Type) -> bool {
    key(ty).is_none_or(is_key)
}

fn is_key(ty: &Type) -> bool {
    let of_known_name = |segment: &PathSegment| KEYS.iter().any(|name| segment.ident == *name);
    match ty {
        Type::Tuple(_) | Type::Array(_) => parts(ty).into_iter().all(is_key),
        _ => last_segment(ty).is_some_and(of_known_name) && elements(ty).into_iter().all(is_key),
    }
}

/// Refuses a key type without reliable equality.
pub(super) fn refuse_key(ty: &Type) -> syn::Result<()> {
    let Some(fraction) = key(ty).and_then(find_fraction) else {
        return Ok(());
    };
    let message = format!(
        "`{}` cannot be a key or an element of a set, since NaN does not equal itself: write an integer",
        type_text(fraction)
    );
    Err(syn::Error::new_spanned(fraction, message))
}

/// Returns the key type of a dictionary, or the element type of a set.
fn key(ty: &Type) -> Option<&Type> {
    Collection::of(ty)?.key?;
    elements(ty).into_iter().next()
}

/// Returns the types in the brackets of a type, without the groups that macros put around it.
pub(super) fn elements(ty: &Type) -> Vec<&Type> {
    last_segment(ty).into_iter().flat_map(arguments).collect()
}

/// Returns the first float in a type, as far as its comparison is known: a user's struct
/// may define its own.
fn find_fraction(ty: &Type) -> Option<&Type> {
    let is_one_of = |names: &[&str]| {
        last_segment(ty).is_some_and(|segment| names.iter().any(|name| segment.ident == name))
    };
    if is_one_of(&["f32", "f64"]) {
        return Some(ty);
    }
    let is_transparent = matches!(ty, Type::Tuple(_) | Type::Array(_)) || is_one_of(KEYS);
    let parts = if is_transparent {
        parts(ty)
    } else {
        Vec::new()
    };
    parts.into_iter().find_map(find_fraction)
}

/// Refuses a collection in a `SyncVar`.
pub(super) fn refuse_wrapped(ty: &Type, value: &Type) -> syn::Result<()> {
    let Some(collection) = Collection::of(value) else {
        return Ok(());
    };
    let message = format!(
        "a `{}` is a synchronised field itself: write it without the `SyncVar` around it",
        collection.name
    );
    Err(syn::Error::new_spanned(ty, message))
}

/// Returns the advice for a collection of std: its synchronised counterpart.
pub(super) fn instead_of(ty: &Type) -> Option<String> {
    let segment = last_segment(ty)?;
    let (synchronised, takes) = match &*segment.ident.to_string() {
        "Vec" => ("SyncList", 1),
        "HashMap" | "BTreeMap" => ("SyncDictionary", 2),
        "HashSet" => ("SyncHashSet", 1),
        "BTreeSet" => ("SyncSortedSet", 1),
        _ => return None,
    };
    let parts: Vec<String> = arguments(segment).take(takes).map(type_text).collect();
    let parts = parts.join(", ");
    Some(format!(
        ", or `{synchronised}<{parts}>`, which sends only its changes"
    ))
}

/// Returns the plain counterpart of a synchronised type.
pub(super) fn plain_of(ty: &Type) -> String {
    let parts: Vec<String> = elements(ty).into_iter().map(type_text).collect();
    let parts = parts.join(", ");
    match Collection::of(ty) {
        Some(collection) => format!("{}<{parts}>", collection.plain),
        None => parts,
    }
}

/// Returns the advice for a plain type with a synchronised type inside.
pub(super) fn suggest_replacement(ty: &Type, inner: &Type) -> String {
    let (outer, inside) = (type_text(ty), type_text(inner));
    let plain = outer.replace(&inside, &plain_of(inner));
    let listed = plain.strip_prefix("Vec<");
    match (Collection::of(inner), listed) {
        (Some(_), Some(rest)) => format!("`SyncList<{rest}`"),
        (Some(_), None) if outer == format!("Option<{inside}>") => {
            format!("`{inside}`, which can be empty, or `SyncVar<{plain}>`")
        }
        _ => format!("`SyncVar<{plain}>`"),
    }
}
