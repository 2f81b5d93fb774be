//! Members by name.

use super::{TypeRefusal, Types};
use crate::schema::{Names, SchemaMember};
use crate::translate::conversion::{MembersConversion, Step};
use crate::translate::layout::StructLayout;
use crate::value::{StructValue, Value};

impl Types<'_> {
    /// Returns the conversion of the members of a struct, a variant or a call.
    ///
    /// # Errors
    ///
    /// When a member cannot be converted, skipped or inserted.
    pub fn members(
        &self,
        from: &[SchemaMember],
        to: &[SchemaMember],
        present: Option<&StructValue>,
    ) -> Result<MembersConversion, TypeRefusal> {
        let mut taken = Vec::new();
        let mut steps = Vec::new();
        for member in to {
            let present = present.and_then(|present| present.get(&member.names.name));
            let theirs = from.iter().map(|it| &it.names);
            let at = find(&member.names, theirs, to.iter().map(|it| &it.names));
            let found = at.and_then(|at| Some((at, from.get(at)?)));
            let step = match found {
                Some((at, found)) => {
                    taken.push(at);
                    let value = self.convert(&found.value, &member.value, present);
                    Step::Take(
                        at,
                        value.map_err(|refusal| within(&member.names, &refusal))?,
                    )
                }
                None => self.insert(member, present)?,
            };
            steps.push(step);
        }
        if !taken.is_sorted() {
            let names = from.iter().map(|it| it.names.name.as_str().into());
            let layouts = from.iter().map(|it| self.layout(&it.value));
            let layouts: Vec<_> = layouts.collect::<Result<_, _>>()?;
            return Ok(MembersConversion {
                steps,
                permuted: Some(StructLayout::new(names.zip(layouts))),
            });
        }
        Ok(MembersConversion {
            steps: self.with_skips(from, steps)?,
            permuted: None,
        })
    }

    /// Adds the members of the writer that the reader lacks, at their places.
    fn with_skips(
        &self,
        from: &[SchemaMember],
        steps: Vec<Step>,
    ) -> Result<Vec<Step>, TypeRefusal> {
        let mut all = Vec::new();
        let mut next = 0;
        for step in steps {
            if let Step::Take(at, _) = &step {
                for skipped in from.get(next..*at).unwrap_or_default() {
                    all.push(Step::Skip(self.layout(&skipped.value)?));
                }
                next = at + 1;
            }
            all.push(step);
        }
        for skipped in from.get(next..).unwrap_or_default() {
            all.push(Step::Skip(self.layout(&skipped.value)?));
        }
        Ok(all)
    }

    /// Inserts a member that the writer lacks: the value of the prefab, or 0.
    fn insert(&self, member: &SchemaMember, present: Option<&Value>) -> Result<Step, TypeRefusal> {
        let layout = self.layout(&member.value)?;
        // Also for a member with a value in the prefab, so that a comparison of two texts has the same result.
        let zero = layout.zero().ok_or_else(|| {
            let (name, value) = (&member.names.name, &member.value);
            TypeRefusal(format!(
                "`{name}: {value}` has no value where it is missing"
            ))
        })?;
        let value = present.cloned().unwrap_or(zero);
        let left = self.inserted.get().checked_sub(value.memory());
        let left = left.ok_or_else(|| {
            TypeRefusal("too much memory for values in the place of missing members".into())
        })?;
        self.inserted.set(left);
        Ok(Step::Insert(value, layout))
    }
}

/// Returns the position of a part in the second build: by its present name first, then by a former name of either part. A part
/// whose present name the first build has too belongs to that part, and to no former name.
pub fn find<'n>(
    names: &Names,
    mut second: impl Iterator<Item = &'n Names> + Clone,
    first: impl Iterator<Item = &'n Names>,
) -> Option<usize> {
    let same = second.clone().position(|it| it.name == names.name);
    same.or_else(|| {
        let taken: Vec<&str> = first.map(|own| own.name.as_str()).collect();
        let is_free = |it: &Names| !taken.contains(&it.name.as_str());
        second.position(|it| it.matches(names) && is_free(it))
    })
}

/// Names the member of a refused type.
pub(super) fn within(names: &Names, refusal: &TypeRefusal) -> TypeRefusal {
    TypeRefusal(format!("in `{}`, {refusal}", names.name))
}
