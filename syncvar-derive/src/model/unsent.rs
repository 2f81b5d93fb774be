//! Fields that no client receives: keys without effect.

use syn::Path;
use syn::spanned::Spanned as _;

use crate::attr::FieldAttrs;
use crate::errors::Errors;

const MESSAGE: &str = "no client receives a field with `read = server`, so this key has no effect: remove one of the two";

/// Refuses keys about the travel of a field that never travels: the first one of the field.
pub(super) fn refuse(attrs: &FieldAttrs, errors: &mut Errors) {
    let read = attrs.rules.read.as_ref();
    if read.is_none_or(|read| read.value != "server") {
        return;
    }
    let (rules, motion) = (&attrs.rules, &attrs.motion);
    let write = { rules.write.as_ref() }.filter(|write| write.value == "owner");
    let methods = [
        &attrs.hook,
        &attrs.batch_hook,
        &motion.interpolate,
        &motion.on_view,
    ];
    let methods = methods.map(|method| method.as_ref().map(syn::Ident::span));
    let functions = [&rules.check, &rules.threshold].map(|path| path.as_ref().map(Path::span));
    let times = [
        &rules.min_interval,
        &rules.max_interval,
        &motion.extrapolate,
        &motion.snap,
        &motion.history,
    ];
    let times = times.map(|time| time.as_ref().map(|time| time.span));
    let words = [
        attrs.initial_hook,
        write.map(|write| write.span),
        rules.server_override,
        rules.initial_only,
    ];
    let places = methods
        .into_iter()
        .chain(words)
        .chain(functions)
        .chain(times);
    if let Some(place) = places.flatten().next() {
        errors.add_error(syn::Error::new(place, MESSAGE));
    }
}
