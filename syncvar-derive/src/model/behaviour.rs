//! A behaviour: a struct with synchronised fields and an optional base.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Field, Fields, Generics, Ident, Index, Member, Path, Type, Visibility,
};

use super::delivery::DeliverySettings;
use super::field_type::{self, Container, FieldType};
use super::motion::Interpolation;
use super::rules::CommonPolicy;
use super::thread::refuse_bound_to_thread;
use super::type_tokens::type_text;
use super::unsent;
use super::{Policy, Readers, SyncVar};
use crate::attr::{BehaviourAttrs, FieldAttrs, FormerNames, Named, RELIABLE, refuse_shared_names};
use crate::errors::Errors;
use crate::lints::Lints;
use crate::names;

/// Struct with `#[derive(NetworkBehaviour)]`.
pub(crate) struct Behaviour<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) lints: Lints,
    /// Set if the struct is visible outside of its module.
    pub(crate) is_visible: bool,
    pub(crate) generics: &'a Generics,
    pub(crate) krate: Option<Path>,
    /// Former names of the behaviour, newest first.
    pub(crate) was: FormerNames,
    /// Seconds, unless the default.
    pub(crate) send_interval: Option<f64>,
    /// Channel, unless the default.
    pub(crate) channel: Option<u8>,
    pub(crate) delivery: DeliverySettings,
    pub(crate) callbacks: Callbacks,
    pub(crate) base: Option<Base<'a>>,
    pub(crate) sync_vars: Vec<SyncVar<'a>>,
}

/// Callbacks that a struct implements, each with the place of its key.
pub(crate) struct Callbacks {
    /// `lifecycle`: the struct implements `NetworkLifecycle`.
    pub(crate) lifecycle: Option<Span>,
    /// `synchronize`: the struct implements `Synchronize`.
    pub(crate) synchronize: Option<Span>,
}

/// Field of the base.
pub(crate) struct Base<'a> {
    pub(crate) member: Member,
    pub(crate) visibility: &'a Visibility,
    pub(crate) ty: &'a Type,
}

const MAX_SYNC_VARS: usize = 64;

impl<'a> Behaviour<'a> {
    pub(crate) fn from_syn(input: &'a DeriveInput) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let attrs = BehaviourAttrs::parse(&input.attrs, &mut errors);
        for lifetime in input.generics.lifetimes() {
            errors.add(
                lifetime,
                "a behaviour lives as long as its object and cannot borrow: give it types that own their values",
            );
        }
        let common = CommonPolicy::from_attrs(&attrs);
        let is_hybrid = { &attrs.sync_method }.as_ref();
        let is_hybrid = is_hybrid.is_some_and(|method| method.value == "hybrid");
        let channel = attrs.channel.unwrap_or(RELIABLE);
        let delivery =
            DeliverySettings::from_attrs(is_hybrid, channel, &attrs.datagrams, &mut errors);
        let mut behaviour = Self {
            ident: &input.ident,
            lints: Lints::of(input),
            is_visible: !matches!(input.vis, Visibility::Inherited),
            generics: &input.generics,
            krate: attrs.krate,
            was: attrs.was.unwrap_or_default(),
            send_interval: attrs.send_interval,
            channel: attrs.channel,
            delivery,
            callbacks: Callbacks {
                lifecycle: attrs.lifecycle,
                synchronize: attrs.synchronize,
            },
            base: None,
            sync_vars: Vec::new(),
        };
        if let Some(fields) = behaviour_fields(input, &mut errors) {
            behaviour.add_fields(fields, &common, &mut errors);
            if let Some(place) = attrs.initial_hook {
                behaviour.mark_initial_hooks(place, &mut errors);
            }
            behaviour.refuse_silent_hooks(&mut errors);
            behaviour.refuse_shared_names(&mut errors);
            if let Some(place) = attrs.previous {
                behaviour.keep_previous(place, &mut errors);
            }
            if behaviour.sync_vars.is_empty() {
                behaviour.refuse_rules_of_nothing(&common, &mut errors);
            }
        }
        errors.finish(behaviour)
    }

    /// Lets all hooks run for the first state.
    fn mark_initial_hooks(&mut self, place: Span, errors: &mut Errors) {
        if !self.has_hooks() {
            errors.add_error(syn::Error::new(
                place,
                "`initial_hook` belongs to hooks, and no field of this struct has one: write \
                 `#[sync_var(hook = ...)]` above a field",
            ));
        }
        for sync_var in &mut self.sync_vars {
            sync_var.initial_hook |= sync_var.has_hook();
        }
    }

