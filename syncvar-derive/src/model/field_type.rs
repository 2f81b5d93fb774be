//! Conclusions about a field's type from its tokens.
//!
//! A macro sees names and not types: it knows `SyncVar<i32>` and it knows `i32`; `Health` may be an
//! alias of either. The bound on `SyncField` catches wrong conclusions.

use syn::{Ident, PathArguments, PathSegment, Type};

use super::collection::{self, Collection};
use super::type_tokens::{argument_of, arguments, last_segment, parts, type_text};

/// Type of a synchronised field.
pub(crate) struct FieldType<'a> {
    pub(crate) original: &'a Type,
    pub(crate) container: Container<'a>,
}

/// Types that travel, by their usual names.
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

/// Wrapper of any type with serde's traits, even a type that cannot travel by itself.
const POSTCARD: &str = "Postcard";

/// Types whose keys or elements have an order.
const ORDERED: &[&str] = &["HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// Types that travel and lack an order, so that they cannot be keys.
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

/// Kind of a field.
#[derive(Clone, Copy)]
pub(crate) enum Container<'a> {
    /// `SyncVar<T>`, with its `T`.
    SyncVar(&'a Type),
    /// A collection.
    Collection,
    /// An alias, or a user's `SyncField`.
    Unknown,
}

impl<'a> FieldType<'a> {
    /// Analyses the type of a field marked `#[sync_var]`; the error contains the advice.
    ///
    /// With a codec, only the codec must support the value.
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
                    let message = "`with` encodes the value of a `SyncVar`, and the elements of a collection have no \
                        codec: remove `with`";
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
                    let message = "`with` encodes the value of a `SyncVar`, and this type has another name: write \
                        `SyncVar<...>` here, or remove `with`";
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
    /// Returns whether it is a collection, by name.
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self.container, Container::Collection)
    }

    /// Returns the collection, by name, if its arguments are complete.
    pub(crate) fn collection(&self) -> Option<Collection<'a>> {
        Collection::of(self.original).filter(Collection::is_complete)
    }
}

/// Refuses a synchronised type inside a synchronised type.
fn refuse_inner(ty: &Type) -> syn::Result<()> {
    let Some((inner, name)) = find_synchronised(ty) else {
        return Ok(());
    };
    let message = format!(
        "a `{name}` cannot be inside another synchronised field: its changes would never be sent; write \
         `{}` here",
        collection::plain_of(inner)
    );
    Err(syn::Error::new_spanned(inner, message))
}

/// Refuses a plain type in place of a `SyncVar`.
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
        let message =
            format!("a synchronised field records its writes: write `SyncVar<{text}>`{or}");
        return Err(syn::Error::new_spanned(ty, message));
    }
    Ok(())
}

/// Extends the advice of [`refuse_immovable`] for a field without `SyncVar`.
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

/// Refuses types of the language and of std that cannot travel, at any depth of a type, with
/// advice.
pub(super) fn refuse_immovable(ty: &Type) -> syn::Result<()> {
    let advice = match ty {
        Type::Reference(_) | Type::Ptr(_) | Type::Slice(_) => Some(
            "a reference cannot travel: write a type that owns its value, such as `String` or `Vec<T>`".into(),
        ),
        Type::TraitObject(_) | Type::FnPtr(_) | Type::ImplTrait(_) | Type::Never(_) => Some(
            "this type cannot travel: write an enum with a variant for each kind, and derive `SyncValue` for it".into(),
        ),
        _ => last_segment(ty)
            .filter(|segment| may_be_of_std(ty, segment))
            .and_then(advice_for),
    };
    if let Some(advice) = advice {
        return Err(syn::Error::new_spanned(ty, advice));
    }
    if last_segment(ty).is_some_and(|segment| segment.ident == POSTCARD) {
        return Ok(());
    }
    parts(ty).into_iter().try_for_each(refuse_immovable)
}

