//! The methods of `SyncValue`.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::place_of;
use crate::model::{Body, Discriminant, MemberModel, Value, Variant};
use crate::names;

pub(super) fn methods(value: &Value<'_>) -> TokenStream {
    match &value.body {
        Body::Struct(members) => struct_methods(value.ident, members),
        Body::PlainEnum { variants, .. } => plain_enum_methods(value.ident, variants),
        Body::DataEnum(variants) => data_enum_methods(value.ident, variants),
    }
}

/// Constants that do not compile when a plain enum has a number of more than 32 bits.
pub(super) fn checks(value: &Value<'_>) -> Option<TokenStream> {
    let Body::PlainEnum { variants, discriminant: Discriminant::MustBeChecked } = &value.body else {
        return None;
    };
    let ident = value.ident;
    let checks = variants.iter().map(|variant| {
        let span = place_of(variant);
        quote_spanned!(span=> const _: () = _syncvar::assert_fits_32_bits(#ident::#variant as i128);)
    });
    Some(quote!(#(#checks)*))
}

fn signatures(write: &TokenStream, read: &TokenStream, same: &TokenStream) -> TokenStream {
    quote! {
        fn write(&self, writer: &mut _syncvar::NetworkWriter) {
            #write
        }
        fn read(reader: &mut _syncvar::NetworkReader<'_>) -> _syncvar::Result<Self, _syncvar::ReadError> {
            #read
        }
        fn same(&self, other: &Self) -> bool {
            #same
        }
    }
}

fn struct_methods(owner: &Ident, members: &[MemberModel<'_>]) -> TokenStream {
    let travelling: Vec<_> = members.iter().filter(|member| !member.skipped).collect();
    if travelling.is_empty() {
        return empty_struct_methods(members);
    }
    let writes = travelling.iter().map(|MemberModel { member, ty, .. }| {
        let span = place_of(ty);
        quote_spanned!(span=> writer.write(&self.#member);)
    });
    let name = owner.unraw().to_string();
    let reads = members.iter().map(|model| {
        let (member, value) = (&model.member, read_member(&name, model));
        quote!(#member: #value)
    });
    let in_place = travelling.iter().map(|MemberModel { member, ty, .. }| {
        let (span, place) = (place_of(ty), names::place(owner, member));
        quote_spanned!(span=> reader.read_into(&mut self.#member).in_member(#place)?;)
    });
    let same = travelling.iter().map(|MemberModel { member, ty, .. }| {
        let span = place_of(ty);
        quote_spanned!(span=> _syncvar::SyncValue::same(&self.#member, &other.#member))
    });
    let methods = signatures(
        &quote!(#(#writes)*),
        &quote!(_syncvar::Ok(Self { #(#reads),* })),
        &quote!(#(#same)&&*),
    );
    quote! {
        #methods
        fn read_in_place(
            &mut self,
            reader: &mut _syncvar::NetworkReader<'_>,
        ) -> _syncvar::Result<(), _syncvar::ReadError> {
            #(#in_place)*
            _syncvar::Ok(())
        }
    }
}

/// A struct of which nothing travels.
fn empty_struct_methods(members: &[MemberModel<'_>]) -> TokenStream {
    let members = members.iter().map(|model| &model.member);
    quote! {
        fn write(&self, _writer: &mut _syncvar::NetworkWriter) {}
        fn read(_reader: &mut _syncvar::NetworkReader<'_>) -> _syncvar::Result<Self, _syncvar::ReadError> {
            _syncvar::Ok(Self { #(#members: _syncvar::Default::default()),* })
        }
        fn read_in_place(
            &mut self,
            _reader: &mut _syncvar::NetworkReader<'_>,
        ) -> _syncvar::Result<(), _syncvar::ReadError> {
            _syncvar::Ok(())
        }
        fn same(&self, _other: &Self) -> bool {
            true
        }
    }
}

/// Reads a member of `owner`, which is a struct or a variant.
fn read_member(owner: &str, model: &MemberModel<'_>) -> TokenStream {
    let span = place_of(model.ty);
    if model.skipped {
        return quote_spanned!(span=> _syncvar::Default::default());
    }
    let place = format!("{owner}.{}", names::plain(&model.member));
    quote_spanned!(span=> reader.read().in_member(#place)?)
}

fn plain_enum_methods(owner: &Ident, variants: &[&Ident]) -> TokenStream {
    let name = owner.unraw().to_string();
    let numbers = quote! {
        match self {
            #(Self::#variants => Self::#variants as i32,)*
        }
    };
    let reads = variants.iter().map(|variant| {
        quote! {
            if number == Self::#variant as i32 {
                return _syncvar::Ok(Self::#variant);
            }
        }
    });
    signatures(
        &quote! {
            let number = #numbers;
            writer.write_enum(number);
        },
        &quote! {
            let number = reader.read_enum()?;
            #(#reads)*
            _syncvar::Err(reader.unknown_variant(#name, number))
        },
        &quote!(_syncvar::discriminant(self) == _syncvar::discriminant(other)),
    )
}

fn data_enum_methods(owner: &Ident, variants: &[Variant<'_>]) -> TokenStream {
    let name = owner.unraw().to_string();
    let writes = variants.iter().enumerate().map(|(index, variant)| {
        let (index, pattern) = (names::number(index), pattern(variant, 'v'));
        let members = variant.members.iter().enumerate().map(|(index, model)| {
            let (span, binding) = (place_of(model.ty), names::binding('v', index));
            quote_spanned!(span=> writer.write(#binding);)
        });
        quote! {
            #pattern => {
                writer.write_variant(#index);
                #(#members)*
            }
        }
    });
    let reads = variants.iter().enumerate().map(|(index, variant)| {
        let place = format!("{name}::{}", variant.ident.unraw());
        let members = variant.members.iter().map(|model| read_member(&place, model));
        let (index, value) = (names::number(index), with_members(variant, members));
        quote!(#index => _syncvar::Ok(#value),)
    });
    let same = variants.iter().map(|variant| {
        let (mine, theirs) = (pattern(variant, 'v'), pattern(variant, 'w'));
        let members = variant.members.iter().enumerate().map(|(index, model)| {
            let span = place_of(model.ty);
            let (v, w) = (names::binding('v', index), names::binding('w', index));
            quote_spanned!(span=> _syncvar::SyncValue::same(#v, #w))
        });
        let members = if variant.members.is_empty() { quote!(true) } else { quote!(#(#members)&&*) };
        quote!((#mine, #theirs) => #members,)
    });
    let others = (variants.len() > 1).then(|| quote!(_ => false,));
    signatures(
        &quote!(match self { #(#writes)* }),
        &quote! {
            match reader.read_variant()? {
                #(#reads)*
                number => _syncvar::Err(reader.unknown_variant(#name, number)),
            }
        },
        &quote!(match (self, other) { #(#same)* #others }),
    )
}

/// `Self::Burn { damage: v0, seconds: v1 }`.
fn pattern(variant: &Variant<'_>, prefix: char) -> TokenStream {
    let bindings = (0..variant.members.len()).map(|index| {
        let binding = names::binding(prefix, index);
        quote!(#binding)
    });
    with_members(variant, bindings)
}

/// A variant with something in the place of each member, as a pattern or as a value.
fn with_members(variant: &Variant<'_>, contents: impl Iterator<Item = TokenStream>) -> TokenStream {
    let ident = variant.ident;
    if variant.named {
        let members = variant.members.iter().map(|model| &model.member);
        quote!(Self::#ident { #(#members: #contents),* })
    } else if variant.members.is_empty() {
        quote!(Self::#ident)
    } else {
        quote!(Self::#ident(#(#contents),*))
    }
}
