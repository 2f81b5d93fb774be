//! `#[derive(Replicate)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DataStruct, DeriveInput, Error, Fields};

use crate::fields::{Field, Form, attributes, fields};
use crate::value;

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    match &input.data {
        Data::Struct(data) => expand_struct(input, data),
        Data::Enum(_) => expand_enum(input),
        Data::Union(_) => {
            let message = "a union cannot be replicated: use an enum";
            Err(Error::new_spanned(&input.ident, message))
        }
    }
}

fn expand_struct(input: &DeriveInput, data: &DataStruct) -> syn::Result<TokenStream> {
    let all = fields(&data.fields, "sync_var")?;
    let sent: Vec<&Field> = all.iter().filter(|field| field.is_sent()).collect();
    let component = &input.ident;
    let shadow = format_ident!("{component}Shadow");
    let previous = format_ident!("{component}Previous");
    let (generics, type_generics, bounds) = input.generics.split_for_impl();
    let declaration = declaration(input, &shadow, &sent);
    let previous_struct = previous_struct(input, data, &previous, &all);
    let functions = functions(input, &all, &sent);
    Ok(quote! {
        #declaration
        #previous_struct

        #[automatically_derived]
        impl #generics ::bevy_syncvar::ShadowOf<#component #type_generics> for #shadow #type_generics #bounds {
            type Before = #previous #type_generics;

            #functions
        }

        #[automatically_derived]
        impl #generics ::bevy_syncvar::Replicate for #component #type_generics #bounds {
            type Shadow = #shadow #type_generics;
        }
    })
}

/// Functions of a shadow.
fn functions(input: &DeriveInput, all: &[Field], sent: &[&Field]) -> TokenStream {
    let component = &input.ident;
    let (_, type_generics, _) = input.generics.split_for_impl();
    let create = create(all);
    let Transfers { write, read, give } = transfers(sent);
    quote! {
        fn write(
            &mut self,
            component: &mut #component #type_generics,
            fields: u64,
            entities: &::bevy_syncvar::NetEntities,
        ) {
            let _ = (&component, fields, entities);
            #(#write)*
        }

        fn create(&mut self, entities: &::bevy_syncvar::NetEntities) -> #component #type_generics {
            let _ = entities;
            #component { #(#create)* }
        }

        fn read(
            &mut self,
            component: &mut #component #type_generics,
            fields: u64,
            entities: &::bevy_syncvar::NetEntities,
        ) -> ::core::option::Option<Self::Before> {
            let _ = (&component, fields, entities);
            let mut previous = Self::Before::default();
            let mut changed = false;
            #(#read)*
            changed.then_some(previous)
        }

        fn give(
            &mut self,
            component: &mut #component #type_generics,
            fields: u64,
            entities: &::bevy_syncvar::NetEntities,
        ) -> bool {
            let _ = (&component, fields, entities);
            let mut changed = false;
            #(#give)*
            changed
        }
    }
}

