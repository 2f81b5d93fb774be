//! What can be told of a field's type from its tokens.
//!
//! A macro sees names and not types: it knows `SyncVar<i32>` and it knows `i32`; `Health` may be an
//! alias of either. What the names say wrongly is caught by the bound on `SyncField`.

use quote::ToTokens;
use syn::{GenericArgument, Ident, PathArguments, PathSegment, Type};

use super::collection::{self, Collection};

/// The type of a synchronised field.
pub(crate) struct FieldType<'a> {
    pub(crate) original: &'a Type,
    pub(crate) container: Container<'a>,
}

/// Types that travel, by the name that everybody uses for them.
const TRAVELS: &[&str] = &[
    "bool",
    "char",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "String",
    "Vec",
    "Option",
    "Box",
    "Vector2",
    "Vector3",
    "Vector4",
    "Quaternion",
    "Color",
    "Color32",
    "Rect",
    "Plane",
    "Ray",
    "Matrix4x4",
    "Vector2Int",
    "Vector3Int",
    "Ray2D",
    "LayerMask",
    "OaDate",
    "NetworkHash128",
    "NetworkSceneId",
    "NetId",
    "Decimal",
    "i128",
    "u128",
    "NonZero",
    "NonZeroI8",
    "NonZeroI16",
    "NonZeroI32",
    "NonZeroI64",
    "NonZeroI128",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroU128",
    "Duration",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "Bytes",
    "FixedString",
    "FixedString32",
    "FixedString64",
    "FixedString128",
    "FixedString512",
    "FixedString4096",
    POSTCARD,
];

/// Holds any type that serde knows, also one that cannot travel by itself.
const POSTCARD: &str = "Postcard";

/// Types whose keys or elements have an order.
const ORDERED: &[&str] = &["HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// Types that travel and have no order, so that they cannot be keys.
const WITHOUT_ORDER: &[&str] = &[
    "f32",
    "f64",
    "Vector2",
    "Vector3",
    "Vector4",
    "Quaternion",
    "Color",
    "Color32",
    "Rect",
    "Plane",
    "Ray",
    "Ray2D",
    "Matrix4x4",
    "Decimal",
    "HashMap",
    "HashSet",
];

/// What kind of field it is.
#[derive(Clone, Copy)]
pub(crate) enum Container<'a> {
    /// `SyncVar<T>`, with its `T`.
    SyncVar(&'a Type),
    /// One of the collections.
    Collection,
    /// Anything else: an alias, or a `SyncField` of the user's own.
    Unknown,
}

impl<'a> FieldType<'a> {
    /// Looks at the type of a field marked `#[sync_var]`; the error says what to write.
    ///
    /// With a codec it is the codec that has to know the value.
    pub(crate) fn from_syn(ty: &'a Type, has_codec: bool) -> syn::Result<Self> {
        let container = match argument_of(ty, "SyncVar") {
            Some(value) => {
                collection::refuse_wrapped(ty, value)?;
                refuse_inner(value)?;
                if !has_codec {
                    refuse_immovable(value)?;
                }
                Container::SyncVar(value)
            }
            None if Collection::of(ty).is_some() => {
                if has_codec {
                    let message = "`with` encodes the value of a `SyncVar`; the elements of a collection travel as \
                        their type does: remove `with`";
                    return Err(syn::Error::new_spanned(ty, message));
                }
                for element in collection::elements(ty) {
                    refuse_inner(element)?;
                    refuse_immovable(element)?;
                }
                collection::refuse_key(ty)?;
                Container::Collection
            }
            None => {
                refuse_bare(ty)?;
                if has_codec {
                    let message = "`with` encodes the value of a `SyncVar`, and the macro cannot see that this is one: \
                        write `SyncVar<...>` here, or remove `with`";
                    return Err(syn::Error::new_spanned(ty, message));
                }
                Container::Unknown
            }
        };
        Ok(Self {
            original: ty,
            container,
        })
    }
}

impl<'a> FieldType<'a> {
    /// Whether it is one of the collections, by its name.
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self.container, Container::Collection)
    }

    /// The collection that it is, by its name, if it is written with all that it is made of.
    pub(crate) fn collection(&self) -> Option<Collection<'a>> {
        Collection::of(self.original).filter(Collection::is_complete)
    }
}

