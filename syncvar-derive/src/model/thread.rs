//! Types of plain fields that belong to one thread, by their names.

use syn::{Type, TypeParamBound};

use super::type_tokens::{last_segment, parts, type_text};

/// Types of std that share the thread bounds of their arguments.
const WRAPPERS: &[&str] = &[
    "Arc", "BTreeMap", "BTreeSet", "Box", "HashMap", "HashSet", "Option", "Vec", "VecDeque",
];

/// Refuses a type that is not `Send` and `Sync`, such as `Rc<T>`, with advice.
pub(super) fn refuse_bound_to_thread(ty: &Type) -> syn::Result<()> {
    if let Some(advice) = advice_for(ty) {
        let message =
            format!("a behaviour moves between threads, and this type belongs to one: {advice}");
        return Err(syn::Error::new_spanned(ty, message));
    }
    let is_open = match ty {
        Type::Tuple(_) | Type::Array(_) | Type::Paren(_) | Type::Group(_) => true,
        // Some types make the content safe, as `Mutex` does.
        _ => last_segment(ty)
            .is_some_and(|segment| WRAPPERS.iter().any(|name| segment.ident == name)),
    };
    if is_open {
        parts(ty).into_iter().try_for_each(refuse_bound_to_thread)?;
    }
    Ok(())
}

fn advice_for(ty: &Type) -> Option<String> {
    if let Type::TraitObject(object) = ty {
        let has = |names: &[&str]| {
            object.bounds.iter().any(|bound| match bound {
                TypeParamBound::Trait(bound) => {
                    let last = bound.path.segments.last();
                    last.is_some_and(|last| names.iter().any(|name| last.ident == name))
                }
                _ => false,
            })
        };
        // A function object; a trait may include both bounds.
        let is_refused = has(&["Fn", "FnMut", "FnOnce"]) && !(has(&["Send"]) && has(&["Sync"]));
        return is_refused.then(|| "write `dyn Fn(...) + Send + Sync`".into());
    }
    if let Type::Ptr(_) = ty {
        return Some("write the value itself, or its `NetId`".into());
    }
    let segment = last_segment(ty)?;
    let argument = parts(ty).first().map(|argument| type_text(argument));
    let argument = argument.as_deref().unwrap_or("T");
    match &*segment.ident.to_string() {
        "Rc" => Some(format!("write `Arc<{argument}>`")),
        "RefCell" => Some(format!("write `Mutex<{argument}>`, or the value itself")),
        "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard" => {
            Some("write the lock itself, in an `Arc`".into())
        }
        _ => None,
    }
}
