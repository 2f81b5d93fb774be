//! The `SCHEMA` constants.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::{item, rules, value_item};
use crate::model::{Behaviour, Body, Container, MemberModel, Value};
use crate::names;

pub(super) fn behaviour(behaviour: &Behaviour<'_>) -> TokenStream {
    let name = behaviour.ident.unraw().to_string();
    let base = match &behaviour.base {
        Some(base) => {
            let schema = item(base.ty, "NetworkBehaviour", "SCHEMA");
            quote!(_syncvar::Some(&#schema))
        }
        None => quote!(_syncvar::None),
    };
    let fields = behaviour.sync_vars.iter().map(|sync_var| {
        let name = names::plain(&sync_var.member);
        let schema = match sync_var.ty.container {
            Container::SyncVar(value) => value_item(sync_var, value, "SCHEMA"),
            Container::Collection | Container::Unknown => {
                item(sync_var.ty.original, "SyncField", "SCHEMA")
            }
        };
        let schema = rules::schema(sync_var, schema);
        quote!(_syncvar::FieldSchema { name: #name, schema: #schema })
    });
    quote! {
        const SCHEMA: _syncvar::BehaviourSchema = _syncvar::BehaviourSchema {
            name: #name,
            base: #base,
            fields: &[#(#fields),*],
        };
    }
}

pub(super) fn value(value: &Value<'_>) -> TokenStream {
    let name = value.ident.unraw().to_string();
    let schema = match &value.body {
        Body::Struct(shape) => {
            let members = member_schemas(&shape.members);
            quote!(Struct { name: #name, members: #members })
        }
        Body::PlainEnum { variants, .. } => {
            let variants = variants.iter().map(|variant| {
                let name = variant.unraw().to_string();
                quote!(_syncvar::VariantSchema { name: #name, number: Self::#variant as i64, members: &[] })
            });
            quote!(Enum { name: #name, variants: &[#(#variants),*] })
        }
        Body::DataEnum(variants) => {
            let variants = variants.iter().enumerate().map(|(index, variant)| {
                let name = variant.ident.unraw().to_string();
                let number = names::number(index);
                let members = member_schemas(&variant.shape.members);
                quote!(_syncvar::VariantSchema { name: #name, number: #number, members: #members })
            });
            quote!(Enum { name: #name, variants: &[#(#variants),*] })
        }
    };
    quote! {
        const SCHEMA: _syncvar::TypeSchema = _syncvar::TypeSchema::#schema;
    }
}

fn member_schemas(members: &[MemberModel<'_>]) -> TokenStream {
    let members = members
        .iter()
        .filter(|member| !member.skipped)
        .map(|member| {
            let name = names::plain(&member.member);
            let schema = item(member.ty, "SyncValue", "SCHEMA");
            quote!(_syncvar::MemberSchema { name: #name, schema: #schema })
        });
    quote!(&[#(#members),*])
}
