//! `on_serialize`.

use proc_macro2::TokenStream;
use quote::quote;

use super::policy::Selection;
use super::{Method, call, item};
use crate::model::{Behaviour, SyncVar};
use crate::names;

/// Emits `on_serialize`; `None` for a class without base and fields, whose default writes no bytes.
pub(super) fn on_serialize(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let body = match (&behaviour.base, behaviour.sync_vars.is_empty()) {
        (None, true) => return None,
        (Some(base), true) => {
            let member = &base.member;
            let on_serialize = item(base.ty, "NetworkBehaviour", "on_serialize");
            quote!(#on_serialize(&mut self.#member, writer, initial_state))
        }
        (_, false) => write_fields(behaviour),
    };
    Some(quote! {
        fn on_serialize(&mut self, writer: &mut _syncvar::NetworkWriter, initial_state: bool) -> bool {
            #body
        }
    })
}

fn write_fields(behaviour: &Behaviour<'_>) -> TokenStream {
    let (mut base_full, mut base_delta, mut written) = (None, None, quote!(dirty_bits != 0));
    if let Some(base) = &behaviour.base {
        let member = &base.member;
        let on_serialize = item(base.ty, "NetworkBehaviour", "on_serialize");
        base_full = Some(quote!(#on_serialize(&mut self.#member, writer, true);));
        base_delta = Some(quote! {
            let base_written = writer.write_base(dirty_bits, &mut self.#member, #on_serialize);
        });
        written = quote!(
            base_written
                || dirty_bits & const { <Self as _syncvar::NetworkBehaviour>::SCHEMA.own_bits() }
                    != 0
        );
    }
    let selection = Selection::of(behaviour);
    let full = behaviour.sync_vars.iter().map(|sync_var| {
        let write = write(behaviour, sync_var, &Method::WRITE_FULL);
        selection.if_readable(sync_var, &quote!(#write;))
    });
    let reader = selection.write();
    let delta = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = &sync_var.constant;
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
            #reader
            #(#full)*
            return true;
        }
        let dirty_bits = writer.fields() & _syncvar::NetworkBehaviour::sync_var_dirty_bits(self);
        #base_delta
        writer.write_dirty_bits(dirty_bits);
        #(#delta)*
        #written
    }
}

/// Emits a call that writes, with the place for its errors.
fn write(behaviour: &Behaviour<'_>, sync_var: &SyncVar<'_>, method: &Method) -> TokenStream {
    let place = names::place(behaviour.ident, &sync_var.member);
    call(sync_var, method, &quote!(writer.at(#place)))
}
