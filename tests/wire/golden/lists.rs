//! The lists of an object, to which UNet's list messages are given.

use syncvar::{unet::ListHash, wire::NetworkReader};

use super::Check;
use super::cell::Cell;
use super::class::Class;
use super::subject::Subject;

pub(crate) struct Lists(Vec<(ListHash, Box<dyn Cell>)>);

impl Lists {
    /// Copies of the lists of these behaviours.
    pub(crate) fn of<'a>(behaviours: impl Iterator<Item = (&'a Class, &'a dyn Subject)>) -> Self {
        let lists = behaviours.flat_map(|(class, subject)| {
            let copies = class.fields.iter().filter_map(|field| {
                let copy = field.copy_of_list(subject)?;
                Some((field.list_hash(), copy))
            });
            copies.collect::<Vec<_>>()
        });
        Self(lists.collect())
    }

    /// Does what a message says.
    pub(crate) fn take(&mut self, payload: &[u8], check: &mut Check) {
        let address = ListHash::peek(&NetworkReader::new(payload));
        let list = self
            .0
            .iter_mut()
            .find(|(hash, _)| address.as_ref().is_ok_and(|(_, wanted)| wanted == hash));
        let done = match list {
            Some((_, list)) => list.operate(payload),
            None => Err("no such list".into()),
        };
        if let Err(error) = done {
            check.fault("list message", "one that can be applied", error);
        }
    }

    pub(crate) fn show(&self) -> String {
        let lists = self.0.iter().map(|(_, list)| list.show());
        lists.collect::<Vec<_>>().join("; ")
    }
}
