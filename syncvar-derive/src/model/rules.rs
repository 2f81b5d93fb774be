//! Policy of a field, in valid combinations only: readers, writers and times.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Member, Path};

use super::field_type::{Container, FieldType};
use crate::attr::{BehaviourAttrs, RuleAttrs, Spanned};
use crate::errors::Errors;
use crate::names;

/// Readers of a field.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Readers {
    #[default]
    Everyone,
    Owner,
    Others,
    Group,
    /// No connection.
    Server,
}

/// The struct's settings for the readers and writers of every field.
#[derive(Default)]
pub(super) struct CommonPolicy {
    /// Value of `sync_mode` in the words of a field's `read`.
    read: Option<Spanned<String>>,
    /// Value of `sync_direction` in the words of a field's `write`.
    write: Option<Spanned<String>>,
}

/// Policy of a field.
#[derive(Default)]
pub(crate) struct Policy {
    pub(crate) readers: Readers,
    pub(crate) owner_writes: bool,
    pub(crate) server_override: bool,
    /// Function that accepts a value of the owner.
    pub(crate) check: Option<Path>,
    pub(crate) initial_only: bool,
    /// Seconds.
    pub(crate) min_interval: Option<f64>,
    pub(crate) max_interval: Option<f64>,
    pub(crate) threshold: Option<Path>,
}

impl CommonPolicy {
    pub(super) fn from_attrs(attrs: &BehaviourAttrs) -> Self {
        let translate = |said: Option<&Spanned<String>>, to: &[(&str, &str)]| {
            let said = said?;
            let (_, rule) = to.iter().find(|(name, _)| said.value == *name)?;
            let (value, span) = ((*rule).to_owned(), said.span);
            Some(Spanned { value, span })
        };
        let read = [("observers", "everyone"), ("owner", "owner")];
        let write = [
            ("server_to_client", "server"),
            ("client_to_server", "owner"),
        ];
        Self {
            read: translate(attrs.sync_mode.as_ref(), &read),
            write: translate(attrs.sync_direction.as_ref(), &write),
        }
    }

    /// Applies the settings to one field.
    pub(super) fn apply(&self, attrs: &mut RuleAttrs, member: &Member, errors: &mut Errors) {
        let name = names::plain(member);
        merge_uniform(&mut attrs.read, self.read.as_ref(), errors, || {
            format!(
                "`sync_mode` on the struct names the readers of all its fields, and `{name}` has other ones: \
                 remove one of the two"
            )
        });
        merge_uniform(&mut attrs.write, self.write.as_ref(), errors, || {
            format!(
                "`sync_direction` on the struct names the writer of all its fields, and `{name}` has another one: \
                 remove one of the two"
            )
        });
    }

    /// Returns the places of the settings.
    pub(super) fn places(&self) -> impl Iterator<Item = Span> {
        let said = [&self.read, &self.write];
        said.into_iter().flatten().map(|said| said.span)
    }
}

/// Merges a setting of the struct into a field without one, or with the same one.
fn merge_uniform(
    own: &mut Option<Spanned<String>>,
    common: Option<&Spanned<String>>,
    errors: &mut Errors,
    message: impl FnOnce() -> String,
) {
    match (&own, common) {
        (_, None) => {}
        (None, Some(common)) => *own = Some(common.clone()),
        (Some(said), Some(common)) if said.value == common.value => {}
        (Some(said), Some(_)) => errors.add_error(syn::Error::new(said.span, message())),
    }
}

impl Policy {
    pub(super) fn from_attrs(attrs: RuleAttrs, ty: &FieldType<'_>, errors: &mut Errors) -> Self {
        check(&attrs, ty, errors);
        Self {
            readers: match attrs.read.as_ref().map(|read| &*read.value) {
                Some("owner") => Readers::Owner,
                Some("others") => Readers::Others,
                Some("group") => Readers::Group,
                Some("server") => Readers::Server,
                _ => Readers::Everyone,
            },
            owner_writes: is_owner(&attrs),
            server_override: attrs.server_override.is_some(),
            check: attrs.check,
            initial_only: attrs.initial_only.is_some(),
            min_interval: positive(attrs.min_interval.map(|interval| interval.value)),
            max_interval: positive(attrs.max_interval.map(|interval| interval.value)),
            threshold: attrs.threshold,
        }
    }

