//! A method that may be a call: with a body, or without, which Rust's own grammar refuses.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, FnArg, Ident, Pat, Receiver, ReceiverKind, ReturnType, Safety, Signature, Token,
    Type, Visibility,
};

use super::attr::CallKind;
use crate::errors::Errors;

/// A function without a body.
pub(crate) struct Bodiless {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
}

impl Parse for Bodiless {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attrs, vis, sig) = (
            input.call(Attribute::parse_outer)?,
            input.parse()?,
            input.parse()?,
        );
        input.parse::<Token![;]>()?;
        Ok(Self { attrs, vis, sig })
    }
}

/// Parameters of a call.
pub(crate) struct Parameters {
    /// Set if the first one is the context.
    pub(crate) context: bool,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument that travels.
pub(crate) struct Argument {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
}

/// Limit of arguments of a call.
const MAX_ARGUMENTS: usize = 16;

/// Parses the signature of a call, and reports mistakes.
pub(crate) fn parameters(kind: CallKind, sig: &Signature, errors: &mut Errors) -> Parameters {
    refuse_qualifiers(kind, sig, errors);
    let mut found = Parameters {
        context: false,
        arguments: Vec::new(),
    };
    let mut inputs = sig.inputs.iter().peekable();
    match inputs.peek() {
        Some(FnArg::Receiver(receiver)) => {
            if kind == CallKind::SyncEvent {
                errors.add(receiver, "an event calls no method: leave `self` out");
            } else if !is_mutable_reference(receiver) {
                errors.add(receiver, receiver_is_wrong(kind));
            }
            inputs.next();
        }
        _ if kind == CallKind::SyncEvent => {}
        _ => errors.add(&sig.ident, receiver_is_wrong(kind)),
    }
    for (index, input) in inputs.enumerate() {
        let FnArg::Typed(input) = input else {
            continue;
        };
        if index == 0 && kind != CallKind::SyncEvent && is_context(&input.ty) {
            found.context = true;
            continue;
        }
        if let Some(message) = cannot_travel(&input.ty) {
            errors.add(&input.ty, message);
            continue;
        }
        match &*input.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                found.arguments.push(Argument {
                    ident: pat.ident.clone(),
                    ty: (*input.ty).clone(),
                });
            }
            pat => errors.add(
                pat,
                "an argument of a call is a name, not a pattern: destructure it in the body",
            ),
        }
    }
    if let Some(argument) = found.arguments.get(MAX_ARGUMENTS) {
        errors.add(
            &argument.ident,
            "this is argument number 17, and a call has at most 16: put some into a struct with \
             `#[derive(SyncValue)]`",
        );
    }
    found
}

fn refuse_qualifiers(kind: CallKind, sig: &Signature, errors: &mut Errors) {
    let name = kind.attribute();
    if let Some(asyncness) = &sig.asyncness {
        errors.add(
            asyncness,
            "a call is not `async`: it runs to its end on arrival; start a task in its body",
        );
    }
    if let Some(constness) = &sig.constness {
        errors.add(constness, "a call is not `const`: remove `const`");
    }
    if !matches!(sig.safety, Safety::Default) {
        let message = format!("a `#[{name}]` is called by the network: remove `unsafe`");
        errors.add(&sig.safety, message);
    }
    if let Some(abi) = &sig.abi {
        errors.add(abi, "a call is an ordinary function: remove `extern`");
    }
    if !sig.generics.params.is_empty() {
        errors.add(
            &sig.generics,
            "a call has no generic parameters, since its receiver does not know their types: write the types in full",
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        errors.add(
            clause,
            "a call has no `where`: write it on the `impl` block",
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && !matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty())
    {
        errors.add(
            ty,
            "a call has no result: answer with a call in the other direction, or with a field",
        );
    }
}

fn is_mutable_reference(receiver: &Receiver) -> bool {
    matches!(&receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
}

fn receiver_is_wrong(kind: CallKind) -> String {
    format!(
        "a `#[{}]` is called on an object: its first parameter is `&mut self`",
        kind.attribute()
    )
}

/// Returns whether a type is a reference to a type named `CallContext`.
fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if is_called(&reference.elem, "CallContext"))
}

fn is_called(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == name),
        Type::Paren(inner) => is_called(&inner.elem, name),
        _ => false,
    }
}

/// Returns the reason why an argument of this type cannot travel, if its tokens show it.
fn cannot_travel(ty: &Type) -> Option<&'static str> {
    if is_called(ty, "CallContext") {
        return Some("the context is a reference: write `&CallContext` or `&mut CallContext`");
    }
    if is_called(ty, "ConnectionId") {
        return Some(
            "a connection does not travel: `CallContext::sender` is the caller of a command; a call of a \
             `#[target_rpc]` names its receiver before the arguments",
        );
    }
    match ty {
        Type::Reference(reference) if is_called(&reference.elem, "CallContext") => {
            Some("the context comes first: write it after `&mut self`")
        }
        Type::Reference(reference) if is_called(&reference.elem, "NetworkContext") => Some(
            "a call receives a `CallContext`, which contains a `NetworkContext`: write `&mut CallContext`",
        ),
        Type::Reference(reference) if is_called(&reference.elem, "str") => {
            Some("an argument travels by value: write `String`")
        }
        Type::Reference(_) => Some("an argument travels by value: write the type without `&`"),
        Type::ImplTrait(_) => {
            Some("an argument has one type, which both sides know: write it in place of `impl`")
        }
        Type::Infer(_) => Some("write the type of the argument"),
        _ if mentions_self(ty) => Some("write the type in full, without `Self`"),
        _ => None,
    }
}

fn mentions_self(ty: &Type) -> bool {
    fn occurs(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == "Self",
            proc_macro2::TokenTree::Group(group) => occurs(group.stream()),
            _ => false,
        })
    }
    occurs(quote::ToTokens::to_token_stream(ty))
}
