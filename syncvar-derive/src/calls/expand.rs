//! Expansion of the calls of a type. Cannot fail.

mod handles;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

use super::attr::{Audience, CallKind};
use super::model::{Call, CallsModel};
use crate::expand::{former_names, item};
use crate::names;

/// Emits the whole expansion, except for the block itself.
pub(super) fn calls(calls: &CallsModel) -> TokenStream {
    let import = names::import(calls.krate.as_ref());
    let self_ty = &calls.self_ty;
    let numbers = numbers(calls);
    let own_calls = own_calls(calls);
    let handle_own_call = handle_own_call(calls);
    let commands = handles::commands(calls);
    let rpcs = handles::rpcs(calls);
    let (commands_type, rpcs_type) = (commands.ty("'call"), rpcs.ty("'call"));
    let (commands_ret, rpcs_ret) = (commands.ty("'_"), rpcs.ty("'_"));
    let (make_commands, make_rpcs) = (commands.constructor(), rpcs.constructor());
    let events = events(calls);
    let one_block = one_block(calls);
    let remote = remote(calls);
    let check = check(calls);
    let (impl_generics, _, where_clause) = calls.generics.split_for_impl();
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            #import

            #numbers

            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics _syncvar::NetworkCalls for #self_ty #where_clause {
                #own_calls

                type Commands<'call> = #commands_type;
                type Rpcs<'call> = #rpcs_type;

                fn commands(sender: _syncvar::CommandSender<'_>) -> #commands_ret {
                    #make_commands
                }

                fn rpcs(sender: _syncvar::RpcSender<'_>) -> #rpcs_ret {
                    #make_rpcs
                }

                #handle_own_call
            }

            #commands
            #rpcs
            #events
            #one_block
            #remote
            #check
        };
    }
}