    /// Refuses hooks of fields that never change: sent with snapshots only, and to the same readers always.
    fn refuse_silent_hooks(&self, errors: &mut Errors) {
        let silent = self.sync_vars.iter().filter(|field| {
            let policy = &field.policy;
            policy.initial_only && policy.readers == Readers::Everyone && !field.initial_hook
        });
        for hook in silent.filter_map(|field| field.hook.as_ref().or(field.batch_hook.as_ref())) {
            errors.add(
                hook,
                "an `initial_only` field arrives with the snapshot only, so this hook never runs: add `initial_hook`, or \
                 remove `initial_only`",
            );
        }
    }

    /// Refuses former names of the behaviour and its fields that are present names, or given twice.
    fn refuse_shared_names(&self, errors: &mut Errors) {
        let fields = self.sync_vars.iter().map(|field| Named {
            name: names::plain(&field.member),
            was: &field.was,
        });
        refuse_shared_names(&fields.collect::<Vec<_>>(), "field", errors);
        let behaviour = Named {
            name: self.ident.unraw().to_string(),
            was: &self.was,
        };
        refuse_shared_names(&[behaviour], "behaviour", errors);
    }

    /// Keeps the previous values of every field whose type is known to have them.
    fn keep_previous(&mut self, place: Span, errors: &mut Errors) {
        if self.sync_vars.is_empty() {
            errors.add_error(syn::Error::new(
                place,
                "`previous` keeps the previous values of the fields of this struct, and it has none: remove it",
            ));
        }
        for sync_var in &mut self.sync_vars {
            sync_var.previous = !matches!(sync_var.ty.container, Container::Unknown);
        }
    }

