//! Syntax of `#[sync_var(...)]`, `#[network_behaviour(...)]` and `#[sync_value(...)]`.
//!
//! Records the text and its place without a meaning. A wrong, doubled or misplaced key
//! is reported and skipped, so that the remaining keys are still checked.

mod former;
mod keys;
mod motion;
mod rules;
mod spanned;
mod values;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, Path, Type};

use crate::errors::Errors;
pub(crate) use former::{FormerNames, Named, former_names, refuse_shared_names};
use keys::unknown;
pub(crate) use keys::{distance, parse_keys, quoted, set};
pub(crate) use motion::MotionAttrs;
pub(crate) use rules::RuleAttrs;
use rules::one_of;
pub(crate) use spanned::Spanned;
pub(crate) use values::{RELIABLE, UNRELIABLE, channel, number, path, value, word};
use values::{codec, gather, method, redundancy, seconds, seconds_as};

/// Attributes of a behaviour.
#[derive(Default)]
pub(crate) struct BehaviourAttrs {
    pub(crate) krate: Option<Path>,
    /// Former names of the behaviour.
    pub(crate) was: Option<FormerNames>,
    pub(crate) send_interval: Option<f64>,
    pub(crate) channel: Option<u8>,
    pub(crate) datagrams: DatagramAttrs,
    /// `lifecycle`, with its place.
    pub(crate) lifecycle: Option<Span>,
    /// `synchronize`, with its place.
    pub(crate) synchronize: Option<Span>,
    /// `initial_hook` for all hooks, with its place.
    pub(crate) initial_hook: Option<Span>,
    /// `previous` for all fields, with its place.
    pub(crate) previous: Option<Span>,
    /// `observers` or `owner`.
    pub(crate) sync_mode: Option<Spanned<String>>,
    /// `server_to_client` or `client_to_server`.
    pub(crate) sync_direction: Option<Spanned<String>>,
    /// `reliable` or `hybrid`.
    pub(crate) sync_method: Option<Spanned<String>>,
}

/// Attributes of a behaviour on an unreliable channel.
#[derive(Default)]
pub(crate) struct DatagramAttrs {
    pub(crate) redundancy: Option<Spanned<u8>>,
    pub(crate) gather: Option<Spanned<bool>>,
}

/// Attributes of a field of a behaviour.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `#[sync_var]`, with its place.
    pub(crate) sync_var: Option<Span>,
    /// Former names of the field.
    pub(crate) was: Option<FormerNames>,
    pub(crate) hook: Option<Ident>,
    pub(crate) batch_hook: Option<Ident>,
    /// `initial_hook`, with its place.
    pub(crate) initial_hook: Option<Span>,
    /// Codec of the value, in place of its default encoding.
    pub(crate) with: Option<Type>,
    /// Name of the field's constant.
    pub(crate) constant: Option<Ident>,
    pub(crate) rules: RuleAttrs,
    pub(crate) motion: MotionAttrs,
    /// `#[network_behaviour(base)]`, with its place.
    pub(crate) base: Option<Span>,
}

/// Attributes of a value.
#[derive(Default)]
pub(crate) struct ValueAttrs {
    pub(crate) krate: Option<Path>,
}

/// Attributes of a member of a value.
#[derive(Default)]
pub(crate) struct MemberAttrs {
    /// `#[sync_value(skip)]`, with its place.
    pub(crate) skip: Option<Span>,
    /// Former names of the member.
    pub(crate) was: Option<FormerNames>,
}

/// Attributes of a variant of a value.
#[derive(Default)]
pub(crate) struct VariantAttrs {
    /// Former names of the variant.
    pub(crate) was: Option<FormerNames>,
    /// `#[sync_value(other)]`, with its place.
    pub(crate) other: Option<Span>,
}

/// Keys of `#[network_behaviour(...)]` on a struct.
const BEHAVIOUR_KEYS: &[&str] = &[
    "crate",
    "was",
    "send_interval",
    "channel",
    "redundancy",
    "gather",
    "lifecycle",
    "synchronize",
    "initial_hook",
    "previous",
    "sync_mode",
    "sync_direction",
    "sync_method",
];