    /// Returns whether the policy differs from the default.
    pub(crate) fn is_restricted(&self) -> bool {
        self.readers != Readers::Everyone
            || self.owner_writes
            || self.initial_only
            || self.min_interval.is_some()
            || self.threshold.is_some()
    }
}

fn positive(seconds: Option<f64>) -> Option<f64> {
    seconds.filter(|seconds| *seconds > 0.0)
}

fn is_owner(attrs: &RuleAttrs) -> bool {
    attrs
        .write
        .as_ref()
        .is_some_and(|write| write.value == "owner")
}

fn check(attrs: &RuleAttrs, ty: &FieldType<'_>, errors: &mut Errors) {
    let mut add = |span, message: &str| errors.add_error(syn::Error::new(span, message));
    if let Some(span) = attrs.server_override.filter(|_| !is_owner(attrs)) {
        add(
            span,
            "the server already writes this field: remove `server_override`, or add `write = owner`",
        );
    }
    if let Some(function) = attrs.check.as_ref().filter(|_| !is_owner(attrs)) {
        add(
            function.span(),
            "`check` is for values that the owner writes, and the server writes this field: add `write = owner`, \
             or remove `check`",
        );
    }
    if let Some(read) = attrs
        .read
        .as_ref()
        .filter(|read| read.value == "others" && is_owner(attrs))
    {
        add(
            read.span,
            "the owner cannot write a field that it does not read: write `read = everyone`",
        );
    }
    if let Some(span) = attrs.initial_only {
        if is_owner(attrs) {
            add(
                span,
                "an `initial_only` field is in no update, so a change by the owner is never sent: remove one of the two",
            );
        }
        let interval = [&attrs.min_interval, &attrs.max_interval];
        if let Some(interval) = interval.into_iter().flatten().next() {
            add(
                interval.span,
                "an `initial_only` field is in no update, so it has no interval between updates: remove one of the two",
            );
        } else if let Some(threshold) = &attrs.threshold {
            errors.add(
                threshold,
                "an `initial_only` field is in no update, so it has no threshold: remove one of the two",
            );
        }
        return;
    }
    check_intervals(attrs, errors);
    check_container(attrs, ty, errors);
}

/// Refuses functions for single values on a different kind of field.
fn check_container(attrs: &RuleAttrs, ty: &FieldType<'_>, errors: &mut Errors) {
    if let Some(function) = &attrs.check {
        match ty.container {
            Container::SyncVar(_) => {}
            Container::Collection => errors.add(
                function,
                "`check` compares two values of a `SyncVar`; a collection sends operations: remove `check`, and \
                 let the owner call a `#[command]`",
            ),
            Container::Unknown => errors.add(
                function,
                "`check` compares two values of a `SyncVar`, and this type has another name: write `SyncVar<...>` \
                 here, or remove `check`",
            ),
        }
    }
    if let Some(threshold) = &attrs.threshold {
        match ty.container {
            Container::SyncVar(_) => {}
            Container::Collection => errors.add(
                threshold,
                "`threshold` compares two values of a `SyncVar`; a collection sends operations: remove `threshold`, \
                 or write `min_interval` in its place",
            ),
            Container::Unknown => errors.add(
                threshold,
                "`threshold` compares two values of a `SyncVar`, and this type has another name: write \
                 `SyncVar<...>` here, or remove `threshold`",
            ),
        }
    }
}

fn check_intervals(attrs: &RuleAttrs, errors: &mut Errors) {
    let Some(max) = &attrs.max_interval else {
        return;
    };
    let min = attrs.min_interval.as_ref().map_or(0.0, |min| min.value);
    let message = if max.value < min {
        "`max_interval` is shorter than `min_interval`: write the longer one here"
    } else if attrs.threshold.is_none() {
        "`max_interval` limits the delay of a change below the threshold, and this field has no threshold: add \
         `threshold = ...`, or remove `max_interval`"
    } else {
        return;
    };
    errors.add_error(syn::Error::new(max.span, message));
}