/// Returns whether a name may be that of a type of std: behind a path of std, or alone with as many arguments. A program
/// may have a `Cell` of its own.
fn may_be_of_std(ty: &Type, segment: &PathSegment) -> bool {
    const ROOTS: &[&str] = &[
        "std",
        "core",
        "alloc",
        "cell",
        "collections",
        "num",
        "rc",
        "sync",
        "time",
    ];
    const WITHOUT_ARGUMENT: &[&str] = &[
        "usize",
        "isize",
        "str",
        "NonZeroUsize",
        "NonZeroIsize",
        "Instant",
        "SystemTime",
    ];
    let Type::Path(path) = ty else { return true };
    match path.path.segments.first() {
        Some(root) if path.path.segments.len() > 1 => ROOTS.iter().any(|name| root.ident == name),
        _ => {
            let is_plain = WITHOUT_ARGUMENT.iter().any(|name| segment.ident == name);
            is_plain == matches!(segment.arguments, PathArguments::None)
        }
    }
}

/// Returns the advice for a type of this name; `None` for an acceptable name.
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
        "str" => "a `str` has no fixed size: write `String`",
        "Rc" | "Arc" | "Weak" => {
            "a shared pointer is invalid on another machine: write the value itself"
        }
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" => {
            "a change behind a shared reference is not noticed: write the value itself"
        }
        "VecDeque" | "LinkedList" | "BinaryHeap" => "this collection cannot travel: write `Vec<T>`",
        "Instant" | "SystemTime" => {
            "a time of one machine's clock is invalid on another: write the time since the start of the game"
        }
        _ => return None,
    };
    Some(advice.into())
}

/// Returns whether a type is known to travel, by its name and its arguments' names. Calls on unknown types
/// are emitted in a form that gives one error for a missing trait.
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

/// Returns whether all elements, or keys and values, are known to meet their requirements.
pub(crate) fn elements_travel(ty: &Type) -> bool {
    collection::elements(ty).into_iter().all(travels) && collection::keys_are_good(ty)
}

/// Returns whether the keys of a type, if any, have an order: a map of floats is known
/// by name and yet does not travel.
fn has_ordered_keys(segment: &PathSegment) -> bool {
    fn has_order(ty: &Type) -> bool {
        let is_named = |name: &&str| last_segment(ty).is_some_and(|segment| segment.ident == *name);
        !WITHOUT_ORDER.iter().any(is_named) && parts(ty).into_iter().all(has_order)
    }
    let is_ordered = ORDERED.iter().any(|name| segment.ident == name);
    !is_ordered || arguments(segment).next().is_none_or(has_order)
}

/// Returns whether a type belongs to the language or to std, by its name.
pub(super) fn is_known(ty: &Type) -> bool {
    if let Type::Group(group) = ty {
        return is_known(&group.elem);
    }
    travels(ty)
        || !matches!(ty, Type::Path(_))
        || last_segment(ty).and_then(advice_for).is_some()
        || {
            let std = ["Vec", "Option", "Box"];
            last_segment(ty).is_some_and(|segment| std.iter().any(|name| segment.ident == name))
        }
}

/// Returns whether a type mentions a name, as a path with a single segment.
pub(super) fn mentions(ty: &Type, name: &Ident) -> bool {
    let itself = match ty {
        Type::Path(path) => path.path.is_ident(name) || path.path.is_ident("Self"),
        _ => false,
    };
    itself || parts(ty).into_iter().any(|part| mentions(part, name))
}

/// Returns the first `SyncVar` or collection in a type, including the type itself, and its name.
pub(super) fn find_synchronised(ty: &Type) -> Option<(&Type, &'static str)> {
    if argument_of(ty, "SyncVar").is_some() {
        return Some((ty, "SyncVar"));
    }
    if let Some(collection) = Collection::of(ty) {
        return Some((ty, collection.name));
    }
    parts(ty).into_iter().find_map(find_synchronised)
}
