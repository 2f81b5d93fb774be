//! Puts the pieces in reading order. Cannot fail.

mod call;
mod change;
mod deserialize;
mod dirty;
mod hooks;
mod lifecycle;
mod previous;
mod rules;
mod schema;
mod serialize;
mod value;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, WhereClause, parse_quote};

use crate::bounds::Parameters;
use crate::model::{
    Behaviour, Collection, Container, Key, SyncVar, Value, elements_travel, travels,
};
use crate::names;
use previous::Previous;

/// The whole expansion of `#[derive(NetworkBehaviour)]`.
pub(crate) fn behaviour(behaviour: &Behaviour<'_>) -> TokenStream {
    let ident = behaviour.ident;
    let import = names::import(behaviour.krate.as_ref());
    let bits = dirty::bits(behaviour);
    let previous = Previous::of(behaviour);
    let previous_struct = previous.declaration();
    let previous_type = previous.ty();
    let schema = schema::behaviour(behaviour);
    let settings = settings(behaviour);
    let sync_var_dirty_bits = dirty::sync_var_dirty_bits(behaviour);
    let set_dirty_bit = dirty::set_dirty_bit(behaviour);
    let clear_all_dirty_bits = dirty::clear_all_dirty_bits(behaviour);
    let clear_dirty_bits = dirty::clear_dirty_bits(behaviour);
    let notice_replacements = dirty::notice_replacements(behaviour);
    let set_observed = dirty::set_observed(behaviour);
    let set_verbatim = dirty::set_verbatim(behaviour);
    let before_change = change::before_change(behaviour);
    let withdraw_changes = change::withdraw_changes(behaviour);
    let write_fields = rules::write_fields(behaviour);
    let read_fields = rules::read_fields(behaviour);
    let is_beyond_threshold = rules::is_beyond_threshold(behaviour);
    let remember_for_hooks = hooks::remember_for_hooks(behaviour);
    let changed_since = hooks::changed_since(behaviour);
    let initial_hooks = hooks::initial_hooks(behaviour);
    let on_serialize = serialize::on_serialize(behaviour);
    let on_deserialize = deserialize::on_deserialize(behaviour);
    let call_hooks = deserialize::call_hooks(behaviour);
    let on_lifecycle = lifecycle::on_lifecycle(behaviour);
    let synchronize = lifecycle::synchronize(behaviour);
    let markers = lifecycle::markers(behaviour);
    let call_table = call::table(behaviour);
    let handle_call = call::handle_call(behaviour);
    let limit = dirty::limit(behaviour);
    let allowed = behaviour.lints.for_impl();
    let where_clause = behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    quote! {
        const _: () = {
            #import
            #[allow(unused_imports)]
            use _syncvar::NoCalls as _;

            #bits

            #previous_struct

            #[automatically_derived]
            #allowed
            impl #impl_generics _syncvar::NetworkBehaviour for #ident #ty_generics #where_clause {
                type Previous = #previous_type;

                #schema
                #settings
                #initial_hooks
                #call_table

                #sync_var_dirty_bits
                #set_dirty_bit
                #clear_all_dirty_bits
                #clear_dirty_bits
                #notice_replacements
                #set_observed
                #set_verbatim
                #before_change
                #withdraw_changes
                #write_fields
                #read_fields
                #is_beyond_threshold
                #on_serialize
                #on_deserialize
                #call_hooks
                #remember_for_hooks
                #changed_since
                #on_lifecycle
                #synchronize
                #handle_call
            }

            #markers
            #limit
        };
    }
}

/// The whole expansion of `#[derive(SyncValue)]`.
pub(crate) fn value(value: &Value<'_>) -> TokenStream {
    let ident = value.ident;
    let import = names::import(value.krate.as_ref());
    let checks = value::checks(value);
    let schema = schema::value(value);
    let methods = value::methods(value);
    let allowed = value.lints.for_impl();
    let types = value.members().map(|member| member.ty);
    let where_clause = value_bounds(value, types);
    let (impl_generics, ty_generics, _) = value.generics.split_for_impl();
    quote! {
        const _: () = {
            #import

            #checks

            #[automatically_derived]
            #allowed
            impl #impl_generics _syncvar::SyncValue for #ident #ty_generics #where_clause {
                #schema
                #methods
            }
        };
    }
}