/// Refuses a synchronised type inside another one.
fn refuse_inner(ty: &Type) -> syn::Result<()> {
    let Some((inner, name)) = find_synchronised(ty) else {
        return Ok(());
    };
    let message = format!(
        "a `{name}` cannot be inside another synchronised field: it would never be asked whether it has changed; \
         write `{}` here",
        collection::plain_of(inner)
    );
    Err(syn::Error::new_spanned(inner, message))
}

/// Refuses a plain type where a `SyncVar` of it is meant.
fn refuse_bare(ty: &Type) -> syn::Result<()> {
    let text = type_text(ty);
    if let Some((inner, _)) = find_synchronised(ty) {
        let field = collection::suggest_replacement(ty, inner);
        return Err(syn::Error::new_spanned(
            ty,
            format!("`{text}` is not a synchronised field: write {field}"),
        ));
    }
    refuse_immovable(ty)
        .map_err(|error| syn::Error::new(error.span(), with_sync_var(&error.to_string())))?;
    if travels(ty) {
        let or = collection::instead_of(ty).unwrap_or_default();
        let message = format!(
            "a synchronised field knows when it is written to: write `SyncVar<{text}>`{or}"
        );
        return Err(syn::Error::new_spanned(ty, message));
    }
    Ok(())
}

/// The advice of [`refuse_immovable`], for a field that is no `SyncVar` either.
fn with_sync_var(advice: &str) -> String {
    let (why, what) = advice.rsplit_once("write ").unwrap_or((advice, ""));
    let parts = what.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 1 && part != "SyncValue" {
            format!("`SyncVar<{part}>`")
        } else if index % 2 == 1 {
            format!("`{part}`")
        } else {
            part.to_owned()
        }
    });
    let what: String = parts.collect();
    let missing = if what.contains("SyncVar<") {
        ""
    } else {
        ", in a `SyncVar`"
    };
    format!("{why}write {what}{missing}")
}

/// Refuses types of the language and of std that cannot travel, wherever they stand in a type, and
/// says what to write instead.
pub(super) fn refuse_immovable(ty: &Type) -> syn::Result<()> {
    let advice = match ty {
        Type::Reference(_) | Type::Ptr(_) | Type::Slice(_) => Some(
            "a reference cannot travel: write a type that owns its value, such as `String` or `Vec<T>`".into(),
        ),
        Type::TraitObject(_) | Type::FnPtr(_) | Type::ImplTrait(_) | Type::Never(_) => Some(
            "this type cannot travel: write an enum with a variant for each kind, and derive `SyncValue` for it".into(),
        ),
        _ => last_segment(ty).and_then(advice_for),
    };
    if let Some(advice) = advice {
        return Err(syn::Error::new_spanned(ty, advice));
    }
    if last_segment(ty).is_some_and(|segment| segment.ident == POSTCARD) {
        return Ok(());
    }
    parts(ty).into_iter().try_for_each(refuse_immovable)
}

/// What to write instead of a type of this name; `None` where nothing is known against it.
fn advice_for(segment: &PathSegment) -> Option<String> {
    let name = segment.ident.to_string();
    let advice = match &*name {
        "usize" => "the size of `usize` differs from machine to machine: write `u32` or `u64`",
        "isize" => "the size of `isize` differs from machine to machine: write `i32` or `i64`",
        "NonZeroUsize" => {
            "the size of `NonZeroUsize` differs from machine to machine: write `NonZeroU32` or `NonZeroU64`"
        }
        "NonZeroIsize" => {
            "the size of `NonZeroIsize` differs from machine to machine: write `NonZeroI32` or `NonZeroI64`"
        }
        "str" => "a `str` has no size of its own: write `String`",
        "Rc" | "Arc" | "Weak" => {
            "a shared pointer means nothing on another machine: write the value itself"
        }
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" => {
            "a value that changes behind a shared reference is not noticed: write the value itself"
        }
        "VecDeque" | "LinkedList" | "BinaryHeap" => "this collection cannot travel: write `Vec<T>`",
        "Instant" | "SystemTime" => {
            "a moment of one machine's clock means nothing on another: write the time since the game began"
        }
        _ => return None,
    };
    Some(advice.into())
}

