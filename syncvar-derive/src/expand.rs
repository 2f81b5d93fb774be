//! Expansion: emits the parts in reading order. Cannot fail.

mod check;
mod deserialize;
mod dirty;
mod hook;
mod info;
mod motion;
mod policy;
mod previous;
mod schema;
mod serialize;
mod value;
mod visit;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, WhereClause, parse_quote};

use crate::bounds::Parameters;
use crate::model::{
    Behaviour, Collection, Container, Key, SyncVar, ValueModel, elements_travel, travels,
};
use crate::names;
pub(crate) use motion::interpolate;
use previous::Previous;
pub(crate) use schema::former_names;

/// Emits the whole expansion of `#[derive(NetworkBehaviour)]`.
pub(crate) fn behaviour(behaviour: &Behaviour<'_>) -> TokenStream {
    let ident = behaviour.ident;
    let import = names::behaviour_import(behaviour.krate.as_ref());
    let bits = dirty::bits(behaviour);
    let previous = Previous::of(behaviour);
    let previous_struct = previous.declaration();
    let previous_type = previous.item();
    let schema = schema::behaviour(behaviour);
    let info = info::constant(behaviour);
    let sync_var_dirty_bits = dirty::sync_var_dirty_bits(behaviour);
    let visit = visit::visit(behaviour);
    let on_serialize = serialize::on_serialize(behaviour);
    let on_deserialize = deserialize::on_deserialize(behaviour);
    let call_hooks = deserialize::call_hooks(behaviour);
    let markers = info::markers(behaviour);
    let check = check::implementation(behaviour);
    let limit = dirty::limit(behaviour);
    let inherits = dirty::inherits(behaviour);
    let allowed = behaviour.lints.for_impl();
    let where_clause = behaviour_bounds(behaviour);
    let (impl_generics, ty_generics, _) = behaviour.generics.split_for_impl();
    quote! {
        const _: () = {
            #import

            #bits

            #previous_struct

            #[automatically_derived]
            #allowed
            impl #impl_generics _syncvar::NetworkBehaviour for #ident #ty_generics #where_clause {
                #previous_type

                #schema
                #info

                #sync_var_dirty_bits
                #visit
                #on_serialize
                #on_deserialize
                #call_hooks
            }

            #markers
            #check
            #inherits
            #limit
        };
    }
}

/// Emits the whole expansion of `#[derive(SyncValue)]`.
pub(crate) fn value(value: &ValueModel<'_>) -> TokenStream {
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

/// Emits a call of a synchronised field's method: `self.health.read_full(reader)` if the macro knows
/// that a `SyncVar` of this value has the method. Otherwise the call names the type and the trait: for a
/// missing trait every such call is the same error at the type, which the compiler prints once. A codec
/// writes and reads its field.
fn call(sync_var: &SyncVar<'_>, method: &Method, argument: &TokenStream) -> TokenStream {
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

/// Emits an item of a value or its codec: `<f32 as _syncvar::SyncValue>::write`, or
/// `<Half as _syncvar::SyncCodec<f32>>::write`.
fn value_item(sync_var: &SyncVar<'_>, value: &Type, name: &str) -> TokenStream {
    match &sync_var.codec {
        Some(codec) => item_of(codec, &quote!(SyncCodec<#value>), name),
        None => item(value, "SyncValue", name),
    }
}

/// Emits `<Health as _syncvar::SyncField>::read_full` at the place of `Health`. An error is then at the
/// type, and equal to every path for this type.
pub(crate) fn item(ty: &Type, of: &str, name: &str) -> TokenStream {
    let of = Ident::new(of, Span::call_site());
    item_of(ty, &quote!(#of), name)
}

/// Emits an item of a trait with arguments; see [`item`].
fn item_of(ty: &Type, of: &TokenStream, name: &str) -> TokenStream {
    let open = quote_spanned!(first_place_of(ty)=> <);
    let name = Ident::new(name, last_place_of(ty));
    quote!(#open #ty as _syncvar::#of>::#name)
}

/// Returns the place of a type's first token.
fn first_place_of(ty: &Type) -> Span {
    let first = ty.to_token_stream().into_iter().next();
    first.map_or_else(Span::call_site, |token| token.span())
}

/// Returns the place of a type's last token.
fn last_place_of(ty: &Type) -> Span {
    let last = ty.to_token_stream().into_iter().last();
    last.map_or_else(Span::call_site, |token| token.span())
}

/// Method of a synchronised field.
struct Method {
    name: &'static str,
    /// Trait of the method.
    of: &'static str,
    /// Set if the method takes `&mut self`.
    writes: bool,
    /// Equivalent method of the value, for a `SyncVar`.
    of_value: Option<&'static str>,
}

impl Method {
    const COLLECT_DIRTY: Self = Self::new("collect_dirty", false, None);
    const WRITE_FULL: Self = Self::new("write_full", false, Some("write"));
    const WRITE_DELTA: Self = Self::new("write_delta", false, Some("write"));
    const READ_FULL: Self = Self::new("read_full", true, Some("read_in_place"));
    const READ_DELTA: Self = Self::new("read_delta", true, Some("read_in_place"));
    const READ_DELTA_WITH_PREVIOUS: Self = Self {
        of: "HookField",
        ..Self::new("read_delta_with_previous", true, Some("read_with_previous"))
    };

    const fn new(name: &'static str, writes: bool, of_value: Option<&'static str>) -> Self {
        Self {
            name,
            of: "SyncField",
            writes,
            of_value,
        }
    }
}

/// Returns the place of some tokens, for errors, with the names of the macro.
fn place_of(tokens: &impl ToTokens) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// Returns the user's bounds, and one for every field type that mentions a type parameter. For a
/// parameter that no field type mentions, the struct itself gets the bounds of a behaviour.
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
        match (sync_var.ty.container, sync_var.keeps_previous()) {
            (Container::SyncVar(value), _) if sync_var.codec.is_some() => {
                add(
                    value,
                    quote!(Clone + _syncvar::Send + _syncvar::Sync + 'static),
                );
            }
            (Container::SyncVar(value), _) => add(value, quote!(SyncValue)),
            (_, false) => add(sync_var.ty.original, quote!(SyncField + 'static)),
            (_, true) => add(sync_var.ty.original, quote!(HookField + 'static)),
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

/// Returns the bounds of a collection's elements. A bound on the collection itself would hide the type
/// of its hook's argument from the compiler.
fn element_bound(key: Option<Key>) -> TokenStream {
    match key {
        None => quote!(SyncValue),
        Some(Key::Hashed) => quote!(SyncValue + _syncvar::Hash + _syncvar::Eq),
        Some(Key::Ordered) => quote!(SyncValue + _syncvar::Ord),
    }
}

/// Returns the user's bounds, and one for every type parameter that a member mentions. `SyncValue`
/// includes the bound of `#[derive(Clone)]`.
fn value_bounds<'a>(
    value: &ValueModel<'_>,
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
