//! Keys of `#[sync_var(...)]` for the values of a field between its samples.

use proc_macro2::Span;
use syn::Ident;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;

use super::values::method;
use super::{Spanned, number, one_of, seconds_as, set};
use crate::errors::Errors;

/// Keys of an interpolation.
pub(super) const KEYS: &[&str] = &["interpolate", "extrapolate", "snap", "history", "on_view"];

/// Values of a field between its samples.
#[derive(Default)]
pub(crate) struct MotionAttrs {
    /// `linear`, `hermite`, `spherical` or `nearest`.
    pub(crate) interpolate: Option<Ident>,
    /// Seconds.
    pub(crate) extrapolate: Option<Spanned<f64>>,
    /// Distance.
    pub(crate) snap: Option<Spanned<f64>>,
    /// Seconds.
    pub(crate) history: Option<Spanned<f64>>,
    /// Method that is called at the view time.
    pub(crate) on_view: Option<Ident>,
}

impl MotionAttrs {
    /// Takes a key of [`KEYS`].
    pub(super) fn parse(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        key: &str,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        let span = meta.path.span();
        match key {
            "interpolate" => {
                const EXAMPLE: &str = "`interpolate` names the way between two received values: `linear`, `hermite`, \
                     `spherical` for a rotation, or `nearest` for a value without values between, as in \
                     `interpolate = linear`";
                let known = ["linear", "hermite", "spherical", "nearest"];
                let Spanned { value, span } = one_of(meta, &known, EXAMPLE)?;
                set(
                    &mut self.interpolate,
                    meta,
                    Ident::new(&value, span),
                    errors,
                );
            }
            "extrapolate" => {
                const EXAMPLE: &str = "`extrapolate` is a number of seconds between 0 and 3600, such as `extrapolate = 0.1`";
                let value = seconds_as(meta, EXAMPLE)?;
                set(&mut self.extrapolate, meta, Spanned { value, span }, errors);
            }
            "on_view" => {
                const EXAMPLE: &str =
                    "`on_view` names a method of this struct: `on_view = on_stance_shown`";
                set(&mut self.on_view, meta, method(meta, EXAMPLE)?, errors);
            }
            "history" => {
                const EXAMPLE: &str = "`history` is the number of seconds of former values on a server, above 0 and at most 10, such as \
                     `history = 0.5`";
                let is_right = |seconds: f64| seconds > 0.0 && seconds <= 10.0;
                let value = number(meta, EXAMPLE, is_right)?;
                set(&mut self.history, meta, Spanned { value, span }, errors);
            }
            _ => {
                const EXAMPLE: &str = "`snap` is a distance above 0, such as `snap = 5.0`: a longer step is a teleport";
                let is_right = |distance: f64| distance > 0.0 && distance <= f32::MAX.into();
                let value = number(meta, EXAMPLE, is_right)?;
                set(&mut self.snap, meta, Spanned { value, span }, errors);
            }
        }
        Ok(())
    }

    /// Returns the places of the settings that need `interpolate`.
    pub(crate) fn settings(&self) -> impl Iterator<Item = Span> {
        let settings = [&self.extrapolate, &self.snap];
        settings.into_iter().flatten().map(|setting| setting.span)
    }
}
