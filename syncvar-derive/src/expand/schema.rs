//! The `SCHEMA` constants.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt;

use super::{item, policy, value_item};
use crate::model::{
    Behaviour, Body, Container, MemberModel, SyncVar, ValueModel, Variant, elements_travel, travels,
};
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
        let field = field(sync_var);
        let policy = policy::schema(sync_var);
        let initial_hook = sync_var.initial_hook.then(|| quote!(.initial_hook()));
        let interpolation = sync_var.interpolation.as_ref();
        let interpolated = interpolation.map(|_| quote!(.interpolated()));
        let history = interpolation.and_then(|rules| rules.history);
        let history = history.map(|_| quote!(.history()));
        let on_view = interpolation.and_then(|rules| rules.on_view.as_ref());
        let on_view = on_view.map(|_| quote!(.on_view()));
        let was = former_names(&sync_var.was);
        quote!(#field #was #policy #initial_hook #interpolated #history #on_view)
    });
    quote! {
        const SCHEMA: _syncvar::BehaviourSchema = _syncvar::BehaviourSchema {
            name: #name,
            base: #base,
            fields: &[#(#fields),*],
        };
    }
}

/// Emits the description of a field by its type. Where the macro does not know that the type has the
/// trait, by items of the trait at the type's place: a missing trait is then one error.
fn field(sync_var: &SyncVar<'_>) -> TokenStream {
    let (name, ty) = (names::plain(&sync_var.member), sync_var.ty.original);
    let known = match sync_var.ty.container {
        Container::SyncVar(value) if !travels(value) || sync_var.codec.is_some() => {
            let schema = value_item(sync_var, value, "SCHEMA");
            return quote!(_syncvar::FieldSchema::new(#name, #schema).resendable(true));
        }
        Container::SyncVar(_) => true,
        Container::Collection => elements_travel(ty),
        Container::Unknown => false,
    };
    if known {
        return quote!(_syncvar::FieldSchema::of::<#ty>(#name));
    }
    let (schema, resendable) = (
        item(ty, "SyncField", "SCHEMA"),
        item(ty, "SyncField", "RESENDABLE"),
    );
    quote!(_syncvar::FieldSchema::new(#name, #schema).resendable(#resendable))
}

pub(super) fn value(value: &ValueModel<'_>) -> TokenStream {
    let name = value.ident.unraw().to_string();
    let schema = match &value.body {
        Body::Struct(shape) => {
            let members = member_schemas(&shape.members);
            quote!(Struct { name: #name, members: #members })
        }
        Body::PlainEnum { variants, .. } => {
            let variants = variants.iter().map(|variant| {
                let ident = variant.ident;
                variant_schema(variant, &quote!(Self::#ident as i64))
            });
            quote!(Enum { name: #name, variants: &[#(#variants),*] })
        }
        Body::DataEnum(variants) => {
            let variants = variants.iter().enumerate().map(|(index, variant)| {
                let number = names::number(index);
                variant_schema(variant, &quote!(#number))
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
            let was = former_names(&member.was);
            quote!(_syncvar::MemberSchema::new(#name, #schema) #was)
        });
    quote!(&[#(#members),*])
}

fn variant_schema(variant: &Variant<'_>, number: &TokenStream) -> TokenStream {
    let name = variant.ident.unraw().to_string();
    let members = member_schemas(&variant.shape.members);
    let was = former_names(&variant.was);
    let other = variant.other.map(|place| {
        let place = Span::call_site().located_at(place);
        quote_spanned!(place=> .other())
    });
    quote!(_syncvar::VariantSchema::new(#name, #number, #members) #was #other)
}

/// Emits `.was(&["hp"])` for former names.
pub(crate) fn former_names(names: &[LitStr]) -> Option<TokenStream> {
    (!names.is_empty()).then(|| quote!(.was(&[#(#names),*])))
}