impl BehaviourAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs {
            if attr.path().is_ident("sync_var") {
                errors.add(attr, "`#[sync_var]` belongs on a field, not on the struct");
            }
            if !attr.path().is_ident("network_behaviour") {
                continue;
            }
            parse_keys(attr, BEHAVIOUR_KEYS, errors, |meta, key, errors| {
                match key {
                    "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                    "send_interval" => set(&mut found.send_interval, meta, seconds(meta)?, errors),
                    "channel" => set(&mut found.channel, meta, channel(meta)?, errors),
                    "was" => set(&mut found.was, meta, former_names(meta)?, errors),
                    "redundancy" => {
                        let slot = &mut found.datagrams.redundancy;
                        set(slot, meta, redundancy(meta)?, errors);
                    }
                    "gather" => {
                        set(&mut found.datagrams.gather, meta, gather(meta)?, errors);
                    }
                    "lifecycle" => set(&mut found.lifecycle, meta, word(meta)?, errors),
                    "synchronize" => set(&mut found.synchronize, meta, word(meta)?, errors),
                    "initial_hook" => {
                        set(&mut found.initial_hook, meta, word(meta)?, errors);
                    }
                    "previous" => set(&mut found.previous, meta, word(meta)?, errors),
                    "sync_mode" => {
                        const EXAMPLE: &str = "`sync_mode` names the readers of all fields: `observers` or `owner`, as in \
                             `sync_mode = owner`";
                        let mode = one_of(meta, &["observers", "owner"], EXAMPLE)?;
                        set(&mut found.sync_mode, meta, mode, errors);
                    }
                    "sync_direction" => {
                        const EXAMPLE: &str = "`sync_direction` names the writer of all fields: `server_to_client` or \
                             `client_to_server`, as in `sync_direction = client_to_server`";
                        let known = ["server_to_client", "client_to_server"];
                        let direction = one_of(meta, &known, EXAMPLE)?;
                        set(&mut found.sync_direction, meta, direction, errors);
                    }
                    "sync_method" => {
                        const EXAMPLE: &str = "`sync_method` selects the delivery of changes in Mirror's protocol: `reliable` or \
                             `hybrid`, as in `sync_method = hybrid`";
                        let method = one_of(meta, &["reliable", "hybrid"], EXAMPLE)?;
                        set(&mut found.sync_method, meta, method, errors);
                    }
                    _ => return Err(unknown(meta, key, BEHAVIOUR_KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

impl FieldAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs {
            if attr.path().is_ident("sync_var") {
                found.parse_sync_var(attr, errors);
            } else if attr.path().is_ident("network_behaviour") {
                found.parse_network_behaviour(attr, errors);
            }
        }
        found
    }

    fn parse_sync_var(&mut self, attr: &Attribute, errors: &mut Errors) {
        if self.sync_var.replace(attr.path().span()).is_some() {
            errors.add(
                attr,
                "a second `#[sync_var]` on this field: write all keys into one",
            );
            return;
        }
        if attr.meta.require_path_only().is_ok() {
            return;
        }
        const KEYS: &[&str] = &[
            "was",
            "hook",
            "batch_hook",
            "initial_hook",
            "with",
            "constant",
            "read",
            "write",
            "server_override",
            "check",
            "initial_only",
            "min_interval",
            "max_interval",
            "threshold",
            "interpolate",
            "extrapolate",
            "snap",
            "history",
            "on_view",
        ];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "was" => set(&mut self.was, meta, former_names(meta)?, errors),
                "hook" => {
                    const EXAMPLE: &str =
                        "`hook` names a method of this struct: `hook = on_health_changed`";
                    set(&mut self.hook, meta, method(meta, EXAMPLE)?, errors);
                }
                "batch_hook" => {
                    const EXAMPLE: &str = "`batch_hook` names a method of this struct: `batch_hook = on_buffs_changed`";
                    set(&mut self.batch_hook, meta, method(meta, EXAMPLE)?, errors);
                }
                "initial_hook" => set(&mut self.initial_hook, meta, word(meta)?, errors),
                "with" => set(&mut self.with, meta, codec(meta)?, errors),
                "constant" => {
                    const EXAMPLE: &str =
                        "`constant` names the constant of the field: `constant = HEALTH_FIELD`";
                    set(&mut self.constant, meta, method(meta, EXAMPLE)?, errors);
                }
                _ if motion::KEYS.contains(&key) => self.motion.parse(meta, key, errors)?,
                _ if rules::KEYS.contains(&key) => self.rules.parse(meta, key, errors)?,
                _ => return Err(unknown(meta, key, KEYS)),
            }
            Ok(())
        });
    }

    fn parse_network_behaviour(&mut self, attr: &Attribute, errors: &mut Errors) {
        const KEYS: &[&str] = &["base"];
        parse_keys(attr, KEYS, errors, |meta, key, errors| {
            match key {
                "base" => set(&mut self.base, meta, word(meta)?, errors),
                _ => return Err(unknown(meta, key, KEYS)),
            }
            Ok(())
        });
    }
}

impl ValueAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs
            .iter()
            .filter(|attr| attr.path().is_ident("sync_value"))
        {
            const KEYS: &[&str] = &["crate"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "crate" => set(&mut found.krate, meta, path(meta)?, errors),
                    "skip" => return Err(meta.error("`skip` belongs on a member, not on the type")),
                    "was" => {
                        return Err(meta.error(
                            "`was` belongs on a member or a variant: a type is found by the name of its field",
                        ));
                    }
                    "other" => {
                        return Err(meta.error("`other` belongs on a variant, not on the type"));
                    }
                    _ => return Err(unknown(meta, key, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

impl MemberAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs
            .iter()
            .filter(|attr| attr.path().is_ident("sync_value"))
        {
            const KEYS: &[&str] = &["skip", "was"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "skip" => set(&mut found.skip, meta, word(meta)?, errors),
                    "was" => set(&mut found.was, meta, former_names(meta)?, errors),
                    "other" => {
                        return Err(meta.error("`other` belongs on a variant, not on a member"));
                    }
                    "crate" => {
                        return Err(meta.error(
                            "`crate` belongs on the type, not on a member: `#[sync_value(crate = ...)]`",
                        ));
                    }
                    _ => return Err(unknown(meta, key, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}

impl VariantAttrs {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for attr in attrs
            .iter()
            .filter(|attr| attr.path().is_ident("sync_value"))
        {
            const KEYS: &[&str] = &["was", "other"];
            parse_keys(attr, KEYS, errors, |meta, key, errors| {
                match key {
                    "was" => set(&mut found.was, meta, former_names(meta)?, errors),
                    "other" => set(&mut found.other, meta, word(meta)?, errors),
                    "skip" => {
                        return Err(
                            meta.error("`skip` belongs on a member of a struct, not on a variant")
                        );
                    }
                    "crate" => {
                        return Err(meta.error(
                            "`crate` belongs on the type, not on a variant: `#[sync_value(crate = ...)]`",
                        ));
                    }
                    _ => return Err(unknown(meta, key, KEYS)),
                }
                Ok(())
            });
        }
        found
    }
}
