//! Handle types, with a method for each call.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{GenericParam, Generics, Lifetime, LifetimeParam};

use super::{Call, CallKind, CallsModel, item, names};

/// Type with a method for each call of some kinds.
pub(super) struct Handle<'a> {
    calls: &'a CallsModel,
    ident: Ident,
    /// Generics of the type, after the lifetime `'call`.
    generics: Generics,
    doc: String,
    sender: TokenStream,
    methods: TokenStream,
}

/// Returns the handle for commands.
pub(super) fn commands(calls: &CallsModel) -> Handle<'_> {
    let commands = { calls.list.iter() }.filter(|call| call.kind == CallKind::Command);
    let methods = commands.map(|call| command(&calls.name, call));
    let wrong = { calls.list.iter() }.filter(|call| call.kind != CallKind::Command);
    let wrong = wrong.map(|call| refused(calls, call, &quote!(self,)));
    Handle {
        calls,
        ident: names::handle("Commands", &calls.name),
        generics: with_lifetime(&calls.generics, "'call"),
        doc: format!(
            " The commands of `{}`: what a client calls on the server.",
            calls.name
        ),
        sender: quote!(_syncvar::CommandSender),
        methods: methods.chain(wrong).collect(),
    }
}

/// Makes the sender of calls of clients.
pub(super) fn rpcs(calls: &CallsModel) -> Handle<'_> {
    let rpcs = { calls.list.iter() }.filter(|call| call.kind != CallKind::Command);
    let mut methods: TokenStream = rpcs.map(|call| rpc(&calls.name, call)).collect();
    let wrong = { calls.list.iter() }.filter(|call| call.kind == CallKind::Command);
    let wrong = wrong.map(|call| refused(calls, call, &quote!(self,)));
    if !methods.is_empty() {
        let to = quote! {
            /// Sends the calls to given receivers in place of the declared receivers.
            #[must_use]
            pub fn to(mut self, target: _syncvar::Target) -> Self {
                self.sender = self.sender.to(target);
                self
            }
        };
        methods = quote!(#to #methods);
    }
    methods.extend(wrong);
    Handle {
        calls,
        ident: names::handle("Rpcs", &calls.name),
        generics: with_lifetime(&calls.generics, "'call"),
        doc: format!(
            " The calls and events of `{}`: what the server calls on clients.",
            calls.name
        ),
        sender: quote!(_syncvar::RpcSender),
        methods,
    }
}

fn with_lifetime(generics: &Generics, lifetime: &str) -> Generics {
    let mut generics = generics.clone();
    let lifetime = Lifetime::new(lifetime, Span::call_site());
    generics
        .params
        .insert(0, GenericParam::Lifetime(LifetimeParam::new(lifetime)));
    generics
}

impl Handle<'_> {
    fn is_generic(&self) -> bool {
        self.generics.params.len() > 1
    }

    /// Emits the type with a lifetime.
    pub(super) fn ty(&self, lifetime: &str) -> TokenStream {
        let ident = &self.ident;
        let generics = with_lifetime(&self.calls.generics, lifetime);
        let (_, ty_generics, _) = generics.split_for_impl();
        quote!(#ident #ty_generics)
    }

    pub(super) fn constructor(&self) -> TokenStream {
        let ident = &self.ident;
        if self.is_generic() {
            quote!(#ident { sender, behaviour: _syncvar::PhantomData })
        } else {
            quote!(#ident { sender })
        }
    }
}

impl ToTokens for Handle<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            ident,
            doc,
            sender,
            methods,
            generics,
            ..
        } = self;
        let self_ty = &self.calls.self_ty;
        let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
        let behaviour = self
            .is_generic()
            .then(|| quote!(behaviour: _syncvar::PhantomData<fn() -> #self_ty>,));
        tokens.extend(quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            pub struct #ident #impl_generics #where_clause {
                sender: #sender<'call>,
                #behaviour
            }
        });
        if !methods.is_empty() {
            tokens.extend(quote! {
                #[automatically_derived]
                #[allow(dead_code, unused_qualifications, clippy::too_many_arguments)]
                impl #impl_generics #ident #ty_generics #where_clause {
                    #methods
                }
            });
        }
    }
}

