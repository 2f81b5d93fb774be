//! The remote calls of a behaviour: those of its base, and those that `#[network_calls]` finds.

use proc_macro2::TokenStream;
use quote::quote;

use super::item;
use crate::model::Behaviour;

pub(super) fn table(behaviour: &Behaviour<'_>) -> TokenStream {
    let base = behaviour.base.as_ref().map(|base| {
        let calls = item(base.ty, "NetworkBehaviour", "CALLS");
        quote!(.after(&#calls))
    });
    quote! {
        const CALLS: _syncvar::CallTable =
            _syncvar::CallTable::of::<Self>(_syncvar::OwnCalls::<Self>::CALLS) #base;
    }
}

pub(super) fn handle_call(behaviour: &Behaviour<'_>) -> TokenStream {
    let body = match &behaviour.base {
        None => quote!(_syncvar::OwnCalls::<Self>::handle_call(
            self, call, reader, context
        )),
        Some(base) => {
            let (member, calls) = (&base.member, item(base.ty, "NetworkBehaviour", "CALLS"));
            let handle_call = item(base.ty, "NetworkBehaviour", "handle_call");
            quote! {
                let inherited = #calls.count();
                if call < inherited {
                    return #handle_call(&mut self.#member, call, reader, context);
                }
                _syncvar::OwnCalls::<Self>::handle_call(self, call - inherited, reader, context)
            }
        }
    };
    quote! {
        fn handle_call(
            &mut self,
            call: u32,
            reader: &mut _syncvar::NetworkReader<'_>,
            context: &mut _syncvar::CallContext<'_>,
        ) -> _syncvar::Result<(), _syncvar::ReadError> {
            #body
        }
    }
}
