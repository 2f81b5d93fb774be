//! Variants by name.

use super::members::find;
use super::{TypeRefusal, Types};
use crate::schema::{SchemaMember, SchemaVariant};
use crate::translate::conversion::{VariantConversion, VariantFit, Variants};

impl Types<'_> {
    pub(super) fn variants(
        &self,
        from: &[SchemaVariant],
        to: &[SchemaVariant],
    ) -> Result<Variants, TypeRefusal> {
        let has_data =
            |variants: &[SchemaVariant]| variants.iter().any(|it| !it.members.is_empty());
        let (from_data, to_data) = (has_data(from), has_data(to));
        let convert = |variant: &SchemaVariant| {
            let own = to.iter().map(|it| &it.names);
            let at = find(&variant.names, own, from.iter().map(|it| &it.names));
            let found = at.and_then(|at| Some((at, to.get(at)?, VariantFit::Known)));
            let (at, target, fit) = match found {
                Some(found) => found,
                None => self.place_of_unknown(to)?,
            };
            let members = match fit {
                VariantFit::Known => self.members(&variant.members, &target.members, None),
                VariantFit::Other | VariantFit::Unknown => {
                    self.members(&unnamed(&variant.members), &target.members, None)
                }
            };
            let members =
                members.map_err(|refusal| super::members::within(&variant.names, &refusal))?;
            Ok(VariantConversion {
                number: variant.number,
                to: if to_data {
                    i64::try_from(at).unwrap_or_default()
                } else {
                    target.number
                },
                fit,
                members,
            })
        };
        Ok(Variants {
            variants: from.iter().map(convert).collect::<Result<_, _>>()?,
            from_data,
            to_data,
        })
    }

    /// Returns the variant that takes the place of unknown variants; where none is marked, a variant for the bytes of a value
    /// that is dropped.
    fn place_of_unknown<'v>(
        &self,
        to: &'v [SchemaVariant],
    ) -> Result<(usize, &'v SchemaVariant, VariantFit), TypeRefusal> {
        let other = to.iter().enumerate().find(|(_, it)| it.is_other);
        if let Some((at, variant)) = other {
            return Ok((at, variant, VariantFit::Other));
        }
        let has_zero = |variant: &SchemaVariant| {
            let zero =
                |member: &SchemaMember| Some(self.layout(&member.value).ok()?.zero().is_some());
            variant
                .members
                .iter()
                .all(|member| zero(member) == Some(true))
        };
        let place = to.iter().enumerate().find(|(_, it)| has_zero(it));
        let (at, variant) = place.ok_or_else(|| {
            TypeRefusal("an enum without a variant in the place of unknown variants".into())
        })?;
        Ok((at, variant, VariantFit::Unknown))
    }
}

/// Returns members without names, which the reader skips.
fn unnamed(members: &[SchemaMember]) -> Vec<SchemaMember> {
    let members = members.iter().map(|member| SchemaMember {
        names: crate::schema::Names::default(),
        value: member.value.clone(),
    });
    members.collect()
}
