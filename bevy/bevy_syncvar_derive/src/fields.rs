//! Fields of a struct or a variant, with the attributes of the derives.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Fields, Ident, Index, Member, Meta, Type, Visibility};

/// Form of a field on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The field is not sent.
    Local,
    /// The type is a `SyncValue`.
    Value,
    /// The type is a `NetValue`: it has entities.
    Mapped,
}

/// A field of a struct or a variant.
pub(crate) struct Field {
    /// Name or number in the source.
    pub(crate) member: Member,
    /// Name in generated structs.
    pub(crate) name: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) ty: Type,
    pub(crate) form: Form,
    /// Attributes for the generated struct.
    pub(crate) rules: Vec<TokenStream>,
}

impl Field {
    /// Returns the type of the field on the wire.
    pub(crate) fn wire_type(&self) -> TokenStream {
        let ty = &self.ty;
        match self.form {
            Form::Mapped => quote!(<#ty as ::bevy_syncvar::NetValue>::Wire),
            Form::Local | Form::Value => quote!(#ty),
        }
    }

    /// Returns the variable of the field in patterns.
    pub(crate) fn variable(&self) -> Ident {
        format_ident!("own_{}", self.name)
    }

    /// Returns whether the field is sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.form != Form::Local
    }
}

/// Reads the fields, whose rules stand in `#[attribute(...)]`.
pub(crate) fn fields(fields: &Fields, attribute: &str) -> syn::Result<Vec<Field>> {
    let read = |(index, field): (usize, &syn::Field)| {
        let mut form = if names_entity(field.ty.to_token_stream()) {
            Form::Mapped
        } else {
            Form::Value
        };
        let mut rules = Vec::new();
        for found in &field.attrs {
            if !found.path().is_ident(attribute) {
                continue;
            }
            let kept = own_rules(found, &mut form)?;
            if !kept.is_empty() {
                let path = found.path();
                rules.push(quote!(#[#path(#kept)]));
            }
        }
        let (member, name) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.clone()),
            None => {
                let index = Index {
                    index: u32::try_from(index).unwrap_or(u32::MAX),
                    span: Span::call_site(),
                };
                let name = format_ident!("field_{}", index.index);
                (Member::Unnamed(index), name)
            }
        };
        Ok(Field {
            member,
            name,
            visibility: field.vis.clone(),
            ty: field.ty.clone(),
            form,
            rules,
        })
    };
    fields.iter().enumerate().map(read).collect()
}

/// Takes `skip` and `entities` out of an attribute, and returns the remaining rules. A codec with arguments is a type, which
/// is not an expression: the rules stay tokens.
fn own_rules(attribute: &Attribute, form: &mut Form) -> syn::Result<TokenStream> {
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(TokenStream::new());
    }
    let tokens = attribute.meta.require_list()?.tokens.clone();
    let mut kept = Vec::new();
    for rule in split(tokens) {
        match rule.to_string().as_str() {
            "" => {}
            "skip" => *form = Form::Local,
            "entities" => *form = Form::Mapped,
            _ => kept.push(rule),
        }
    }
    Ok(quote!(#(#kept),*))
}

/// Splits tokens at the commas outside of generic arguments.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let (mut parts, mut depth) = (vec![TokenStream::new()], 0_usize);
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(TokenStream::new());
                    continue;
                }
                _ => {}
            }
        }
        if let Some(last) = parts.last_mut() {
            last.extend([token]);
        }
    }
    parts
}

/// Returns whether a type names `Entity`.
fn names_entity(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "Entity",
        TokenTree::Group(group) => names_entity(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns the attributes with one of these names, for a generated struct.
pub(crate) fn attributes<'a>(
    all: &'a [Attribute],
    name: &'a str,
) -> impl Iterator<Item = &'a Attribute> {
    all.iter()
        .filter(move |attribute| attribute.path().is_ident(name))
}