/// The constants that the attribute on the struct sets.
fn settings(behaviour: &Behaviour<'_>) -> TokenStream {
    let send_interval = behaviour.send_interval.map(|seconds| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 3600 s"
        )]
        let micros = proc_macro2::Literal::u64_unsuffixed((seconds * 1e6).round() as u64);
        quote!(const SEND_INTERVAL: _syncvar::Duration = _syncvar::Duration::from_micros(#micros);)
    });
    let channel = behaviour.channel.map(|channel| {
        let channel = proc_macro2::Literal::u8_unsuffixed(channel);
        quote!(const CHANNEL: u8 = #channel;)
    });
    let sync_method = behaviour.is_hybrid.then(|| {
        quote!(
            const SYNC_METHOD: _syncvar::SyncMethod = _syncvar::SyncMethod::Hybrid;
        )
    });
    let resendable = resendable(behaviour);
    let called = lifecycle::constants(behaviour);
    quote!(#send_interval #channel #sync_method #resendable #called)
}

/// Whether changes that a client has missed can be made good by sending the fields again. That of a
/// `SyncVar` can; what the macro does not know is asked.
fn resendable(behaviour: &Behaviour<'_>) -> TokenStream {
    let base = behaviour.base.as_ref();
    let base = base.map(|base| item(base.ty, "NetworkBehaviour", "RESENDABLE"));
    let unknown = |sync_var: &&SyncVar<'_>| matches!(sync_var.ty.container, Container::Unknown);
    let fields = behaviour.sync_vars.iter().filter(unknown);
    let fields = fields.map(|sync_var| item(sync_var.ty.original, "SyncField", "RESENDABLE"));
    let asked: Vec<_> = base.into_iter().chain(fields).collect();
    let answer = if asked.is_empty() {
        quote!(true)
    } else {
        quote!(#(#asked)&&*)
    };
    quote!(const RESENDABLE: bool = #answer;)
}

/// A call of a synchronised field's method: `self.health.read_full(reader)` where the macro knows
/// that a `SyncVar` of this value has the method. Where it does not, a call that names the type and
/// the trait: should the trait be missing, every such call gives the same error, at the type, and
/// the compiler prints it once. A field that has a codec is written and read by that.
fn call(sync_var: &SyncVar<'_>, method: &Method, argument: Option<&TokenStream>) -> TokenStream {
    let (member, ty) = (&sync_var.member, sync_var.ty.original);
    match (sync_var.ty.container, method.of_value) {
        (Container::SyncVar(value), Some(name)) if !travels(value) || sync_var.codec.is_some() => {
            let function = value_item(sync_var, value, name);
            if method.writes {
                quote!(#function(self.#member.received(), #argument))
            } else {
                quote!(#function(&self.#member, #argument))
            }
        }
        (Container::SyncVar(_), _) => {
            let name = Ident::new(method.name, place_of(ty));
            quote!(self.#member.#name(#argument))
        }
        (Container::Collection, _) if elements_travel(ty) => {
            let name = Ident::new(method.name, place_of(ty));
            quote!(self.#member.#name(#argument))
        }
        (Container::Collection | Container::Unknown, _) => {
            let function = item(ty, method.of, method.name);
            let field = if method.writes {
                quote!(&mut self.#member)
            } else {
                quote!(&self.#member)
            };
            quote_spanned!(last_place_of(ty)=> #function(#field, #argument))
        }
    }
}

/// What a value has as a value, or its codec for it: `<f32 as _syncvar::SyncValue>::write`, or
/// `<Half as _syncvar::SyncCodec<f32>>::write`.
fn value_item(sync_var: &SyncVar<'_>, value: &Type, name: &str) -> TokenStream {
    match &sync_var.codec {
        Some(codec) => item_of(codec, &quote!(SyncCodec<#value>), name),
        None => item(value, "SyncValue", name),
    }
}

/// `<Health as _syncvar::SyncField>::read_full`, where the compiler looks for the place of an error
/// having the places of `Health`: so it is at the type, and equal to every other one for this type.
pub(crate) fn item(ty: &Type, of: &str, name: &str) -> TokenStream {
    let of = Ident::new(of, Span::call_site());
    item_of(ty, &quote!(#of), name)
}

/// As [`item`], of a trait that has arguments.
fn item_of(ty: &Type, of: &TokenStream, name: &str) -> TokenStream {
    let first = ty.to_token_stream().into_iter().next();
    let first = first.map_or_else(Span::call_site, |token| token.span());
    let open = quote_spanned!(first=> <);
    let name = Ident::new(name, last_place_of(ty));
    quote!(#open #ty as _syncvar::#of>::#name)
}

/// The place of a type's last token.
fn last_place_of(ty: &Type) -> Span {
    let last = ty.to_token_stream().into_iter().last();
    last.map_or_else(Span::call_site, |token| token.span())
}

/// A method of a synchronised field.
struct Method {
    name: &'static str,
    /// The trait that has it.
    of: &'static str,
    /// Whether it takes `&mut self`.
    writes: bool,
    /// The method of the value that does the same for a `SyncVar`, where the value is needed.
    of_value: Option<&'static str>,
}

impl Method {
    const IS_DIRTY: Self = Self::new("is_dirty", false, None);
    const SET_DIRTY: Self = Self::new("set_dirty", true, None);
    const CLEAR_DIRTY: Self = Self::new("clear_dirty", true, None);
    const NOTICE_REPLACEMENT: Self = Self::new("notice_replacement", true, None);
    const SET_OBSERVED: Self = Self::new("set_observed", true, None);
    const SET_VERBATIM: Self = Self::new("set_verbatim", true, None);
    const WRITE_FULL: Self = Self::new("write_full", false, Some("write"));
    const WRITE_DELTA: Self = Self::new("write_delta", false, Some("write"));
    const READ_FULL: Self = Self::new("read_full", true, Some("read_in_place"));
    const READ_DELTA: Self = Self::new("read_delta", true, Some("read_in_place"));
    const READ_DELTA_WITH_PREVIOUS: Self = Self {
        of: "HookField",
        ..Self::new("read_delta_with_previous", true, Some("read_with_previous"))
    };
    const REMEMBERED: Self = Self::of_hook_field("remembered");
    const HAS_CHANGED_SINCE: Self = Self::of_hook_field("has_changed_since");

    const fn of_hook_field(name: &'static str) -> Self {
        Self {
            of: "HookField",
            ..Self::new(name, false, None)
        }
    }

    const fn new(name: &'static str, writes: bool, of_value: Option<&'static str>) -> Self {
        Self {
            name,
            of: "SyncField",
            writes,
            of_value,
        }
    }
}

/// The place of some tokens, for errors, with the names of the macro.
fn place_of(tokens: &impl ToTokens) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// The user's bounds, and one for every field type that mentions a type parameter. Where a parameter
/// is mentioned by none, the struct as a whole must be what a behaviour has to be.
fn behaviour_bounds(behaviour: &Behaviour<'_>) -> Option<WhereClause> {
    let parameters = Parameters::of(behaviour.generics);
    let mut clause = behaviour.generics.where_clause.clone();
    let mut add = |ty: &Type, bound: TokenStream| {
        if parameters.occur_in(ty) {
            let clause = clause.get_or_insert_with(|| parse_quote!(where));
            clause.predicates.push(parse_quote!(#ty: _syncvar::#bound));
        }
    };
    if let Some(base) = &behaviour.base {
        add(base.ty, quote!(NetworkBehaviour));
    }
    for sync_var in &behaviour.sync_vars {
        if sync_var.ty.is_collection() {
            for (element, key) in Collection::elements(sync_var.ty.original) {
                add(element, element_bound(key));
            }
            continue;
        }
        match (sync_var.ty.container, sync_var.has_hook()) {
            (Container::SyncVar(value), _) if sync_var.codec.is_some() => {
                add(
                    value,
                    quote!(Clone + _syncvar::Send + _syncvar::Sync + 'static),
                );
            }
            (Container::SyncVar(value), _) => add(value, quote!(SyncValue)),
            (_, false) => add(sync_var.ty.original, quote!(SyncField)),
            (_, true) => add(sync_var.ty.original, quote!(HookField)),
        }
    }
    for sync_var in &behaviour.sync_vars {
        if let (Container::SyncVar(value), Some(codec)) = (sync_var.ty.container, &sync_var.codec)
            && (parameters.occur_in(value) || parameters.occur_in(codec))
        {
            let clause = clause.get_or_insert_with(|| parse_quote!(where));
            clause
                .predicates
                .push(parse_quote!(#codec: _syncvar::SyncCodec<#value>));
        }
    }
    let types = behaviour
        .sync_vars
        .iter()
        .map(|sync_var| sync_var.ty.original);
    let all = types.chain(behaviour.base.iter().map(|base| base.ty));
    if parameters.count() > parameters.mentioned_in(all).len() {
        let ident = behaviour.ident;
        let (_, ty_generics, _) = behaviour.generics.split_for_impl();
        let clause = clause.get_or_insert_with(|| parse_quote!(where));
        clause
            .predicates
            .push(parse_quote!(#ident #ty_generics: _syncvar::Send + _syncvar::Sync + 'static));
    }
    clause
}

/// What the elements of a collection must be. A bound on the collection itself would hide from the
/// compiler what its hook is given.
fn element_bound(key: Option<Key>) -> TokenStream {
    match key {
        None => quote!(SyncValue),
        Some(Key::Hashed) => quote!(SyncValue + _syncvar::Hash + _syncvar::Eq),
        Some(Key::Ordered) => quote!(SyncValue + _syncvar::Ord),
    }
}

/// The user's bounds, and one for every type parameter that a member mentions: with it the value can
/// be cloned as well, which `#[derive(Clone)]` allows for parameters that can.
fn value_bounds<'a>(
    value: &Value<'_>,
    types: impl Iterator<Item = &'a Type>,
) -> Option<WhereClause> {
    let parameters = Parameters::of(value.generics);
    let mentioned = parameters.mentioned_in(types);
    let mut clause = value.generics.where_clause.clone();
    let some_are_not = parameters.count() > mentioned.len();
    for parameter in mentioned {
        let clause = clause.get_or_insert_with(|| parse_quote!(where));
        clause
            .predicates
            .push(parse_quote!(#parameter: _syncvar::SyncValue));
    }
    if some_are_not {
        let ident = value.ident;
        let (_, ty_generics, _) = value.generics.split_for_impl();
        let clause = clause.get_or_insert_with(|| parse_quote!(where));
        clause.predicates.push(parse_quote!(
            #ident #ty_generics: _syncvar::Clone + _syncvar::Send + _syncvar::Sync + 'static
        ));
    }
    clause
}
