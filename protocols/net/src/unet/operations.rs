//! `UnetOperations`: pending changes of a list as UNet's operations.

use crate::ListOperation;
use syncvar_runtime::field::ListEdit;
use syncvar_runtime::{SyncList, SyncValue};

/// Pending changes of a list as UNet's operations.
pub trait UnetOperations<T> {
    /// Returns the changes since the last send, or since [`clear_dirty`](SyncList::clear_dirty). UNet sends
    /// one [`SyncListMessage`](crate::SyncListMessage) per operation. Applied in order to the earlier
    /// list, they produce the current one.
    ///
    /// The list records differences, not calls. Every removal is a `RemoveAt`. Repeated writes to a
    /// position are one `Set`. A clear discards earlier operations. A list without a sent state is a
    /// `Clear` and one `Add` per element. `Remove` and `Dirty` never occur.
    ///
    /// Call it before the [`NetworkServer`](crate::NetworkServer)'s update, which clears the changes.
    ///
    /// ```
    /// use syncvar::{SyncList, unet::{ListOperation, UnetOperations}};
    ///
    /// let mut list = SyncList::from(["axe".to_string()]);
    /// list.clear_dirty();
    /// list.push("bow".into());
    /// list.retain(|item| item != "axe");
    /// let operations = list.unet_operations();
    /// let add = ListOperation::Add { index: 1, value: "bow".into() };
    /// assert_eq!(operations, [add, ListOperation::RemoveAt { index: 0 }]);
    /// ```
    fn unet_operations(&self) -> Vec<ListOperation<T>>;
}

impl<T: SyncValue> UnetOperations<T> for SyncList<T> {
    fn unet_operations(&self) -> Vec<ListOperation<T>> {
        self.pending_edits().into_iter().map(Into::into).collect()
    }
}

impl<T> From<ListEdit<T>> for ListOperation<T> {
    fn from(edit: ListEdit<T>) -> Self {
        match edit {
            ListEdit::Add { index, value } => Self::Add { index, value },
            ListEdit::Clear => Self::Clear,
            ListEdit::Insert { index, value } => Self::Insert { index, value },
            ListEdit::RemoveAt { index } => Self::RemoveAt { index },
            ListEdit::Set { index, value } => Self::Set { index, value },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ListOperation, UnetOperations};
    use syncvar_runtime::SyncList;

    /// Returns two equal lists of the numbers below 20.
    fn pair() -> (SyncList<i32>, SyncList<i32>) {
        let mut list: SyncList<i32> = (0..20).collect();
        list.clear_dirty();
        (list.clone(), list)
    }

    type Change = (&'static str, fn(&mut SyncList<i32>));

    // checklist: M5
    #[test]
    fn list_changes_fit_the_operations_of_unet() {
        let changes: &[Change] = &[
            ("push", |list| list.push(5)),
            ("insert", |list| list.insert(3, 5)),
            ("pop", |list| {
                list.pop();
            }),
            ("remove", |list| {
                list.remove(4);
            }),
            ("swap_remove", |list| {
                list.swap_remove(2);
            }),
            ("set", |list| {
                list.set(9, -1);
            }),
            ("for_each_mut", |list| list.for_each_mut(|item| *item *= 2)),
            ("swap", |list| list.swap(1, 8)),
            ("clear", SyncList::clear),
            ("truncate", |list| list.truncate(3)),
            ("resize", |list| list.resize(33, 7)),
            ("shorter", |list| drop(list.splice(2..7, [1, 2]))),
            ("longer", |list| drop(list.splice(2..4, [1, 2, 3, 4]))),
            ("at the end", |list| drop(list.splice(8.., [1, 2, 3, 4]))),
            ("retain", |list| list.retain(|item| item % 3 == 1)),
            ("reverse", SyncList::reverse),
            ("update", |list| list.update(|items| items.rotate_left(3))),
            ("set_dirty", SyncList::set_dirty),
            ("clear and push", |list| {
                list.clear();
                list.push(1);
            }),
        ];
        for (name, first) in changes {
            for (next_name, next) in changes {
                let (mut former, mut list) = pair();
                first(&mut list);
                if list.len() > 9 {
                    next(&mut list);
                }
                let operations = list.unet_operations();
                assert_eq!(operations.is_empty(), !list.is_dirty(), "{name}");
                for operation in operations {
                    if let ListOperation::Add { index, .. } = operation {
                        assert_eq!(index, former.len(), "{name}, {next_name}");
                    }
                    operation.apply(&mut former).expect("it makes sense");
                }
                assert_eq!(former, list, "{name}, {next_name}");
            }
        }
    }

    #[test]
    fn clean_list_has_no_operations() {
        let (_, list) = pair();
        assert_eq!(list.unet_operations(), []);
        assert_eq!(SyncList::from([1]).unet_operations(), [], "never sent");
    }
}
