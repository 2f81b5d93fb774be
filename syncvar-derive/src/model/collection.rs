//! The four collections, by their names: what they are made of, and what is meant by those of std.

use syn::{AngleBracketedGenericArguments, PathArguments, PathSegment, Type};

use super::field_type::{arguments, last_segment, parts, type_text};

/// A collection that is known by its name.
pub(crate) struct Collection<'a> {
    pub(crate) name: &'static str,
    plain: &'static str,
    /// What its hook is given.
    pub(crate) change: &'static str,
    key: Option<Key>,
    /// The types of its elements, or of keys and values, in their brackets.
    pub(crate) arguments: &'a AngleBracketedGenericArguments,
}

/// What the first of the types must be able to do, if it is a key or an element of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Hashed,
    Ordered,
}

/// The collections, what does the same and is not synchronised, what their hooks are given, their keys.
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

/// Types that are known to be good keys, by their names.
const KEYS: &[&str] = &[
    "bool", "char", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "String", "Vec",
    "Option", "Box", "NetId",
];

impl<'a> Collection<'a> {
    /// Looks at a type; `None` if it is something else.
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

    /// Whether it has as many arguments as it takes; the compiler says so if not.
    pub(crate) fn is_complete(&self) -> bool {
        let takes = if self.name == "SyncDictionary" { 2 } else { 1 };
        self.arguments.args.len() == takes
    }

    /// The types that it is made of, each with what it must be if it is the key.
    pub(crate) fn elements(ty: &'a Type) -> impl Iterator<Item = (&'a Type, Option<Key>)> {
        let key = Self::of(ty).and_then(|collection| collection.key);
        let keys = key.into_iter().map(Some).chain(std::iter::repeat(None));
        elements(ty).into_iter().zip(keys)
    }
}

/// Whether what is a key in a type, if it is a collection with keys, is known to be good for it.
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

/// Refuses a key of which no two are surely equal.
pub(super) fn refuse_key(ty: &Type) -> syn::Result<()> {
    let Some(fraction) = key(ty).and_then(find_fraction) else {
        return Ok(());
    };
    let message = format!(
        "`{}` cannot be a key or an element of a set, since it is not always equal to itself: write a whole number",
        type_text(fraction)
    );
    Err(syn::Error::new_spanned(fraction, message))
}

/// The type of the keys of a dictionary, or of the elements of a set.
fn key(ty: &Type) -> Option<&Type> {
    Collection::of(ty)?.key?;
    elements(ty).into_iter().next()
}

/// The types in the brackets of a type, whatever a macro has put around it.
pub(super) fn elements(ty: &Type) -> Vec<&Type> {
    last_segment(ty).into_iter().flat_map(arguments).collect()
}

/// The first float in a type, as far as it is known what is compared there: a struct of the user's own
/// may compare in its own way.
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

/// Says which collection does the same as one of std, and knows what has changed in it.
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
        ", or `{synchronised}<{parts}>`, which sends only what has changed"
    ))
}

/// What to write in the place of a synchronised type where a plain one is needed.
pub(super) fn plain_of(ty: &Type) -> String {
    let parts: Vec<String> = elements(ty).into_iter().map(type_text).collect();
    let parts = parts.join(", ");
    match Collection::of(ty) {
        Some(collection) => format!("{}<{parts}>", collection.plain),
        None => parts,
    }
}

/// What to write for a type that has a synchronised one inside, and is none.
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
