//! Methods of `SyncValue`.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;

use super::{item, place_of};
use crate::model::{Body, Discriminant, MemberModel, ValueMembers, ValueModel, Variant, travels};
use crate::names;

pub(super) fn methods(value: &ValueModel<'_>) -> TokenStream {
    match &value.body {
        Body::Struct(shape) => struct_methods(value.ident, shape),
        Body::PlainEnum { variants, repr, .. } => {
            plain_enum_methods(value.ident, variants, repr.as_ref())
        }
        Body::DataEnum(variants) => data_enum_methods(value.ident, variants),
    }
}

/// Emits constants that do not compile if a plain enum has a number of more than 32 bits.
pub(super) fn checks(value: &ValueModel<'_>) -> Option<TokenStream> {
    let Body::PlainEnum {
        variants,
        discriminant: Discriminant::MustBeChecked,
        ..
    } = &value.body
    else {
        return None;
    };
    let ident = value.ident;
    let checks = variants.iter().map(|Variant { ident: variant, .. }| {
        let span = place_of(variant);
        quote_spanned!(span=> const _: () = _syncvar::assert_fits_32_bits(#ident::#variant as i128);)
    });
    Some(quote!(#(#checks)*))
}

/// Bodies of the methods.
struct Methods {
    write: TokenStream,
    read: TokenStream,
    /// Body of `read_in_place`, unless the default is correct.
    read_in_place: Option<TokenStream>,
    same: TokenStream,
}

impl Methods {
    fn expand(self) -> TokenStream {
        let Self {
            write,
            read,
            read_in_place,
            same,
        } = self;
        let read_in_place = read_in_place.map(|body| {
            quote! {
                fn read_in_place(
                    &mut self,
                    reader: &mut _syncvar::NetworkReader<'_>,
                ) -> _syncvar::Result<(), _syncvar::ReadError> {
                    #body
                }
            }
        });
        quote! {
            fn write(&self, writer: &mut _syncvar::NetworkWriter) {
                #write
            }
            fn read(reader: &mut _syncvar::NetworkReader<'_>) -> _syncvar::Result<Self, _syncvar::ReadError> {
                #read
            }
            #read_in_place
            fn same(&self, other: &Self) -> bool {
                #same
            }
        }
    }
}

fn struct_methods(owner: &Ident, shape: &ValueMembers<'_>) -> TokenStream {
    let travelling: Vec<_> = shape
        .members
        .iter()
        .filter(|member| !member.skipped)
        .collect();
    if travelling.is_empty() {
        return empty_struct_methods(shape);
    }
    let name = owner.unraw().to_string();
    let value = with_members(
        &quote!(Self),
        shape,
        shape.members.iter().map(|m| read_member(&name, m)),
    );
    let writes = travelling.iter().map(|MemberModel { member, ty, .. }| {
        let write = write(ty, &quote!(&self.#member));
        quote!(#write;)
    });
    let in_place = travelling.iter().map(|MemberModel { member, ty, .. }| {
        let place = names::place(owner, member);
        let read = if travels(ty) {
            quote!(reader.read_into(&mut self.#member))
        } else {
            let read = item(ty, "SyncValue", "read_in_place");
            quote!(#read(&mut self.#member, reader))
        };
        quote!(#read.in_member(#place)?;)
    });
    let same = travelling.iter().map(|MemberModel { member, ty, .. }| {
        same(ty, &quote!(&self.#member), &quote!(&other.#member))
    });
    let methods = Methods {
        write: quote!(#(#writes)*),
        read: quote!(_syncvar::Ok(#value)),
        read_in_place: Some(quote!(#(#in_place)* _syncvar::Ok(()))),
        same: quote!(#(#same)&&*),
    };
    methods.expand()
}

/// Emits the methods of a struct without travelling members.
fn empty_struct_methods(shape: &ValueMembers<'_>) -> TokenStream {
    let default = |model: &MemberModel<'_>| {
        let default = item(model.ty, "Default", "default");
        quote!(#default())
    };
    let value = with_members(&quote!(Self), shape, shape.members.iter().map(default));
    quote! {
        fn write(&self, _writer: &mut _syncvar::NetworkWriter) {}
        fn read(_reader: &mut _syncvar::NetworkReader<'_>) -> _syncvar::Result<Self, _syncvar::ReadError> {
            _syncvar::Ok(#value)
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

/// Emits `writer.write(&self.id)`, or, if the macro does not know that the type travels,
/// `<Id as _syncvar::SyncValue>::write(&self.id, writer)`: for a missing trait every such call is the
/// same error, at the type, which the compiler prints once.
fn write(ty: &Type, value: &TokenStream) -> TokenStream {
    if travels(ty) {
        quote!(writer.write(#value))
    } else {
        let write = item(ty, "SyncValue", "write");
        quote!(#write(#value, writer))
    }
}

fn same(ty: &Type, mine: &TokenStream, theirs: &TokenStream) -> TokenStream {
    if travels(ty) {
        quote!(_syncvar::SyncValue::same(#mine, #theirs))
    } else {
        let same = item(ty, "SyncValue", "same");
        quote!(#same(#mine, #theirs))
    }
}

/// Emits the read of a member of `owner`, a struct or a variant.
fn read_member(owner: &str, model: &MemberModel<'_>) -> TokenStream {
    let ty = model.ty;
    if model.skipped {
        let default = item(ty, "Default", "default");
        return quote!(#default());
    }
    let place = format!("{owner}.{}", names::plain(&model.member));
    if travels(ty) {
        quote!(reader.read().in_member(#place)?)
    } else {
        let read = item(ty, "SyncValue", "read");
        quote!(#read(reader).in_member(#place)?)
    }
}

/// Emits the methods of a plain enum: without `repr`, `writer.write_enum(number)`; with one,
/// `writer.write_enum_as(number)` with a number of that type. Either way 32 bits are read and compared.
fn plain_enum_methods(
    owner: &Ident,
    variants: &[Variant<'_>],
    repr: Option<&Ident>,
) -> TokenStream {
    let variants: Vec<_> = variants.iter().map(|variant| variant.ident).collect();
    let name = owner.unraw().to_string();
    let reads = variants.iter().map(|variant| {
        quote! {
            if number == Self::#variant as i32 {
                return _syncvar::Ok(Self::#variant);
            }
        }
    });
    let (number, write, read) = match repr {
        Some(repr) => (
            quote!(#repr),
            quote!(write_enum_as),
            quote!(read_enum_as::<#repr>),
        ),
        None => (quote!(i32), quote!(write_enum), quote!(read_enum)),
    };
    let methods = Methods {
        write: quote! {
            let number = match self {
                #(Self::#variants => Self::#variants as #number,)*
            };
            writer.#write(number);
        },
        read: quote! {
            let number = reader.#read()?;
            #(#reads)*
            _syncvar::Err(reader.unknown_variant(#name, number))
        },
        read_in_place: None,
        same: quote!(_syncvar::discriminant(self) == _syncvar::discriminant(other)),
    };
    methods.expand()
}

fn data_enum_methods(owner: &Ident, variants: &[Variant<'_>]) -> TokenStream {
    let name = owner.unraw().to_string();
    let writes = variants
        .iter()
        .enumerate()
        .map(|(index, variant)| write_variant(index, variant));
    let reads = variants.iter().enumerate().map(|(index, variant)| {
        let (index, path) = (names::number(index), path(variant));
        let place = format!("{name}::{}", variant.ident.unraw());
        let members = variant
            .shape
            .members
            .iter()
            .map(|model| read_member(&place, model));
        let value = with_members(&path, &variant.shape, members);
        quote!(#index => _syncvar::Ok(#value),)
    });
    let same = variants.iter().map(same_variant);
    let others = (variants.len() > 1).then(|| quote!(_ => false,));
    let methods = Methods {
        write: quote!(match self { #(#writes)* }),
        read: quote! {
            match reader.read_variant()? {
                #(#reads)*
                number => _syncvar::Err(reader.unknown_variant(#name, number)),
            }
        },
        read_in_place: None,
        same: quote!(match (self, other) { #(#same)* #others }),
    };
    methods.expand()
}

fn write_variant(index: usize, variant: &Variant<'_>) -> TokenStream {
    let (index, pattern) = (names::number(index), pattern(variant, 'v'));
    let members = variant
        .shape
        .members
        .iter()
        .enumerate()
        .map(|(index, model)| {
            let binding = names::binding('v', index);
            let write = write(model.ty, &quote!(#binding));
            quote!(#write;)
        });
    quote! {
        #pattern => {
            writer.write_variant(#index);
            #(#members)*
        }
    }
}

fn same_variant(variant: &Variant<'_>) -> TokenStream {
    let (mine, theirs) = (pattern(variant, 'v'), pattern(variant, 'w'));
    let members = variant
        .shape
        .members
        .iter()
        .enumerate()
        .map(|(index, model)| {
            let (v, w) = (names::binding('v', index), names::binding('w', index));
            same(model.ty, &quote!(#v), &quote!(#w))
        });
    let same = if variant.shape.members.is_empty() {
        quote!(true)
    } else {
        quote!(#(#members)&&*)
    };
    quote!((#mine, #theirs) => #same,)
}

/// Emits a pattern: `Self::Burn { damage: v0, seconds: v1 }`.
fn pattern(variant: &Variant<'_>, prefix: char) -> TokenStream {
    let bindings = (0..variant.shape.members.len()).map(|index| {
        let binding = names::binding(prefix, index);
        quote!(#binding)
    });
    with_members(&path(variant), &variant.shape, bindings)
}

fn path(variant: &Variant<'_>) -> TokenStream {
    let ident = variant.ident;
    quote!(Self::#ident)
}

/// Emits a struct or variant with given tokens for each member, as a pattern or as a value.
fn with_members(
    path: &TokenStream,
    shape: &ValueMembers<'_>,
    contents: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    if shape.named {
        let members = shape.members.iter().map(|model| &model.member);
        quote!(#path { #(#members: #contents),* })
    } else if shape.members.is_empty() {
        quote!(#path)
    } else {
        quote!(#path(#(#contents),*))
    }
}
