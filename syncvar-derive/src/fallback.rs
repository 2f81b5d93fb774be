//! Stub beside the errors, so that code that uses the type causes no further errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DeriveInput, WhereClause, parse_quote};

use crate::attr::{BehaviourAttrs, ValueAttrs};
use crate::errors::Errors;
use crate::names;

pub(crate) fn behaviour(input: &DeriveInput, errors: &Errors) -> TokenStream {
    let krate = BehaviourAttrs::parse(&input.attrs, &mut Errors::default()).krate;
    let import = names::behaviour_import(krate.as_ref());
    let (ident, name) = (&input.ident, input.ident.unraw().to_string());
    let where_clause = stub_bounds(
        input,
        &quote!(_syncvar::Sized + _syncvar::Send + _syncvar::Sync + 'static),
    );
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    let errors = errors.to_compile_errors();
    quote! {
        #errors

        const _: () = {
            #import

            #[automatically_derived]
            impl #impl_generics _syncvar::NetworkBehaviour for #ident #ty_generics #where_clause {
                type Previous = ();
                const SCHEMA: _syncvar::BehaviourSchema = _syncvar::BehaviourSchema {
                    name: #name,
                    base: _syncvar::None,
                    fields: &[],
                };
                const INFO: _syncvar::BehaviourInfo = _syncvar::OwnCalls::<Self>::INFO;
                fn sync_var_dirty_bits(&self) -> u64 {
                    0
                }
                fn visit(&mut self, _: &mut (), _: &mut impl _syncvar::FieldVisitor) {}
            }

            #[automatically_derived]
            impl #impl_generics _syncvar::HasLifecycle for #ident #ty_generics #where_clause {}

            #[automatically_derived]
            impl #impl_generics _syncvar::HasSynchronize for #ident #ty_generics #where_clause {}
        };
    }
}

pub(crate) fn value(input: &DeriveInput, errors: &Errors) -> TokenStream {
    let krate = ValueAttrs::parse(&input.attrs, &mut Errors::default()).krate;
    let import = names::import(krate.as_ref());
    let (ident, name) = (&input.ident, input.ident.unraw().to_string());
    let bounds = quote!(_syncvar::Clone + _syncvar::Send + _syncvar::Sync + 'static);
    let where_clause = stub_bounds(input, &bounds);
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    let errors = errors.to_compile_errors();
    quote! {
        #errors

        const _: () = {
            #[allow(unused_imports)]
            #import

            #[automatically_derived]
            impl #impl_generics _syncvar::SyncValue for #ident #ty_generics #where_clause {
                const SCHEMA: _syncvar::TypeSchema = _syncvar::TypeSchema::Named(#name);
                fn write(&self, _: &mut _syncvar::NetworkWriter) {}
                fn read(_: &mut _syncvar::NetworkReader<'_>) -> _syncvar::Result<Self, _syncvar::ReadError> {
                    loop {}
                }
                fn same(&self, _: &Self) -> bool {
                    true
                }
            }
        };
    }
}

/// Adds the trait's bounds to the user's, so that a type without them causes no error
/// beside its first. `for<'any>` keeps the compiler from refusing a false bound
/// without a parameter.
fn stub_bounds(input: &DeriveInput, bounds: &TokenStream) -> WhereClause {
    let (_, ty_generics, where_clause) = input.generics.split_for_impl();
    let ident = &input.ident;
    let mut clause = where_clause.cloned().unwrap_or_else(|| parse_quote!(where));
    clause
        .predicates
        .push(parse_quote!(for<'any> #ident #ty_generics: #bounds));
    clause
}