/// Declares the shadow.
fn declaration(input: &DeriveInput, shadow: &syn::Ident, sent: &[&Field]) -> TokenStream {
    let (visibility, generics) = (&input.vis, &input.generics);
    let bounds = &input.generics.where_clause;
    let settings = attributes(&input.attrs, "network_behaviour");
    let doc = format!("Shadow of [`{}`] in the pools of an end.", input.ident);
    let members = sent.iter().map(|field| {
        let (name, wire, rules) = (&field.name, field.wire_type(), &field.rules);
        let visibility = &field.visibility;
        let rules = if rules.is_empty() {
            vec![quote!(#[sync_var])]
        } else {
            rules.clone()
        };
        quote!(#(#rules)* #visibility #name: ::bevy_syncvar::syncvar::SyncVar<#wire>,)
    });
    quote! {
        #[doc = #doc]
        #[derive(::bevy_syncvar::syncvar::NetworkBehaviour, ::core::clone::Clone, ::core::default::Default)]
        #[network_behaviour(crate = ::bevy_syncvar::syncvar)]
        #(#settings)*
        #[allow(missing_docs)]
        #visibility struct #shadow #generics #bounds { #(#members)* }
    }
}

/// Declares the previous values.
fn previous_struct(
    input: &DeriveInput,
    data: &DataStruct,
    previous: &syn::Ident,
    all: &[Field],
) -> TokenStream {
    let (visibility, generics) = (&input.vis, &input.generics);
    let bounds = &input.generics.where_clause;
    let doc = format!(
        "Previous values of the changed fields of [`{}`].",
        input.ident
    );
    let members = all.iter().map(|field| {
        let (ty, visibility) = (&field.ty, &field.visibility);
        let ty = match field.form {
            Form::Local => quote!(()),
            Form::Value | Form::Mapped => quote!(::core::option::Option<#ty>),
        };
        match &data.fields {
            Fields::Named(_) => {
                let name = &field.name;
                quote!(#visibility #name: #ty,)
            }
            _ => quote!(#visibility #ty,),
        }
    });
    let body = match &data.fields {
        Fields::Named(_) => quote!(#bounds { #(#members)* }),
        Fields::Unnamed(_) => quote!((#(#members)*) #bounds;),
        Fields::Unit => quote!(#bounds;),
    };
    quote! {
        #[doc = #doc]
        #[derive(::core::default::Default)]
        #[allow(missing_docs, dead_code)]
        #visibility struct #previous #generics #body
    }
}

/// Members of a new component.
fn create(all: &[Field]) -> Vec<TokenStream> {
    let member = |field: &Field| {
        let (member, name) = (&field.member, &field.name);
        let value = match field.form {
            Form::Local => quote!(::core::default::Default::default()),
            Form::Value => quote!(::core::clone::Clone::clone(self.#name.get())),
            Form::Mapped => quote!(::bevy_syncvar::NetValue::from_wire(self.#name.get(), entities)),
        };
        quote!(#member: #value,)
    };
    all.iter().map(member).collect()
}

/// Statements of the functions of a shadow, a statement for each field.
#[derive(Default)]
struct Transfers {
    write: Vec<TokenStream>,
    read: Vec<TokenStream>,
    give: Vec<TokenStream>,
}

fn transfers(sent: &[&Field]) -> Transfers {
    let mut transfers = Transfers::default();
    for (index, field) in sent.iter().enumerate() {
        let (member, name) = (&field.member, &field.name);
        let bit = quote!((1_u64 << #index));
        let (mapped, arguments) = match field.form {
            Form::Mapped => ("mapped", quote!(, entities)),
            Form::Local | Form::Value => ("value", quote!()),
        };
        let write = format_ident!("write_{mapped}");
        let read = format_ident!("read_{mapped}");
        let give = format_ident!("give_{mapped}");
        transfers.write.push(quote! {
            if fields & #bit != 0 {
                ::bevy_syncvar::__private::#write(&component.#member, &mut self.#name #arguments);
            }
        });
        transfers.read.push(quote! {
            if fields & #bit != 0 {
                previous.#member =
                    ::bevy_syncvar::__private::#read(&self.#name, &mut component.#member #arguments);
                changed |= previous.#member.is_some();
            }
        });
        transfers.give.push(quote! {
            if fields & #bit != 0 {
                changed |=
                    ::bevy_syncvar::__private::#give(&self.#name, &mut component.#member #arguments);
            }
        });
    }
    transfers
}

fn expand_enum(input: &DeriveInput) -> syn::Result<TokenStream> {
    let value = value::expand_with(input, "sync_var")?;
    let (component, visibility) = (&input.ident, &input.vis);
    let shadow = format_ident!("{component}Shadow");
    let (generics, type_generics, bounds) = input.generics.split_for_impl();
    let declared = &input.generics;
    let settings = attributes(&input.attrs, "network_behaviour");
    let rules: Vec<_> = attributes(&input.attrs, "sync_var").collect();
    let plain = rules.is_empty().then(|| quote!(#[sync_var]));
    let doc = format!("Shadow of [`{component}`] in the pools of an end.");
    Ok(quote! {
        #value

        #[doc = #doc]
        #[derive(::bevy_syncvar::syncvar::NetworkBehaviour, ::core::clone::Clone, ::core::default::Default)]
        #[network_behaviour(crate = ::bevy_syncvar::syncvar)]
        #(#settings)*
        #[allow(missing_docs)]
        #visibility struct #shadow #declared #bounds {
            #plain
            #(#rules)*
            value: ::bevy_syncvar::syncvar::SyncVar<<#component #type_generics as ::bevy_syncvar::NetValue>::Wire>,
        }

        #[automatically_derived]
        impl #generics ::bevy_syncvar::ShadowOf<#component #type_generics> for #shadow #type_generics #bounds {
            type Before = ::core::option::Option<#component #type_generics>;

            fn write(
                &mut self,
                component: &mut #component #type_generics,
                _fields: u64,
                entities: &::bevy_syncvar::NetEntities,
            ) {
                ::bevy_syncvar::__private::write_mapped(component, &mut self.value, entities);
            }

            fn create(&mut self, entities: &::bevy_syncvar::NetEntities) -> #component #type_generics {
                ::bevy_syncvar::NetValue::from_wire(self.value.get(), entities)
            }

            fn read(
                &mut self,
                component: &mut #component #type_generics,
                _fields: u64,
                entities: &::bevy_syncvar::NetEntities,
            ) -> ::core::option::Option<Self::Before> {
                ::bevy_syncvar::__private::read_mapped(&self.value, component, entities).map(Some)
            }
        }

        #[automatically_derived]
        impl #generics ::bevy_syncvar::Replicate for #component #type_generics #bounds {
            type Shadow = #shadow #type_generics;
        }
    })
}
