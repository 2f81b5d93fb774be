//! Calls of a block: valid by construction. All checks are made here.

use syn::ext::IdentExt;
use syn::{
    Attribute, Generics, Ident, ImplItem, ItemImpl, LitStr, Path, Signature, Type, Visibility,
    parse_quote,
};

use super::attr::{BlockAttrs, CallAttrs, CallKind};
use super::method::{self, Argument, Bodiless, Parameters};
use crate::attr::{Named, refuse_shared_names};
use crate::errors::Errors;
use crate::names;

/// Calls of a type.
pub(crate) struct CallsModel {
    pub(crate) krate: Option<Path>,
    pub(crate) generics: Generics,
    pub(crate) self_ty: Type,
    /// Name of the type, without `r#`.
    pub(crate) name: String,
    pub(crate) list: Vec<Call>,
}

/// A call.
pub(crate) struct Call {
    pub(crate) kind: CallKind,
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) attrs: CallAttrs,
    /// Name for UNet.
    pub(crate) unity_name: String,
    /// Set if the method takes the context.
    pub(crate) context: bool,
    pub(crate) arguments: Vec<Argument>,
}

impl CallsModel {
    /// Takes the call attributes and the events out of a block. Omits calls with a mistake; returns none
    /// for an item that cannot have calls.
    pub(crate) fn take(
        block: &mut ItemImpl,
        attrs: BlockAttrs,
        errors: &mut Errors,
    ) -> Option<Self> {
        let mut calls = Vec::new();
        for item in std::mem::take(&mut block.items) {
            take_item(item, &mut block.items, &mut calls, errors);
        }
        if let Some((path, _)) = &block.trait_ {
            errors.add(
                path,
                "`#[network_calls]` belongs on an `impl` block without a trait: `impl Player { ... }`",
            );
            return None;
        }
        let Type::Path(path) = &*block.self_ty else {
            errors.add(
                &block.self_ty,
                "`#[network_calls]` belongs on an `impl` block of a struct: `impl Player { ... }`",
            );
            return None;
        };
        let name = path.path.segments.last()?.ident.unraw().to_string();
        rename_methods(block, &calls);
        let calls = refuse_equal(&name, calls, errors);
        Some(Self {
            krate: attrs.krate,
            generics: block.generics.clone(),
            self_ty: (*block.self_ty).clone(),
            name,
            list: calls,
        })
    }
}

/// Gives the methods of calls the names by which this end runs them.
fn rename_methods(block: &mut ItemImpl, calls: &[Call]) {
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item
            && calls.iter().any(|call| call.ident == function.sig.ident)
        {
            function.sig.ident = names::run(&function.sig.ident);
        }
    }
}

fn take_item(
    item: ImplItem,
    items: &mut Vec<ImplItem>,
    calls: &mut Vec<Call>,
    errors: &mut Errors,
) {
    match item {
        ImplItem::Fn(mut function) => {
            let marks = take_marks(&mut function.attrs);
            if !marks.is_empty() {
                let (sig, vis) = (&function.sig, &function.vis);
                calls.extend(read(&marks, &function.attrs, vis, sig, true, errors));
            }
            let is_event = marks.iter().any(|(kind, _)| *kind == CallKind::SyncEvent);
            if !marks.is_empty() {
                // The user cannot change the signature that the lints complain about.
                function.attrs.push(parse_quote! {
                    #[allow(
                        clippy::needless_pass_by_value,
                        clippy::too_many_arguments,
                        clippy::unused_self
                    )]
                });
            }
            if !is_event {
                items.push(ImplItem::Fn(function));
            }
        }
        ImplItem::Verbatim(tokens) => match syn::parse2::<Bodiless>(tokens.clone()) {
            Ok(mut function) => {
                let marks = take_marks(&mut function.attrs);
                if marks.is_empty() {
                    items.push(ImplItem::Verbatim(tokens));
                } else {
                    let (sig, vis) = (&function.sig, &function.vis);
                    calls.extend(read(&marks, &function.attrs, vis, sig, false, errors));
                }
            }
            Err(_) => items.push(ImplItem::Verbatim(tokens)),
        },
        mut other => {
            let attrs = match &mut other {
                ImplItem::Const(item) => Some(&mut item.attrs),
                ImplItem::Type(item) => Some(&mut item.attrs),
                ImplItem::Macro(item) => Some(&mut item.attrs),
                _ => None,
            };
            for (kind, attr) in attrs.map(take_marks).unwrap_or_default() {
                let message = format!("`#[{}]` belongs on a method", kind.attribute());
                errors.add(attr, message);
            }
            items.push(other);
        }
    }
}

/// Removes the call attributes.
fn take_marks(attrs: &mut Vec<Attribute>) -> Vec<(CallKind, Attribute)> {
    let ours = attrs
        .iter()
        .filter_map(|attr| Some((CallKind::of(attr)?, attr.clone())));
    let ours: Vec<_> = ours.collect();
    attrs.retain(|attr| CallKind::of(attr).is_none());
    ours
}

