//! Parts of a type, from its tokens: segments, arguments, spelling.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Returns the component types of a type.
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

/// Returns a type in the usual spelling.
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

/// Returns the single type argument of a type with this name.
pub(super) fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let mut arguments = arguments(segment);
    arguments.next().filter(|_| arguments.next().is_none())
}

/// Returns the last segment of a path.
pub(super) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        Type::Paren(paren) => last_segment(&paren.elem),
        Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}

/// Returns the type arguments of a segment.
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
