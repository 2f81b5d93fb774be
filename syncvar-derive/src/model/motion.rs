//! Values of a field between its samples, in valid combinations only.

use syn::{Ident, Type};

use super::field_type::{Container, FieldType};
use crate::attr::MotionAttrs;
use crate::errors::Errors;

/// Interpolation of a field.
pub(crate) struct Interpolation<'a> {
    /// Name of the method: `linear`.
    pub(crate) method: Ident,
    /// Type of the values.
    pub(crate) value: &'a Type,
    /// Seconds.
    pub(crate) extrapolate: Option<f64>,
    /// Distance.
    pub(crate) snap: Option<f64>,
    /// Seconds.
    pub(crate) history: Option<f64>,
    /// Method that is called at the view time.
    pub(crate) on_view: Option<Ident>,
}

impl<'a> Interpolation<'a> {
    pub(super) fn from_attrs(
        attrs: MotionAttrs,
        ty: &FieldType<'a>,
        errors: &mut Errors,
    ) -> Option<Self> {
        let is_stepwise = attrs
            .interpolate
            .as_ref()
            .is_some_and(|kind| kind == "nearest");
        for place in attrs.settings() {
            if attrs.interpolate.is_none() {
                errors.add_error(syn::Error::new(
                    place,
                    "this setting belongs to an interpolation, and this field has none: add `interpolate = linear`",
                ));
            } else if is_stepwise {
                errors.add_error(syn::Error::new(
                    place,
                    "`interpolate = nearest` has no values between two received ones: remove this setting, or write \
                     `interpolate = linear`",
                ));
            }
        }
        let (history, on_view) = (attrs.history.as_ref(), attrs.on_view.as_ref());
        let stepwise = |place| Ident::new("nearest", place);
        let (key, method) = if let Some(method) = attrs.interpolate {
            ("interpolate", method)
        } else if let Some(history) = history {
            ("history", stepwise(history.span))
        } else {
            ("on_view", stepwise(on_view?.span()))
        };
        let Container::SyncVar(value) = ty.container else {
            errors.add_error(syn::Error::new(
                method.span(),
                format!(
                    "`{key}` is for the value of a field whose type is written `SyncVar<...>`: remove it"
                ),
            ));
            return None;
        };
        Some(Self {
            method,
            value,
            extrapolate: attrs.extrapolate.map(|seconds| seconds.value),
            snap: attrs.snap.map(|distance| distance.value),
            history: attrs.history.map(|seconds| seconds.value),
            on_view: attrs.on_view,
        })
    }
}
