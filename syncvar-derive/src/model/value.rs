//! A value: a struct or enum that travels as a whole.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DeriveInput, Field, Fields, Generics, Ident, Index, Member, Path, Type};

use super::{collection, field_type};
use crate::attr::{FormerNames, MemberAttrs, Named, ValueAttrs, VariantAttrs, refuse_shared_names};
use crate::errors::Errors;
use crate::lints::Lints;
use crate::names;

/// Struct or enum with `#[derive(SyncValue)]`.
pub(crate) struct ValueModel<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) lints: Lints,
    pub(crate) generics: &'a Generics,
    pub(crate) krate: Option<Path>,
    pub(crate) body: Body<'a>,
}

/// Content of a value.
pub(crate) enum Body<'a> {
    Struct(ValueMembers<'a>),
    /// No variant has data: a number on the wire.
    PlainEnum {
        variants: Vec<Variant<'a>>,
        /// Number type of the `repr`, unless `i32`.
        repr: Option<Ident>,
        discriminant: Discriminant,
    },
    /// A variant has data: the position of the variant, then its members.
    DataEnum(Vec<Variant<'a>>),
}

/// Knowledge whether the numbers of a plain enum fit 32 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discriminant {
    Fits,
    MustBeChecked,
}

/// A variant of an enum.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    /// Former names, newest first.
    pub(crate) was: FormerNames,
    /// `other`, with its place.
    pub(crate) other: Option<Span>,
    pub(crate) shape: ValueMembers<'a>,
}

/// The members of a struct or variant.
pub(crate) struct ValueMembers<'a> {
    /// Set if the members have names.
    pub(crate) named: bool,
    pub(crate) members: Vec<MemberModel<'a>>,
}

/// A member of a struct or variant.
pub(crate) struct MemberModel<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
    /// Former names, newest first.
    pub(crate) was: FormerNames,
    /// Set if the member does not travel.
    pub(crate) skipped: bool,
}

impl<'a> ValueModel<'a> {
    pub(crate) fn from_syn(input: &'a DeriveInput) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let krate = ValueAttrs::parse(&input.attrs, &mut errors).krate;
        for lifetime in input.generics.lifetimes() {
            errors.add(
                lifetime,
                "a value that travels cannot borrow: give it types that own their values",
            );
        }
        let body = match &input.data {
            Data::Struct(data) => {
                Body::Struct(ValueMembers::from_syn(input, &data.fields, &mut errors))
            }
            Data::Enum(data) if data.variants.is_empty() => {
                errors.add(
                    &input.ident,
                    "an enum without variants has no value: add a variant",
                );
                Body::DataEnum(Vec::new())
            }
            Data::Enum(data) => enum_body(input, data, &mut errors),
            Data::Union(data) => {
                errors.add(
                    data.union_token,
                    "a union cannot travel: write an enum with data",
                );
                Body::DataEnum(Vec::new())
            }
        };
        errors.finish(Self {
            ident: &input.ident,
            lints: Lints::of(input),
            generics: &input.generics,
            krate,
            body,
        })
    }

    /// Returns the members that travel.
    pub(crate) fn members(&self) -> impl Iterator<Item = &MemberModel<'a>> {
        let groups: Vec<&[MemberModel<'a>]> = match &self.body {
            Body::Struct(shape) => vec![&shape.members],
            Body::PlainEnum { .. } => Vec::new(),
            Body::DataEnum(variants) => variants
                .iter()
                .map(|variant| &*variant.shape.members)
                .collect(),
        };
        groups
            .into_iter()
            .flatten()
            .filter(|member| !member.skipped)
    }
}

fn enum_body<'a>(input: &'a DeriveInput, data: &'a DataEnum, errors: &mut Errors) -> Body<'a> {
    let variants: Vec<_> = { data.variants.iter() }
        .map(|variant| variant_of(input, variant, errors))
        .collect();
    refuse_two_others(&variants, errors);
    let names = variants.iter().map(|variant| Named {
        name: variant.ident.unraw().to_string(),
        was: &variant.was,
    });
    refuse_shared_names(&names.collect::<Vec<_>>(), "variant", errors);
    let plain = data
        .variants
        .iter()
        .all(|variant| matches!(variant.fields, Fields::Unit));
    if plain {
        let numbered = data
            .variants
            .iter()
            .any(|variant| variant.discriminant.is_some());
        let repr = integer_repr(input);
        let narrow = repr.is_some_and(|(_, width)| width == Width::Narrow);
        let discriminant = if numbered && !narrow {
            Discriminant::MustBeChecked
        } else {
            Discriminant::Fits
        };
        return Body::PlainEnum {
            variants,
            repr: repr.and_then(|(name, _)| number_type(name)),
            discriminant,
        };
    }
    Body::DataEnum(variants)
}