/// Emits a call where no end can call it. Its bound is never met: the type parameter delays the check until a
/// program calls it.
pub(super) fn refused(calls: &CallsModel, call: &Call, receiver: &TokenStream) -> TokenStream {
    let (ident, vis, self_ty) = (&call.ident, &call.vis, &calls.self_ty);
    let caller = match call.kind {
        CallKind::Command => quote!(CalledByClient),
        CallKind::ClientRpc | CallKind::TargetRpc | CallKind::SyncEvent => quote!(CalledByServer),
    };
    let types = call.arguments.iter().map(|argument| &argument.ty);
    let taken: Vec<_> = { calls.generics.type_params() }
        .map(|parameter| parameter.ident.to_string())
        .collect();
    let here = names::free("Here", &taken);
    let doc = match call.kind {
        CallKind::Command => " Called by a client, through `client.calls`.",
        _ => " Called by the server, through `server.calls`.",
    };
    quote! {
        #[doc = #doc]
        #vis fn #ident<#here>(#receiver #(_: #types),*)
        where
            #self_ty: _syncvar::#caller<#here>,
        {
        }
    }
}

/// Returns the doc comment of a method: the user's, or a default.
fn docs(call: &Call, ours: &str) -> TokenStream {
    let docs = &call.docs;
    let ours = docs.is_empty().then(|| quote!(#[doc = #ours]));
    quote! {
        #ours
        #(#docs)*
        #[doc = ""]
        #[doc = " # Errors"]
        #[doc = ""]
        #[doc = " When it cannot be sent; nothing is then."]
    }
}

/// Emits the parameters that travel, as declared.
fn parameters(call: &Call) -> TokenStream {
    let parameters = call.arguments.iter().map(|argument| {
        let (ident, ty) = (&argument.ident, &argument.ty);
        quote!(#ident: #ty)
    });
    quote!(#(#parameters),*)
}

/// Emits the lines that write the arguments.
fn lines(class: &str, call: &Call, writer: &TokenStream) -> TokenStream {
    let place = format!("{class}.{}", call.ident.unraw());
    let lines = call.arguments.iter().map(|argument| {
        let ident = &argument.ident;
        let write = item(&argument.ty, "SyncValue", "write");
        let place = format!("{place}.{}", ident.unraw());
        quote!(#write(&#ident, #writer.at(#place));)
    });
    lines.collect()
}

fn command(class: &str, call: &Call) -> TokenStream {
    let (ident, vis, number) = (&call.ident, &call.vis, names::call(&call.ident));
    let docs = docs(
        call,
        &format!(" Calls `{class}::{}` on the server.", ident.unraw()),
    );
    let parameters = parameters(call);
    let body = if call.arguments.is_empty() {
        quote!(self.sender.begin(#number).send())
    } else {
        let outgoing = names::free("call", &call.names());
        let lines = lines(class, call, &quote!(#outgoing.writer()));
        quote! {
            let mut #outgoing = self.sender.begin(#number);
            #lines
            #outgoing.send()
        }
    };
    quote! {
        #docs
        #vis fn #ident(self, #parameters) -> _syncvar::Result<(), _syncvar::CallError> {
            #body
        }
    }
}

fn rpc(class: &str, call: &Call) -> TokenStream {
    let (ident, vis, number) = (&call.ident, &call.vis, names::call(&call.ident));
    let name = ident.unraw();
    let docs = docs(
        call,
        &match call.kind {
            CallKind::TargetRpc => format!(" Calls `{class}::{name}` on one client."),
            CallKind::SyncEvent => format!(" Raises the event `{name}` on clients."),
            _ => format!(" Calls `{class}::{name}` on clients."),
        },
    );
    let taken = call.names();
    let parameters = parameters(call);
    let (receiver, begin) = if call.kind == CallKind::TargetRpc {
        let connection = names::free("connection", &taken);
        let receiver = quote!(#connection: _syncvar::ConnectionId,);
        (receiver, quote!(self.sender.begin_to(#connection, #number)))
    } else {
        (TokenStream::new(), quote!(self.sender.begin(#number)))
    };
    let body = if call.arguments.is_empty() {
        quote!(#begin.send())
    } else {
        let outgoing = names::free("call", &taken);
        let writer = names::free("writer", &taken);
        let lines = lines(class, call, &writer.to_token_stream());
        quote! {
            let mut #outgoing = #begin;
            while let _syncvar::Some(#writer) = #outgoing.next_writer() {
                #lines
            }
            #outgoing.send()
        }
    };
    quote! {
        #docs
        #vis fn #ident(self, #receiver #parameters) -> _syncvar::Result<(), _syncvar::CallError> {
            #body
        }
    }
}
