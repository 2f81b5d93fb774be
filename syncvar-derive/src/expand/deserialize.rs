//! `on_deserialize`, and the hooks.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::{Method, call, item, place_of};
use crate::model::{Base, Behaviour, Container, SyncVar};
use crate::names;

/// The struct that carries previous values from `on_deserialize` to `call_hooks`.
pub(super) fn previous_struct(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if !behaviour.has_hooks() {
        return None;
    }
    let ident = names::previous(behaviour.ident);
    let doc = format!(
        " Previous values of `{}`, on their way to its hooks.",
        behaviour.ident.unraw()
    );
    let base = behaviour.base.as_ref().map(|base| {
        let previous = item(base.ty, "NetworkBehaviour", "Previous");
        quote!(base: #previous,)
    });
    let fields = hooked(behaviour).map(|sync_var| {
        let member = names::previous_member(&sync_var.member);
        let ty = previous_value(sync_var);
        quote!(#member: _syncvar::Option<#ty>,)
    });
    let where_clause = super::behaviour_bounds(behaviour);
    let (generics, _, _) = behaviour.generics.split_for_impl();
    let parameters: Vec<_> = behaviour
        .generics
        .type_params()
        .map(|param| &param.ident)
        .collect();
    let marker = (!parameters.is_empty())
        .then(|| quote!(marker: _syncvar::PhantomData<fn() -> (#(#parameters,)*)>,));
    Some(quote! {
        #[doc = #doc]
        pub struct #ident #generics #where_clause {
            #base
            #(#fields)*
            #marker
        }
    })
}

/// What `type Previous` is.
pub(super) fn previous_type(behaviour: &Behaviour<'_>) -> TokenStream {
    if behaviour.has_hooks() {
        let ident = names::previous(behaviour.ident);
        let (_, ty_generics, _) = behaviour.generics.split_for_impl();
        return quote!(#ident #ty_generics);
    }
    match &behaviour.base {
        Some(base) => item(base.ty, "NetworkBehaviour", "Previous"),
        None => quote!(()),
    }
}

pub(super) fn on_deserialize(behaviour: &Behaviour<'_>) -> TokenStream {
    let previous_type = previous_type(behaviour);
    let nothing = behaviour.base.is_none() && behaviour.sync_vars.is_empty();
    let (reader, initial_state) = if nothing {
        (quote!(_reader), quote!(_initial_state))
    } else {
        (quote!(reader), quote!(initial_state))
    };
    let body = match &behaviour.base {
        None if nothing => quote!(_syncvar::Ok(())),
        Some(base) if behaviour.sync_vars.is_empty() => {
            let member = &base.member;
            let on_deserialize = item(base.ty, "NetworkBehaviour", "on_deserialize");
            quote! {
                #on_deserialize(&mut self.#member, reader, initial_state)
            }
        }
        _ => read_fields(behaviour),
    };
    quote! {
        fn on_deserialize(
            &mut self,
            #reader: &mut _syncvar::NetworkReader<'_>,
            #initial_state: bool,
        ) -> _syncvar::Result<#previous_type, _syncvar::ReadError> {
            #body
        }
    }
}

fn read_fields(behaviour: &Behaviour<'_>) -> TokenStream {
    let base_full = behaviour
        .base
        .as_ref()
        .map(|base| read_base(base, true, behaviour));
    let base_delta = behaviour
        .base
        .as_ref()
        .map(|base| read_base(base, false, behaviour));
    let (new_previous, returned) = previous_value_of(behaviour);
    let full = behaviour.sync_vars.iter().map(|sync_var| {
        let read = read(behaviour, sync_var, &Method::READ_FULL);
        quote!(#read?;)
    });
    let delta = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let line = if sync_var.hook.is_some() {
            let member = names::previous_member(&sync_var.member);
            let read = read(behaviour, sync_var, &Method::READ_DELTA_WITH_PREVIOUS);
            quote!(previous.#member = #read?;)
        } else {
            let read = read(behaviour, sync_var, &Method::READ_DELTA);
            quote!(#read?;)
        };
        quote! {
            if dirty_bits & Self::#bit != 0 {
                #line
            }
        }
    });
    let (full_returned, mutable_previous) = match new_previous {
        Some(new) => (new.clone(), Some(quote!(let mut previous = #new;))),
        None => (returned.clone(), None),
    };
    let place = behaviour.ident.unraw().to_string();
    quote! {
        if initial_state {
            #base_full
            #(#full)*
            return _syncvar::Ok(#full_returned);
        }
        #base_delta
        let dirty_bits = reader.read_dirty_bits_of::<Self>().at(#place)?;
        #mutable_previous
        #(#delta)*
        _syncvar::Ok(#returned)
    }
}

/// The empty struct of previous values, if there is one, and what is returned.
fn previous_value_of(behaviour: &Behaviour<'_>) -> (Option<TokenStream>, TokenStream) {
    if !behaviour.has_hooks() {
        let returned = if behaviour.base.is_some() {
            quote!(base)
        } else {
            quote!(())
        };
        return (None, returned);
    }
    let ident = names::previous(behaviour.ident);
    let base = behaviour.base.as_ref().map(|_| quote!(base,));
    let members = hooked(behaviour).map(|sync_var| names::previous_member(&sync_var.member));
    let marker = behaviour.generics.type_params().next();
    let marker = marker.map(|_| quote!(marker: _syncvar::PhantomData,));
    let new = quote!(#ident { #base #(#members: _syncvar::None,)* #marker });
    (Some(new), quote!(previous))
}

fn read_base(base: &Base<'_>, initial_state: bool, behaviour: &Behaviour<'_>) -> TokenStream {
    let member = &base.member;
    let place = names::place(behaviour.ident, member);
    let read = item(base.ty, "NetworkBehaviour", "on_deserialize");
    if initial_state {
        quote! {
            let base = #read(&mut self.#member, reader, true).at(#place)?;
        }
    } else {
        quote! {
            let outer = reader.enter_base::<Self>();
            let base = #read(&mut self.#member, reader, false).at(#place)?;
            reader.leave_base(outer);
        }
    }
}

/// A call that reads, with the place that its error names.
fn read(behaviour: &Behaviour<'_>, sync_var: &SyncVar<'_>, method: &Method) -> TokenStream {
    let call = call(sync_var, method, Some(&quote!(reader)));
    let place = names::place(behaviour.ident, &sync_var.member);
    quote!(#call.at(#place))
}

pub(super) fn call_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let call_hooks = item(base.ty, "NetworkBehaviour", "call_hooks");
        let previous = if behaviour.has_hooks() {
            quote!(previous.base)
        } else {
            quote!(previous)
        };
        quote!(#call_hooks(&mut self.#member, #previous);)
    });
    if base.is_none() && !behaviour.has_hooks() {
        return None;
    }
    let previous_type = previous_type(behaviour);
    let hooks = hooked(behaviour).map(|sync_var| {
        let member = names::previous_member(&sync_var.member);
        let hook = &sync_var.hook;
        // A hook that takes another type is told of the value's type.
        let mut value = member.clone();
        if let Container::SyncVar(ty) = sync_var.ty.container {
            value.set_span(place_of(ty));
        }
        quote! {
            if let _syncvar::Some(#value) = previous.#member {
                self.#hook(#value);
            }
        }
    });
    Some(quote! {
        fn call_hooks(&mut self, previous: #previous_type) {
            #base
            #(#hooks)*
        }
    })
}

fn hooked<'a>(behaviour: &'a Behaviour<'a>) -> impl Iterator<Item = &'a SyncVar<'a>> {
    behaviour
        .sync_vars
        .iter()
        .filter(|sync_var| sync_var.hook.is_some())
}

/// The type of a field's previous value.
fn previous_value(sync_var: &SyncVar<'_>) -> TokenStream {
    match sync_var.ty.container {
        Container::SyncVar(value) => quote!(#value),
        Container::Unknown => item(sync_var.ty.original, "HookField", "Previous"),
    }
}