/// Reads the call of a method, if it is free of mistakes.
fn read(
    marks: &[(CallKind, Attribute)],
    attrs: &[Attribute],
    vis: &Visibility,
    sig: &Signature,
    has_body: bool,
    errors: &mut Errors,
) -> Option<Call> {
    let (kind, mark) = marks.first()?;
    let kind = *kind;
    let mut own = Errors::default();
    for (_, other) in marks.iter().skip(1) {
        own.add(
            other,
            "a second kind of call on this method: keep one of them",
        );
    }
    let call_attrs = CallAttrs::parse(kind, mark, &mut own);
    refuse_mistakes(kind, attrs, sig, has_body, &mut own);
    let Parameters { context, arguments } = method::parameters(kind, sig, &mut own);
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let call = Call {
        kind,
        ident: sig.ident.clone(),
        vis: vis.clone(),
        docs: docs.cloned().collect(),
        unity_name: unity_name(kind, &sig.ident, call_attrs.name.as_ref()),
        attrs: call_attrs,
        context,
        arguments,
    };
    match own.finish(call) {
        Ok(call) => Some(call),
        Err(own) => {
            errors.add_all(own);
            None
        }
    }
}

/// Refuses a missing or surplus body, conditions, and a name that the handles take.
fn refuse_mistakes(
    kind: CallKind,
    attrs: &[Attribute],
    sig: &Signature,
    has_body: bool,
    own: &mut Errors,
) {
    match (kind, has_body) {
        (CallKind::SyncEvent, true) => own.add(
            &sig.ident,
            "an event calls no method: write `;` in place of the body; the application receives \
             `ClientEvent::SyncEvent`",
        ),
        (CallKind::SyncEvent, false) | (_, true) => {}
        (_, false) => {
            let message = format!(
                "a `#[{}]` has a body, which runs at its receiver: write it",
                kind.attribute()
            );
            own.add(&sig.ident, message);
        }
    }
    for attr in attrs {
        if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            own.add(
                attr,
                "both sides number all calls, so every build has them: move the condition into the body",
            );
        }
    }
    if sig.ident == "to" && kind != CallKind::Command {
        own.add(
            &sig.ident,
            "`to` is the method that selects receivers: rename the call",
        );
    }
}

/// Returns the UNet name: `CmdFire` for `fire` and `cmd_fire`.
fn unity_name(kind: CallKind, ident: &Ident, given: Option<&LitStr>) -> String {
    if let Some(given) = given {
        return given.value();
    }
    let prefix = kind.prefix();
    let name = names::camel(ident);
    let rest = name.strip_prefix(prefix).unwrap_or(&name);
    let has_prefix = rest.starts_with(|first: char| !first.is_lowercase());
    if has_prefix && rest.len() < name.len() {
        name
    } else {
        format!("{prefix}{name}")
    }
}

/// Drops calls with the name or hash of an earlier one.
fn refuse_equal(class: &str, calls: Vec<Call>, errors: &mut Errors) -> Vec<Call> {
    let mut kept: Vec<Call> = Vec::new();
    for call in calls {
        let this = call.ident.unraw();
        let mut others = kept.iter();
        let same_name = others.find(|other| names::call(&other.ident) == names::call(&call.ident));
        let same_hash = kept
            .iter()
            .find(|other| hash(class, other) == hash(class, &call));
        if let Some(other) = same_name {
            // The compiler itself reports two methods with the same name.
            let both = [&call, other].into_iter();
            let methods = both.filter(|call| call.kind != CallKind::SyncEvent).count();
            if methods < 2 || call.ident != other.ident {
                errors.add(&call.ident, format!("a second call `{this}`: rename one"));
            }
        } else if let Some(other) = same_hash {
            let message = format!(
                "`{this}` and `{}` have the same hash in UNet, as `{}` and `{}`: rename one with \
                 `name = \"...\"`",
                other.ident.unraw(),
                call.unity_name,
                other.unity_name
            );
            errors.add(&call.ident, message);
        } else {
            kept.push(call);
        }
    }
    let names = kept.iter().map(|call| Named {
        name: call.ident.unraw().to_string(),
        was: call.attrs.was.as_deref().unwrap_or_default(),
    });
    refuse_shared_names(&names.collect::<Vec<_>>(), "call", errors);
    kept
}

fn hash(class: &str, call: &Call) -> u32 {
    let text = format!("{class}:{}:{}", call.kind.unity_text(), call.unity_name);
    let units = text.encode_utf16();
    units.fold(0, |hash: u32, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    })
}

impl Call {
    /// Returns the names of the arguments.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.arguments.iter();
        names.map(|argument| argument.ident.to_string()).collect()
    }
}
