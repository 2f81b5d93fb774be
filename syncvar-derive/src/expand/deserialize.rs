//! `on_deserialize` and `call_hooks`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::policy::Selection;
use super::previous::Previous;
use super::{Method, call, hook, item, last_place_of};
use crate::model::{Base, Behaviour, SyncVar};
use crate::names;

/// Emits `on_deserialize`; `None` for a class without base and fields, whose default reads no bytes.
pub(super) fn on_deserialize(behaviour: &Behaviour<'_>) -> Option<TokenStream> {
    let has_fields = !behaviour.sync_vars.is_empty();
    if behaviour.base.is_none() && !has_fields {
        return None;
    }
    let previous = Previous::of(behaviour);
    let (previous_type, result) = (previous.ty(), previous.argument());
    let base = behaviour
        .base
        .as_ref()
        .map(|base| read_base(base, behaviour, &previous));
    let is_declared = behaviour.keeps_previous()
        || behaviour.base.is_some() && matches!(previous, Previous::Struct(_));
    let declared = is_declared
        .then(|| quote!(let mut previous: #previous_type = _syncvar::Default::default();));
    let returned = match &previous {
        Previous::Nothing => quote!(()),
        Previous::OfBase(_) => quote!(previous),
        Previous::Struct(_) if is_declared => quote!(previous),
        Previous::Struct(_) => quote!(_syncvar::Default::default()),
    };
    let fields = has_fields.then(|| read_fields(behaviour, &returned));
    Some(quote! {
        fn on_deserialize(
            &mut self,
            reader: &mut _syncvar::NetworkReader<'_>,
            initial_state: bool,
        ) -> _syncvar::ReadResult<#result> {
            #declared
            #base
            #fields
            _syncvar::Ok(#returned)
        }
    })
}

fn read_fields(behaviour: &Behaviour<'_>, returned: &TokenStream) -> TokenStream {
    let selection = Selection::of(behaviour);
    let full = behaviour.sync_vars.iter().map(|sync_var| {
        let read = read(behaviour, sync_var, &Method::READ_FULL);
        selection.if_readable(sync_var, &quote!(#read;))
    });
    let delta = behaviour.sync_vars.iter().map(|sync_var| {
        let bit = &sync_var.constant;
        let line = if sync_var.keeps_previous() {
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
    let place = behaviour.ident.unraw().to_string();
    let reader = selection.read(&place);
    quote! {
        if initial_state {
            #reader
            #(#full)*
            return _syncvar::Ok(#returned);
        }
        let dirty_bits = reader.read_dirty_bits_of::<Self>().at(#place)?;
        #(#delta)*
    }
}

/// Emits the line that reads the base and keeps its previous values.
fn read_base(base: &Base<'_>, behaviour: &Behaviour<'_>, previous: &Previous<'_>) -> TokenStream {
    let member = &base.member;
    let place = names::place(behaviour.ident, member);
    let read = item(base.ty, "NetworkBehaviour", "on_deserialize");
    let read = if behaviour.sync_vars.is_empty() {
        quote!(#read(&mut self.#member, reader, initial_state))
    } else {
        quote!(reader.read_base::<Self, _, _>(&mut self.#member, initial_state, #read))
    };
    let kept = previous.of_base(&quote!(previous));
    match previous {
        Previous::Struct(_) => quote!(#kept = #read.at(#place)?;),
        Previous::Nothing | Previous::OfBase(_) => quote!(let previous = #read.at(#place)?;),
    }
}

/// Emits a call that reads, with the place for its errors. All tokens are at the type: a missing trait
/// is then one error.
fn read(behaviour: &Behaviour<'_>, sync_var: &SyncVar<'_>, method: &Method) -> TokenStream {
    let call = call(sync_var, method, &quote!(reader));
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
        let of_base = previous.of_base(&quote!(previous));
        quote!(#call_hooks(&mut self.#member, #of_base, ctx);)
    });
    let previous_type = previous.argument();
    let hooked = { behaviour.sync_vars.iter() }.filter(|sync_var| sync_var.has_hook());
    let hooks = hooked.map(hook::calls);
    Some(quote! {
        fn call_hooks(&mut self, previous: #previous_type, ctx: &mut _syncvar::NetworkContext<'_>) {
            #base
            #(#hooks)*
        }
    })
}