    fn add_fields(&mut self, fields: &'a Fields, common: &CommonPolicy, errors: &mut Errors) {
        for (index, field) in (0_u32..).zip(fields) {
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index {
                    index,
                    span: field.ty.span(),
                }),
            };
            let mut attrs = FieldAttrs::parse(&field.attrs, errors);
            if attrs.sync_var.is_some() {
                common.apply(&mut attrs.rules, &member, errors);
            }
            match (attrs.base, attrs.sync_var) {
                (Some(_), Some(sync_var)) => errors.add_error(syn::Error::new(
                    sync_var,
                    "a base is synchronised by its own fields: remove `#[sync_var]`",
                )),
                (Some(_), None) => self.set_base(member, field, errors),
                (None, Some(_)) => self.add_sync_var(member, field, attrs, errors),
                (None, None) => refuse_misplaced(&field.ty, errors),
            }
        }
    }

    /// Refuses settings for all fields on a struct without fields, since they would be without effect.
    fn refuse_rules_of_nothing(&self, common: &CommonPolicy, errors: &mut Errors) {
        let message = match &self.base {
            Some(_) => {
                "this setting applies to the fields of this struct, and it has none: write it on the struct of the base"
            }
            None => "this setting applies to the fields of this struct, and it has none: remove it",
        };
        for place in common.places() {
            errors.add_error(syn::Error::new(place, message));
        }
    }

    fn set_base(&mut self, member: Member, field: &'a Field, errors: &mut Errors) {
        let ty = &field.ty;
        if self.base.is_some() {
            errors.add(
                ty,
                "a second base: a behaviour has one; put the other on the object as a second behaviour",
            );
        } else if field_type::find_synchronised(ty).is_some() {
            errors.add(
                ty,
                "a base is a behaviour: write `#[sync_var]` for a synchronised field",
            );
        } else if field_type::is_known(ty) {
            let text = type_text(ty);
            let message = format!(
                "`{text}` is not a behaviour: a base is a struct with `#[derive(NetworkBehaviour)]`"
            );
            errors.add(ty, message);
        } else {
            let visibility = &field.vis;
            self.base = Some(Base {
                member,
                visibility,
                ty,
            });
        }
    }

    fn add_sync_var(
        &mut self,
        member: Member,
        field: &'a Field,
        attrs: FieldAttrs,
        errors: &mut Errors,
    ) {
        let ty = &field.ty;
        unsent::refuse(&attrs, errors);
        let constant = attrs.constant.unwrap_or_else(|| names::constant(&member));
        let mut others = self.sync_vars.iter();
        if let Some(other) = others.find(|other| other.constant == constant) {
            let (other, this) = (names::plain(&other.member), names::plain(&member));
            let message = format!(
                "`{this}` and `{other}` would share the name `{constant}` for their constants: rename one, or write \
                 `#[sync_var(constant = ...)]`"
            );
            errors.add(&member, message);
        }
        match FieldType::from_syn(ty, attrs.with.is_some()) {
            Ok(ty) => {
                let batch_hook = attrs.batch_hook;
                if let Some(hook) = batch_hook.as_ref().filter(|_| !ty.is_collection()) {
                    errors.add(hook, no_batch_hook(&ty));
                }
                let policy = Policy::from_attrs(attrs.rules, &ty, errors);
                let interpolation = Interpolation::from_attrs(attrs.motion, &ty, errors);
                let told = attrs.hook.is_some() || batch_hook.is_some();
                if let Some(place) = attrs.initial_hook.filter(|_| !told) {
                    errors.add_error(syn::Error::new(
                        place,
                        "`initial_hook` belongs to a hook, and this field has none: write `hook = ..., initial_hook`",
                    ));
                }
                self.sync_vars.push(SyncVar {
                    policy,
                    interpolation,
                    member,
                    was: attrs.was.unwrap_or_default(),
                    constant,
                    visibility: &field.vis,
                    ty,
                    hook: attrs.hook,
                    batch_hook,
                    initial_hook: attrs.initial_hook.is_some(),
                    previous: false,
                    codec: attrs.with,
                });
            }
            Err(error) => return errors.add_error(error),
        }
        if self.sync_vars.len() == MAX_SYNC_VARS + 1 {
            errors.add(
                ty,
                "this is synchronised field number 65, and a behaviour has at most 64: move some to a second \
                 behaviour on the same object",
            );
        }
    }

    /// Returns whether a field, base excluded, has a hook.
    pub(crate) fn has_hooks(&self) -> bool {
        self.sync_vars.iter().any(SyncVar::has_hook)
    }

    /// Returns whether a field, base excluded, has these readers.
    pub(crate) fn has_readers(&self, readers: Readers) -> bool {
        let mut fields = self.sync_vars.iter();
        fields.any(|sync_var| sync_var.policy.readers == readers)
    }

    /// Returns whether changes of a field, base excluded, yield its previous value.
    pub(crate) fn keeps_previous(&self) -> bool {
        self.sync_vars.iter().any(SyncVar::keeps_previous)
    }

    /// Returns whether a field, base excluded, has a check.
    pub(crate) fn has_checks(&self) -> bool {
        { self.sync_vars.iter() }.any(|sync_var| sync_var.policy.check.is_some())
    }

    /// Returns whether the previous value of a field, base excluded, is kept.
    pub(crate) fn remembers(&self) -> bool {
        self.sync_vars.iter().any(SyncVar::is_remembered)
    }

    /// Returns whether a field, base excluded, has a codec.
    pub(crate) fn has_codecs(&self) -> bool {
        self.sync_vars
            .iter()
            .any(|sync_var| sync_var.codec.is_some())
    }
}

/// Returns the reason why a field without a collection's name cannot have a `batch_hook`.
fn no_batch_hook(ty: &FieldType<'_>) -> &'static str {
    match ty.container {
        Container::SyncVar(_) => {
            "`batch_hook` is for a collection, such as `SyncList<T>`: write `hook`"
        }
        Container::Collection | Container::Unknown => {
            "`batch_hook` needs the name of a collection: write `SyncList<...>` here, or write `hook`, which receives \
             all changes of a type with another name"
        }
    }
}

/// Refuses a `SyncVar` without the attribute, which would never be sent, and a type that belongs to one thread.
fn refuse_misplaced(ty: &Type, errors: &mut Errors) {
    if let Err(error) = refuse_bound_to_thread(ty) {
        errors.add_error(error);
    }
    if let Some((found, name)) = field_type::find_synchronised(ty) {
        let message = format!(
            "this `{name}` would never be sent: write `#[sync_var]` above the field, or make it a plain value"
        );
        errors.add(found, message);
    }
}

fn behaviour_fields<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Option<&'a Fields> {
    match &input.data {
        Data::Struct(data) => Some(&data.fields),
        Data::Enum(data) => {
            errors.add(
                data.enum_token,
                "a behaviour is a struct: keep the enum in a field, as `SyncVar<...>`, and derive `SyncValue` for it",
            );
            None
        }
        Data::Union(data) => {
            errors.add(data.union_token, "a behaviour is a struct, not a union");
            None
        }
    }
}
