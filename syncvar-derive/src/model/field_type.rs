//! What can be told of a field's type from its tokens.
//!
//! A macro sees names and not types: it knows `SyncVar<i32>` and it knows `i32`; `Health` may be an
//! alias of either. What the names say wrongly is caught by the bound on `SyncField`.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

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
    "NetworkHash128",
    "NetworkSceneId",
    "NetId",
    "Decimal",
];

/// What kind of field it is.
#[derive(Clone, Copy)]
pub(crate) enum Container<'a> {
    /// `SyncVar<T>`, with its `T`.
    SyncVar(&'a Type),
    /// Anything else: an alias, or a `SyncField` of the user's own.
    Unknown,
}

/// Types of the language and of std that are written bare where a `SyncVar` is meant.
const PLAIN: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "u128", "usize", "str", "String", "Vec", "Option", "Box", "HashMap", "HashSet",
    "BTreeMap", "BTreeSet", "VecDeque", "Rc", "Arc", "Cell", "RefCell", "Mutex", "Duration",
];

impl<'a> FieldType<'a> {
    /// Looks at the type of a field marked `#[sync_var]`; the error says what to write.
    pub(crate) fn from_syn(ty: &'a Type) -> syn::Result<Self> {
        let container = match argument_of(ty, "SyncVar") {
            Some(value) => {
                if let Some(inner) = find_sync_var(value) {
                    return Err(syn::Error::new_spanned(
                        inner,
                        "a `SyncVar` cannot be inside another one: it would never be asked whether it has changed; \
                         write the plain type here",
                    ));
                }
                Container::SyncVar(value)
            }
            None => {
                Self::refuse_plain(ty)?;
                Container::Unknown
            }
        };
        Ok(Self {
            original: ty,
            container,
        })
    }

    fn refuse_plain(ty: &Type) -> syn::Result<()> {
        let text = written(ty);
        if let Some(inner) = find_sync_var(ty) {
            let plain = written(argument_of(inner, "SyncVar").unwrap_or(inner));
            let outer = text.replace(&written(inner), &plain);
            return Err(syn::Error::new_spanned(
                ty,
                format!("`{text}` is not a synchronised field: write `SyncVar<{outer}>`"),
            ));
        }
        let plain = match ty {
            Type::Path(_) => last_segment(ty)
                .is_some_and(|segment| PLAIN.iter().any(|name| segment.ident == name)),
            Type::Array(_) | Type::Tuple(_) => true,
            Type::Reference(_) | Type::Ptr(_) | Type::Slice(_) => {
                return Err(syn::Error::new_spanned(
                    ty,
                    "a reference cannot travel: write `SyncVar<T>` with a type that owns its value",
                ));
            }
            Type::TraitObject(_) | Type::FnPtr(_) | Type::ImplTrait(_) | Type::Never(_) => {
                return Err(syn::Error::new_spanned(
                    ty,
                    "this type cannot travel: write `SyncVar<T>` with a type that implements `SyncValue`",
                ));
            }
            _ => false,
        };
        if plain {
            let message = format!(
                "a synchronised field knows when it is written to: write `SyncVar<{text}>`"
            );
            return Err(syn::Error::new_spanned(ty, message));
        }
        Ok(())
    }
}

/// Whether a type is one that travels, by its name and those of its arguments. Where that is not
/// known, the calls are emitted in a form that gives one error if it does not.
pub(crate) fn travels(ty: &Type) -> bool {
    match ty {
        Type::Paren(paren) => travels(&paren.elem),
        Type::Group(group) => travels(&group.elem),
        _ => last_segment(ty).is_some_and(|segment| {
            TRAVELS.iter().any(|name| segment.ident == name) && arguments(segment).all(travels)
        }),
    }
}

/// Whether a type is a `SyncVar`, by its name.
pub(super) fn is_sync_var(ty: &Type) -> bool {
    argument_of(ty, "SyncVar").is_some()
}

/// The first `SyncVar` in a type, the type itself included.
pub(super) fn find_sync_var(ty: &Type) -> Option<&Type> {
    if is_sync_var(ty) {
        return Some(ty);
    }
    match ty {
        Type::Path(_) => arguments(last_segment(ty)?).find_map(find_sync_var),
        Type::Array(array) => find_sync_var(&array.elem),
        Type::Slice(slice) => find_sync_var(&slice.elem),
        Type::Reference(reference) => find_sync_var(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(find_sync_var),
        Type::Paren(paren) => find_sync_var(&paren.elem),
        Type::Group(group) => find_sync_var(&group.elem),
        _ => None,
    }
}

/// A type as a person writes it.
pub(super) fn written(ty: &Type) -> String {
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
fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let mut arguments = arguments(segment);
    arguments.next().filter(|_| arguments.next().is_none())
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        Type::Paren(paren) => last_segment(&paren.elem),
        Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
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
