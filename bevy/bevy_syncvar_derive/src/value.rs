//! `#[derive(NetValue)]`: a struct or enum and its form on the wire.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident};

use crate::fields::{Field, Form, fields};

/// A struct, or a variant of an enum.
struct Shape {
    /// Path behind the name of the type: `::Variant`, or nothing.
    path: TokenStream,
    fields: Vec<Field>,
}

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    expand_with(input, "sync_value")
}

/// Expands with the rules of the fields in `#[attribute(...)]`.
pub(crate) fn expand_with(input: &DeriveInput, attribute: &str) -> syn::Result<TokenStream> {
    let wire = format_ident!("{}Wire", input.ident);
    let (shapes, declaration) = match &input.data {
        Data::Struct(data) => {
            let fields = fields(&data.fields, attribute)?;
            let shape = Shape {
                path: TokenStream::new(),
                fields,
            };
            let declaration = declare_struct(input, &wire, &shape);
            (vec![shape], declaration)
        }
        Data::Enum(data) => {
            let shape = |variant: &syn::Variant| {
                let name = &variant.ident;
                let fields = fields(&variant.fields, attribute)?;
                Ok(Shape {
                    path: quote!(::#name),
                    fields,
                })
            };
            let shapes = data
                .variants
                .iter()
                .map(shape)
                .collect::<syn::Result<Vec<_>>>()?;
            if shapes.is_empty() {
                return Err(Error::new_spanned(
                    &input.ident,
                    "an enum without variants has no value to send",
                ));
            }
            let names: Vec<_> = data.variants.iter().collect();
            let declaration = declare_enum(input, &wire, &names, &shapes);
            (shapes, declaration)
        }
        Data::Union(_) => {
            let message = "a union cannot be sent: use an enum";
            return Err(Error::new_spanned(&input.ident, message));
        }
    };
    let implementation = implement(input, &wire, &shapes);
    Ok(quote!(#declaration #implementation))
}

fn members(shape: &Shape, with_visibility: bool) -> TokenStream {
    let sent = shape.fields.iter().filter(|field| field.is_sent());
    let members = sent.map(|field| {
        let (name, wire, rules) = (&field.name, field.wire_type(), &field.rules);
        let visibility = with_visibility.then_some(&field.visibility);
        quote!(#(#rules)* #visibility #name: #wire,)
    });
    quote!(#(#members)*)
}

fn head(input: &DeriveInput) -> TokenStream {
    let doc = format!("Form of [`{}`] on the wire.", input.ident);
    quote! {
        #[doc = #doc]
        #[derive(::bevy_syncvar::syncvar::SyncValue, ::core::clone::Clone)]
        #[sync_value(crate = ::bevy_syncvar::syncvar)]
        #[allow(missing_docs)]
    }
}

fn declare_struct(input: &DeriveInput, wire: &Ident, shape: &Shape) -> TokenStream {
    let (visibility, generics, head) = (&input.vis, &input.generics, head(input));
    let (bounds, members) = (&input.generics.where_clause, members(shape, true));
    quote! {
        #head
        #[derive(::core::default::Default)]
        #visibility struct #wire #generics #bounds { #members }
    }
}

fn declare_enum(
    input: &DeriveInput,
    wire: &Ident,
    variants: &[&syn::Variant],
    shapes: &[Shape],
) -> TokenStream {
    let (visibility, declared, head) = (&input.vis, &input.generics, head(input));
    let (generics, type_generics, bounds) = input.generics.split_for_impl();
    let declarations = variants.iter().zip(shapes).map(|(variant, shape)| {
        let (name, members) = (&variant.ident, members(shape, false));
        match variant.fields {
            Fields::Unit => quote!(#name,),
            _ => quote!(#name { #members },),
        }
    });
    let first = shapes.first().map(|shape| {
        let path = &shape.path;
        let sent = shape.fields.iter().filter(|field| field.is_sent());
        let names = sent.map(|field| &field.name);
        quote!(Self #path { #(#names: ::core::default::Default::default(),)* })
    });
    quote! {
        #head
        #visibility enum #wire #declared #bounds { #(#declarations)* }

        #[automatically_derived]
        impl #generics ::core::default::Default for #wire #type_generics #bounds {
            fn default() -> Self {
                #first
            }
        }
    }
}

fn implement(input: &DeriveInput, wire: &Ident, shapes: &[Shape]) -> TokenStream {
    let name = &input.ident;
    let (generics, type_generics, bounds) = input.generics.split_for_impl();
    let to_wire = shapes.iter().map(|shape| {
        let path = &shape.path;
        let (patterns, values): (Vec<_>, Vec<_>) = shape.fields.iter().map(to_wire).unzip();
        quote!(#name #path { #(#patterns)* } => #wire #path { #(#values)* },)
    });
    let from_wire = shapes.iter().map(|shape| {
        let path = &shape.path;
        let sent = shape.fields.iter().filter(|field| field.is_sent());
        let names = sent.map(|field| &field.name);
        let values = shape.fields.iter().map(from_wire);
        quote!(#wire #path { #(#names,)* } => #name #path { #(#values)* },)
    });
    let is_same = shapes.iter().map(|shape| {
        let path = &shape.path;
        let (patterns, others, tests) = comparison(&shape.fields);
        quote!((#name #path { #(#patterns)* }, #wire #path { #(#others)* }) => true #(&& #tests)*,)
    });
    let differs = (shapes.len() > 1).then(|| quote!(_ => false,));
    quote! {
        #[automatically_derived]
        impl #generics ::bevy_syncvar::NetValue for #name #type_generics #bounds {
            type Wire = #wire #type_generics;

            fn to_wire(&self, entities: &::bevy_syncvar::NetEntities) -> Self::Wire {
                let _ = entities;
                match self { #(#to_wire)* }
            }

            fn from_wire(wire: &Self::Wire, entities: &::bevy_syncvar::NetEntities) -> Self {
                let _ = entities;
                match wire { #(#from_wire)* }
            }

            fn is_same(&self, wire: &Self::Wire, entities: &::bevy_syncvar::NetEntities) -> bool {
                let _ = entities;
                match (self, wire) { #(#is_same)* #differs }
            }
        }
    }
}

/// Returns the pattern of a field of the value, and the member of the wire.
fn to_wire(field: &Field) -> (TokenStream, TokenStream) {
    let (member, name, own) = (&field.member, &field.name, field.variable());
    match field.form {
        Form::Local => (quote!(#member: _,), quote!()),
        Form::Value => (
            quote!(#member: #own,),
            quote!(#name: ::core::clone::Clone::clone(#own),),
        ),
        Form::Mapped => (
            quote!(#member: #own,),
            quote!(#name: ::bevy_syncvar::NetValue::to_wire(#own, entities),),
        ),
    }
}

/// Returns the member of a value.
fn from_wire(field: &Field) -> TokenStream {
    let (member, name) = (&field.member, &field.name);
    match field.form {
        Form::Local => quote!(#member: ::core::default::Default::default(),),
        Form::Value => quote!(#member: ::core::clone::Clone::clone(#name),),
        Form::Mapped => quote!(#member: ::bevy_syncvar::NetValue::from_wire(#name, entities),),
    }
}

/// Returns patterns of the value and of the wire, and the comparisons of their fields.
fn comparison(fields: &[Field]) -> (Vec<TokenStream>, Vec<TokenStream>, Vec<TokenStream>) {
    let (mut patterns, mut others, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let (member, name, own) = (&field.member, &field.name, field.variable());
        let other = format_ident!("other_{name}");
        if field.form == Form::Local {
            patterns.push(quote!(#member: _,));
            continue;
        }
        patterns.push(quote!(#member: #own,));
        others.push(quote!(#name: #other,));
        tests.push(match field.form {
            Form::Mapped => quote!(::bevy_syncvar::NetValue::is_same(#own, #other, entities)),
            Form::Local | Form::Value => {
                quote!(::bevy_syncvar::syncvar::SyncValue::same(#own, #other))
            }
        });
    }
    (patterns, others, tests)
}