/// Emits one documented constant for each call.
fn numbers(calls: &CallsModel) -> TokenStream {
    let numbers = calls.list.iter().enumerate().map(|(index, call)| {
        let (name, number) = (names::call(&call.ident), names::number(index));
        let doc = format!(" Number of the call `{}`.", call.ident.unraw());
        quote! {
            #[doc = #doc]
            const #name: u32 = #number;
        }
    });
    quote!(#(#numbers)*)
}

fn own_calls(calls: &CallsModel) -> TokenStream {
    let schemas = calls.list.iter().map(|call| schema(&calls.name, call));
    quote! {
        const OWN_CALLS: &'static [_syncvar::CallSchema] = &[#(#schemas),*];
    }
}

/// Emits `CallSchema::command("Player", "fire", "CmdFire")` and the settings that differ from the default.
fn schema(class: &str, call: &Call) -> TokenStream {
    let constructor = match call.kind {
        CallKind::Command => quote!(command),
        CallKind::ClientRpc => quote!(client_rpc),
        CallKind::TargetRpc => quote!(target_rpc),
        CallKind::SyncEvent => quote!(sync_event),
    };
    let (name, unity_name) = (call.ident.unraw().to_string(), &call.unity_name);
    let mut settings = TokenStream::new();
    settings.extend(call.attrs.was.as_deref().and_then(former_names));
    if let Some(name) = &call.attrs.mirror {
        settings.extend(quote!(.with_mirror_name(#name)));
    }
    if !call.arguments.is_empty() {
        let arguments = call.arguments.iter().map(|argument| {
            let name = argument.ident.unraw().to_string();
            let schema = item(&argument.ty, "SyncValue", "SCHEMA");
            quote!(_syncvar::MemberSchema::new(#name, #schema))
        });
        settings.extend(quote!(.with_arguments(&[#(#arguments),*])));
    }
    if let Some(channel) = call.attrs.channel {
        let channel = Literal::u8_unsuffixed(channel);
        settings.extend(quote!(.on_channel(#channel)));
    }
    if call.attrs.after_state.is_some() {
        settings.extend(quote!(.after_state()));
    }
    if call.attrs.requires_ownership == Some(false) {
        settings.extend(quote!(.for_anyone()));
    }
    if let Some(rate) = call.attrs.rate {
        let rate = Literal::f64_unsuffixed(rate);
        settings.extend(quote!(.at_most(#rate)));
    }
    match call.attrs.target {
        None | Some(Audience::Observers) => {}
        Some(Audience::Owner) => settings.extend(quote!(.to_owner())),
        Some(Audience::NotOwner) => settings.extend(quote!(.to_not_owner())),
        Some(Audience::Everyone) => settings.extend(quote!(.to_everyone())),
    }
    quote!(_syncvar::CallSchema::#constructor(#class, #name, #unity_name) #settings)
}

fn handle_own_call(calls: &CallsModel) -> TokenStream {
    let taken: Vec<String> = calls.list.iter().flat_map(Call::names).collect();
    let reader = names::free("reader", &taken);
    let is_used = calls.list.iter().any(|call| call.context);
    let context = names::free(if is_used { "context" } else { "_context" }, &taken);
    let call_number = names::free("call", &taken);
    let arms = calls.list.iter().map(|call| {
        let name = names::call(&call.ident);
        let place = format!("{}.{}", calls.name, call.ident.unraw());
        let reads = call.arguments.iter().map(|argument| {
            let ident = &argument.ident;
            let read = item(&argument.ty, "SyncValue", "read");
            let place = format!("{place}.{}", ident.unraw());
            let read = quote!(#read(#reader).at(#place)?;);
            match call.kind {
                CallKind::SyncEvent => read,
                _ => quote!(let #ident = #read),
            }
        });
        let ran = (call.kind != CallKind::SyncEvent).then(|| {
            let ident = names::run(&call.ident);
            let context = call.context.then(|| quote!(#context,));
            let arguments = call.arguments.iter().map(|argument| &argument.ident);
            quote!(Self::#ident(self, #context #(#arguments),*);)
        });
        quote! {
            #name => {
                #(#reads)*
                #reader.finish().at(#place)?;
                #ran
            }
        }
    });
    let body = if calls.list.is_empty() {
        quote!(_syncvar::Err(#reader.unknown_call(#call_number)))
    } else {
        quote! {
            match #call_number {
                #(#arms)*
                _ => return _syncvar::Err(#reader.unknown_call(#call_number)),
            }
            _syncvar::Ok(())
        }
    };
    quote! {
        fn handle_own_call(
            &mut self,
            #call_number: u32,
            #reader: &mut _syncvar::NetworkReader<'_>,
            #context: &mut _syncvar::CallContext<'_>,
        ) -> _syncvar::Result<(), _syncvar::ReadError> {
            #body
        }
    }
}

/// Emits a marker: a second block conflicts with it.
fn one_block(calls: &CallsModel) -> TokenStream {
    let self_ty = &calls.self_ty;
    let (impl_generics, _, where_clause) = calls.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics _syncvar::AllCallsInOneBlock for #self_ty #where_clause {}
    }
}

/// Emits a method for each method that only the peer calls. It does not compile where it is called, and the
/// message says how to call it.
fn remote(calls: &CallsModel) -> Option<TokenStream> {
    let methods = { calls.list.iter() }.filter(|call| call.kind != CallKind::SyncEvent);
    let methods: Vec<_> = methods
        .map(|call| {
            let context = call
                .context
                .then(|| quote!(_: &mut _syncvar::CallContext<'_>,));
            handles::refused(calls, call, &quote!(&mut self, #context))
        })
        .collect();
    let self_ty = &calls.self_ty;
    let (impl_generics, _, where_clause) = calls.generics.split_for_impl();
    (!methods.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            #[allow(dead_code, clippy::too_many_arguments, clippy::needless_pass_by_value, clippy::unused_self)]
            impl #impl_generics #self_ty #where_clause {
                #(#methods)*
            }
        }
    })
}

/// Emits a constant for each event, the key of its arguments.
fn events(calls: &CallsModel) -> Option<TokenStream> {
    let events = { calls.list.iter() }.filter(|call| call.kind == CallKind::SyncEvent);
    let events: Vec<_> = events
        .map(|event| {
            let (name, number) = (names::event(&event.ident), names::call(&event.ident));
            let types = event.arguments.iter().map(|argument| &argument.ty);
            let (vis, docs) = (&event.vis, &event.docs);
            let doc = format!(" The event `{}`.", event.ident.unraw());
            let doc = docs.is_empty().then(|| quote!(#[doc = #doc]));
            quote! {
                #doc
                #(#docs)*
                #vis const #name: _syncvar::SyncEvent<(#(#types,)*)> =
                    _syncvar::SyncEvent::of::<Self>(#number);
            }
        })
        .collect();
    let self_ty = &calls.self_ty;
    let (impl_generics, _, where_clause) = calls.generics.split_for_impl();
    (!events.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            #[allow(dead_code)]
            impl #impl_generics #self_ty #where_clause {
                #(#events)*
            }
        }
    })
}

/// Emits the check that the behaviour includes its calls. A generic behaviour is checked where it is called.
fn check(calls: &CallsModel) -> Option<TokenStream> {
    let self_ty = &calls.self_ty;
    let is_generic = !calls.generics.params.is_empty();
    (!is_generic).then(|| quote!(const _: () = _syncvar::assert_calls_known::<#self_ty>();))
}
