//! `on_serialize`.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Method, call, item, rules};
use crate::model::{Behaviour, SyncVar};
use crate::names;

pub(super) fn on_serialize(behaviour: &Behaviour<'_>) -> TokenStream {
    let body = match (&behaviour.base, behaviour.sync_vars.is_empty()) {
        (None, true) => {
            return quote! {
                fn on_serialize(&mut self, _writer: &mut _syncvar::NetworkWriter, _initial_state: bool) -> bool {
                    false
                }
            };
        }
        (Some(base), true) => {
            let member = &base.member;
            let on_serialize = item(base.ty, "NetworkBehaviour", "on_serialize");
            quote! {
                #on_serialize(&mut self.#member, writer, initial_state)
            }
        }
        (_, false) => write_fields(behaviour),
    };
    quote! {
        fn on_serialize(&mut self, writer: &mut _syncvar::NetworkWriter, initial_state: bool) -> bool {
            #body
        }
    }
}

fn write_fields(behaviour: &Behaviour<'_>) -> TokenStream {
    let (mut base_full, mut base_delta, mut written) = (None, None, quote!(dirty_bits != 0));
    if let Some(base) = &behaviour.base {
        let member = &base.member;
        let on_serialize = item(base.ty, "NetworkBehaviour", "on_serialize");
        base_full = Some(quote! {
            #on_serialize(&mut self.#member, writer, true);
        });
        base_delta = Some(quote! {
            let outer = writer.enter_base(dirty_bits);
            let base_written = #on_serialize(&mut self.#member, writer, false);
            writer.leave_base(outer);
        });
        let own_bits = behaviour
            .sync_vars
            .iter()
            .map(|sync_var| names::bit(&sync_var.member));
        let own_bits = match behaviour.sync_vars.len() {
            1 => quote!(#(Self::#own_bits)*),
            _ => quote!((#(Self::#own_bits)|*)),
        };
        written = quote!(base_written || dirty_bits & #own_bits != 0);
    }
    let full = behaviour.sync_vars.iter().map(|sync_var| {
        let write = write(behaviour, sync_var, &Method::WRITE_FULL);
        rules::if_readable(sync_var, &quote!(#write;))
    });
    let for_owner = behaviour
        .has_private_fields()
        .then(|| quote!(let for_owner = writer.write_for_owner();));
    let delta = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = names::bit(&sync_var.member);
        let write = write(behaviour, sync_var, &Method::WRITE_DELTA);
        quote! {
            if dirty_bits & Self::#bit != 0 {
                #write;
            }
        }
    });
    quote! {
        if initial_state {
            #base_full
            #for_owner
            #(#full)*
            return true;
        }
        let dirty_bits = _syncvar::NetworkBehaviour::sync_var_dirty_bits(self) & writer.fields();
        #base_delta
        writer.write_dirty_bits(dirty_bits);
        #(#delta)*
        #written
    }
}

/// A call that writes, with the place that its error names.
pub(super) fn write(
    behaviour: &Behaviour<'_>,
    sync_var: &SyncVar<'_>,
    method: &Method,
) -> TokenStream {
    let place = names::place(behaviour.ident, &sync_var.member);
    call(sync_var, method, Some(&quote!(writer.at(#place))))
}
