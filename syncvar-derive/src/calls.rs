//! `#[network_calls]`: expansion of an `impl` block to its calls. The modules are named like those of the
//! derives: attr, model, expand.

mod attr;
mod expand;
mod method;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

use crate::errors::Errors;
use attr::BlockAttrs;
use model::CallsModel;

/// Expands `#[network_calls(...)]` on an item. The item stays unchanged except for the call attributes, so
/// a mistake in one call causes no error about the remaining calls.
pub(crate) fn network_calls(attr: &TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attrs = BlockAttrs::parse(attr, &mut errors);
    let item = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.add_error(error);
            let errors = errors.to_compile_errors();
            return quote!(#item #errors);
        }
    };
    let Item::Impl(mut block) = item else {
        errors.add(
            &item,
            "`#[network_calls]` belongs on an `impl` block: `#[network_calls] impl Player { ... }`",
        );
        let errors = errors.to_compile_errors();
        return quote!(#item #errors);
    };
    let calls = CallsModel::take(&mut block, attrs, &mut errors);
    let expansion = calls.map(|calls| expand::calls(&calls));
    let errors = errors.to_compile_errors();
    quote!(#block #errors #expansion)
}

/// Expands `#[command]` and the remaining call attributes outside of `#[network_calls]`, which removes them
/// inside.
pub(crate) fn stray(name: &str, item: &TokenStream) -> TokenStream {
    let message =
        format!("`#[{name}]` belongs on a method inside `#[network_calls] impl ... {{ ... }}`");
    let error = syn::Error::new(proc_macro2::Span::call_site(), message).to_compile_error();
    quote!(#error #item)
}