fn variant_of<'a>(
    input: &'a DeriveInput,
    variant: &'a syn::Variant,
    errors: &mut Errors,
) -> Variant<'a> {
    let attrs = VariantAttrs::parse(&variant.attrs, errors);
    refuse_skips(&variant.fields, errors);
    Variant {
        ident: &variant.ident,
        was: attrs.was.unwrap_or_default(),
        other: attrs.other,
        shape: ValueMembers::from_syn(input, &variant.fields, errors),
    }
}

/// Refuses a second variant in the place of unknown variants.
fn refuse_two_others(variants: &[Variant<'_>], errors: &mut Errors) {
    let others = { variants.iter() }.filter_map(|variant| Some((variant.ident, variant.other?)));
    let others: Vec<_> = others.collect();
    let Some(((first, _), rest)) = others.split_first() else {
        return;
    };
    for (_, place) in rest {
        let message =
            format!("`{first}` is already the variant for unknown variants: keep one `other`");
        errors.add_error(syn::Error::new(*place, message));
    }
}

/// Width of an enum's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    /// At most 32 bits.
    Narrow,
    /// More than 32 bits.
    Wide,
}

/// Returns the integer type of `#[repr(...)]`.
fn integer_repr(input: &DeriveInput) -> Option<(&'static str, Width)> {
    const INTEGERS: &[(&str, Width)] = &[
        ("u8", Width::Narrow),
        ("i8", Width::Narrow),
        ("u16", Width::Narrow),
        ("i16", Width::Narrow),
        ("u32", Width::Narrow),
        ("i32", Width::Narrow),
        ("u64", Width::Wide),
        ("i64", Width::Wide),
        ("usize", Width::Wide),
    ];
    let reprs = input
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("repr"));
    let tokens: TokenStream = reprs.map(|attr| attr.meta.to_token_stream()).collect();
    let text = tokens.to_string();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| INTEGERS.iter().find(|(name, _)| *name == word).copied())
}

/// Returns the type of an enum's numbers on the wire, unless `i32`. C# lacks an integer with the width of a
/// pointer.
fn number_type(repr: &str) -> Option<Ident> {
    match repr {
        "i32" => None,
        "usize" => Some(names::number_type("u32")),
        other => Some(names::number_type(other)),
    }
}

impl<'a> ValueMembers<'a> {
    fn from_syn(owner: &DeriveInput, fields: &'a Fields, errors: &mut Errors) -> Self {
        let numbered = (0_u32..).zip(fields);
        let members: Vec<_> = numbered
            .map(|(index, field)| member(owner, index, field, errors))
            .collect();
        let names = members.iter().map(|model| Named {
            name: names::plain(&model.member),
            was: &model.was,
        });
        refuse_shared_names(&names.collect::<Vec<_>>(), "member", errors);
        Self {
            named: matches!(fields, Fields::Named(_)),
            members,
        }
    }
}

fn member<'a>(
    owner: &DeriveInput,
    index: u32,
    field: &'a Field,
    errors: &mut Errors,
) -> MemberModel<'a> {
    let MemberAttrs { skip, was } = MemberAttrs::parse(&field.attrs, errors);
    let (skipped, was) = (skip.is_some(), was.unwrap_or_default());
    if skipped && let Some(name) = was.first() {
        errors.add(name, "a member with `skip` does not travel: remove `was`");
    }
    let synchronised = field_type::find_synchronised(&field.ty);
    if let Some((found, name)) = synchronised.filter(|_| !skipped) {
        let message = format!(
            "a `{name}` cannot be inside a value, which travels as a whole: write `{}` here, or make this a field \
             of the behaviour",
            collection::plain_of(found)
        );
        errors.add(found, message);
    }
    let borrows = owner.generics.lifetimes().next().is_some();
    if !skipped && field_type::mentions(&field.ty, &owner.ident) {
        errors.add(
            &field.ty,
            "a value cannot contain its own type, since its schema would be infinite: refer to the inner value by an index",
        );
    } else if !skipped
        && !borrows
        && let Err(error) = field_type::refuse_immovable(&field.ty)
    {
        errors.add_error(error);
    }
    let member = match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index {
            index,
            span: field.ty.span(),
        }),
    };
    MemberModel {
        member,
        ty: &field.ty,
        was,
        skipped,
    }
}

/// Refuses `skip` on members of variants.
fn refuse_skips(fields: &Fields, errors: &mut Errors) {
    for field in fields {
        if let Some(skip) = MemberAttrs::parse(&field.attrs, &mut Errors::default()).skip {
            errors.add_error(syn::Error::new(
                skip,
                "a member of a variant cannot be skipped: it would be lost when the variant changes; keep it in a \
                 struct beside the enum",
            ));
        }
    }
}
