//! Who reads and writes a field, and when it is sent: only what makes sense together.

use syn::Path;

use super::field_type::{Container, FieldType};
use crate::attr::RuleAttrs;
use crate::errors::Errors;

/// Who is given a field.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Readers {
    #[default]
    Everyone,
    Owner,
    Others,
}

/// The rules of a field.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) readers: Readers,
    pub(crate) owner_writes: bool,
    pub(crate) server_override: bool,
    pub(crate) initial_only: bool,
    /// In seconds.
    pub(crate) min_interval: Option<f64>,
    pub(crate) max_interval: Option<f64>,
    pub(crate) threshold: Option<Path>,
}

impl Rules {
    pub(super) fn from_attrs(attrs: RuleAttrs, ty: &FieldType<'_>, errors: &mut Errors) -> Self {
        check(&attrs, ty, errors);
        Self {
            readers: match attrs.read.as_ref().map(|read| &*read.value) {
                Some("owner") => Readers::Owner,
                Some("others") => Readers::Others,
                _ => Readers::Everyone,
            },
            owner_writes: is_owner(&attrs),
            server_override: attrs.server_override.is_some(),
            initial_only: attrs.initial_only.is_some(),
            min_interval: positive(attrs.min_interval.map(|interval| interval.value)),
            max_interval: positive(attrs.max_interval.map(|interval| interval.value)),
            threshold: attrs.threshold,
        }
    }

    /// Whether any rule is given.
    pub(crate) fn any(&self) -> bool {
        self.readers != Readers::Everyone
            || self.owner_writes
            || self.initial_only
            || self.min_interval.is_some()
            || self.threshold.is_some()
    }

    /// Whether the field is written and read by itself.
    pub(crate) fn is_kept(&self) -> bool {
        self.owner_writes || self.threshold.is_some()
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
            "the server may write to this field anyway: remove `server_override`, or write `write = owner` beside it",
        );
    }
    if let Some(read) = attrs
        .read
        .as_ref()
        .filter(|read| read.value == "others" && is_owner(attrs))
    {
        add(
            read.span,
            "the owner cannot write to a field that it may not read: write `read = everyone`",
        );
    }
    if let Some(span) = attrs.initial_only {
        if is_owner(attrs) {
            add(
                span,
                "what the owner writes is a change, and this field is in no update: remove `initial_only` or `write = owner`",
            );
        }
        let interval = [&attrs.min_interval, &attrs.max_interval];
        if let Some(interval) = interval.into_iter().flatten().next() {
            add(
                interval.span,
                "an `initial_only` field is in no update, so there is no interval between updates: remove one of the two",
            );
        } else if let Some(threshold) = &attrs.threshold {
            errors.add(
                threshold,
                "an `initial_only` field is in no update, so there is no threshold for one: remove one of the two",
            );
        }
        return;
    }
    check_intervals(attrs, errors);
    if let Some(threshold) = &attrs.threshold {
        match ty.container {
            Container::SyncVar(_) => {}
            Container::Collection => errors.add(
                threshold,
                "`threshold` compares two values of a `SyncVar`; a collection sends operations: remove `threshold`, \
                 `min_interval` holds all of them back",
            ),
            Container::Unknown => errors.add(
                threshold,
                "`threshold` compares two values of a `SyncVar`, and the macro cannot see that this is one: write \
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
        "`max_interval` is how long a change below the threshold waits, and there is none: add `threshold = ...`, or \
         remove `max_interval`"
    } else {
        return;
    };
    errors.add_error(syn::Error::new(max.span, message));
}