/// Whether a type is one that travels, by its name and those of its arguments. Where that is not
/// known, the calls are emitted in a form that gives one error if it does not.
pub(crate) fn travels(ty: &Type) -> bool {
    match ty {
        Type::Paren(_) | Type::Group(_) | Type::Tuple(_) | Type::Array(_) => {
            parts(ty).into_iter().all(travels)
        }
        _ => last_segment(ty).is_some_and(|segment| {
            TRAVELS.iter().any(|name| segment.ident == name)
                && arguments(segment).all(travels)
                && has_ordered_keys(segment)
        }),
    }
}

/// Whether the macro knows of all elements, or of keys and values, that they are what they must be.
pub(crate) fn elements_travel(ty: &Type) -> bool {
    collection::elements(ty).into_iter().all(travels) && collection::keys_are_good(ty)
}

/// Whether the keys of a type, if it has any, can be brought into an order: a map of floats is known
/// by name and yet does not travel.
fn has_ordered_keys(segment: &PathSegment) -> bool {
    fn has_order(ty: &Type) -> bool {
        let is_named = |name: &&str| last_segment(ty).is_some_and(|segment| segment.ident == *name);
        !WITHOUT_ORDER.iter().any(is_named) && parts(ty).into_iter().all(has_order)
    }
    let is_ordered = ORDERED.iter().any(|name| segment.ident == name);
    !is_ordered || arguments(segment).next().is_none_or(has_order)
}

/// Whether a type is one of the language or of std, by its name.
pub(super) fn is_known(ty: &Type) -> bool {
    travels(ty)
        || !matches!(ty, Type::Path(_))
        || last_segment(ty).and_then(advice_for).is_some()
        || {
            let std = ["Vec", "Option", "Box"];
            last_segment(ty).is_some_and(|segment| std.iter().any(|name| segment.ident == name))
        }
}

/// Whether a type mentions a name, as a path of one segment.
pub(super) fn mentions(ty: &Type, name: &Ident) -> bool {
    let itself = match ty {
        Type::Path(path) => path.path.is_ident(name) || path.path.is_ident("Self"),
        _ => false,
    };
    itself || parts(ty).into_iter().any(|part| mentions(part, name))
}

/// The first `SyncVar` or collection in a type, the type itself included, and its name.
pub(super) fn find_synchronised(ty: &Type) -> Option<(&Type, &'static str)> {
    if argument_of(ty, "SyncVar").is_some() {
        return Some((ty, "SyncVar"));
    }
    if let Some(collection) = Collection::of(ty) {
        return Some((ty, collection.name));
    }
    parts(ty).into_iter().find_map(find_synchronised)
}

/// The types that a type is made of.
pub(super) fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Path(_) => last_segment(ty).into_iter().flat_map(arguments).collect(),
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Array(array) => vec![&array.elem],
        Type::Slice(slice) => vec![&slice.elem],
        Type::Reference(reference) => vec![&reference.elem],
        Type::Paren(paren) => vec![&paren.elem],
        Type::Group(group) => vec![&group.elem],
        _ => Vec::new(),
    }
}

/// A type as a person writes it.
pub(super) fn type_text(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    let text = text
        .replace(" :: ", "::")
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace("> ", ">");
    text.replace(" ,", ",")
        .replace("[ ", "[")
        .replace(" ]", "]")
        .replace(" ;", ";")
        .replace("< ", "<")
}

/// The single type argument of a type of this name.
pub(super) fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let mut arguments = arguments(segment);
    arguments.next().filter(|_| arguments.next().is_none())
}

pub(super) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        Type::Paren(paren) => last_segment(&paren.elem),
        Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}

pub(super) fn arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}
