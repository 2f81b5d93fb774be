//! `on_deserialize`, and the hooks.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::previous::{Previous, hooked};
use super::{Method, call, item, last_place_of, place_of, rules};
use crate::model::{Base, Behaviour, Container, SyncVar};
use crate::names;

pub(super) fn on_deserialize(behaviour: &Behaviour<'_>) -> TokenStream {
    let previous_type = Previous::of(behaviour).ty();
    let nothing = behaviour.base.is_none() && behaviour.sync_vars.is_empty();
    let (reader, initial_state) = if nothing {
        (quote!(_reader), quote!(_initial_state))
    } else {
        (quote!(reader), quote!(initial_state))
    };
    let body = match &behaviour.base {
        None if nothing => quote!(_syncvar::Ok(())),
        Some(base) if behaviour.sync_vars.is_empty() => {
            let read = read_base(base, &quote!(initial_state), behaviour);
            let previous = Previous::of(behaviour).empty();
            quote!(#read _syncvar::Ok(#previous))
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
    let base = behaviour.base.as_ref();
    let base_full = base.map(|base| read_base(base, &quote!(true), behaviour));
    let base_delta = base.map(|base| {
        let read = read_base(base, &quote!(false), behaviour);
        quote! {
            let outer = reader.enter_base::<Self>();
            #read
            reader.leave_base(outer);
        }
    });
    let full = behaviour.sync_vars.iter().map(|sync_var| {
        let read = read(behaviour, sync_var, &Method::READ_FULL);
        rules::if_readable(sync_var, &quote!(#read;))
    });
    let delta = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let line = if sync_var.has_hook() {
            let member = names::previous_member(&sync_var.member);
            let read = read(behaviour, sync_var, &Method::READ_DELTA_WITH_PREVIOUS);
            quote!(previous.#member = #read;)
        } else {
            let read = read(behaviour, sync_var, &Method::READ_DELTA);
            quote!(#read;)
        };
        quote! {
            if dirty_bits & Self::#bit != 0 {
                #line
            }
        }
    });
    let empty = Previous::of(behaviour).empty();
    let (declared, returned) = if behaviour.has_hooks() {
        (Some(quote!(let mut previous = #empty;)), quote!(previous))
    } else {
        (None, empty.clone())
    };
    let place = behaviour.ident.unraw().to_string();
    let for_owner = behaviour
        .has_private_fields()
        .then(|| quote!(let for_owner = reader.read_for_owner().at(#place)?;));
    quote! {
        if initial_state {
            #base_full
            #for_owner
            #(#full)*
            return _syncvar::Ok(#empty);
        }
        #base_delta
        let dirty_bits = reader.read_dirty_bits_of::<Self>().at(#place)?;
        #declared
        #(#delta)*
        _syncvar::Ok(#returned)
    }
}

/// Reads the base; its previous values are in the variable `base` then.
fn read_base(
    base: &Base<'_>,
    initial_state: &TokenStream,
    behaviour: &Behaviour<'_>,
) -> TokenStream {
    let member = &base.member;
    let place = names::place(behaviour.ident, member);
    let read = item(base.ty, "NetworkBehaviour", "on_deserialize");
    quote! {
        let base = #read(&mut self.#member, reader, #initial_state).at(#place)?;
    }
}

/// A call that reads, with the place that its error names. All of it is where the type is: should the
/// trait be missing, the compiler prints that once.
pub(super) fn read(
    behaviour: &Behaviour<'_>,
    sync_var: &SyncVar<'_>,
    method: &Method,
) -> TokenStream {
    let call = call(sync_var, method, Some(&quote!(reader)));
    let place = names::place(behaviour.ident, &sync_var.member);
    quote_spanned!(last_place_of(sync_var.ty.original)=> #call.at(#place)?)
}

pub(super) fn call_hooks(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    if behaviour.base.is_none() && !behaviour.has_hooks() {
        return None;
    }
    let previous = Previous::of(behaviour);
    let base = behaviour.base.as_ref().map(|base| {
        let member = &base.member;
        let call_hooks = item(base.ty, "NetworkBehaviour", "call_hooks");
        previous.for_base(
            &quote!(previous),
            |of_base| quote!(#call_hooks(&mut self.#member, #of_base);),
        )
    });
    let previous_type = previous.ty();
    let hooks = hooked(behaviour).map(|sync_var| {
        if sync_var.ty.is_collection() {
            return call_collection_hooks(sync_var);
        }
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

/// Calls the hook for each change of a collection, in order, and then the one for all of them. A hook
/// that takes something else is told of it at the collection's type.
fn call_collection_hooks(sync_var: &SyncVar<'_>) -> TokenStream {
    let place = place_of(sync_var.ty.original);
    let member = names::previous_member(&sync_var.member);
    let mut changes = member.clone();
    changes.set_span(place);
    let all = quote_spanned!(place=> &#changes);
    let each = sync_var.hook.as_ref().map(|hook| {
        let change = Ident::new("change", place);
        quote! {
            for #change in #all {
                self.#hook(#change);
            }
        }
    });
    let batch = sync_var
        .batch_hook
        .as_ref()
        .map(|hook| quote!(self.#hook(#all);));
    quote! {
        if let _syncvar::Some(#changes) = previous.#member {
            #each
            #batch
        }
    }
}
