//! A behaviour under test, whatever its type.

use std::marker::PhantomData;
use std::time::Duration;

use syncvar::{
    NetId, NetworkBehaviour, NetworkContext, NetworkIdentity, NetworkServer,
    behaviour::{BehaviourFields, BehaviourList},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::cell::Cell;

/// A behaviour whose fields can be looked at by name, in the order of their bits.
pub(crate) trait Cells: NetworkBehaviour {
    fn cells(&self) -> Vec<(&str, &dyn Cell)>;
    fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)>;

    /// How many fields each class level has, bases first; levels without fields are left out.
    fn levels(&self) -> Vec<usize> {
        let mut levels = Vec::new();
        let mut level = Some(&Self::SCHEMA);
        while let Some(schema) = level {
            levels.push(schema.fields.len());
            level = schema.base;
        }
        levels.retain(|field_count| *field_count > 0);
        levels.reverse();
        levels
    }

    /// The hooks that have been called since this was last asked, with the previous values.
    fn take_hook_log(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// What [`Cells`] and its supertrait offer, without the type.
pub(crate) trait Subject: Send {
    fn dirty_bits(&self) -> u64;
    fn set_dirty_bit(&mut self, dirty_bits: u64);
    fn clear_dirty_bits(&mut self);
    fn cells(&self) -> Vec<(&str, &dyn Cell)>;
    fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)>;
    fn levels(&self) -> Vec<usize>;
    fn take_hook_log(&mut self) -> Vec<String>;

    /// The channel and the send interval.
    fn settings(&self) -> (u8, Duration);

    /// The writer afterwards, and what `on_serialize` returned.
    fn serialize(&mut self, initial_state: bool) -> (NetworkWriter, bool);

    /// Reads, and calls the hooks, which an initial state has none of.
    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError>;

    /// Puts the behaviour at the end of an object's list.
    fn join(self: Box<Self>, list: BehaviourList) -> BehaviourList;
}

impl<B: Cells> Subject for B {
    fn dirty_bits(&self) -> u64 {
        self.sync_var_dirty_bits()
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        BehaviourFields::set_dirty_bit(self, dirty_bits);
    }

    fn clear_dirty_bits(&mut self) {
        self.clear_all_dirty_bits();
    }

    fn cells(&self) -> Vec<(&str, &dyn Cell)> {
        Cells::cells(self)
    }

    fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)> {
        Cells::cells_mut(self)
    }

    fn levels(&self) -> Vec<usize> {
        Cells::levels(self)
    }

    fn take_hook_log(&mut self) -> Vec<String> {
        Cells::take_hook_log(self)
    }

    fn settings(&self) -> (u8, Duration) {
        (B::INFO.channel, B::INFO.send_interval)
    }

    fn serialize(&mut self, initial_state: bool) -> (NetworkWriter, bool) {
        let mut writer = NetworkWriter::new();
        let returned = self.on_serialize(&mut writer, initial_state);
        (writer, returned)
    }

    fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let previous = self.on_deserialize(reader, initial_state)?;
        if !initial_state {
            NetworkContext::detached(|ctx| self.call_hooks(previous, ctx));
        }
        Ok(())
    }

    fn join(self: Box<Self>, list: BehaviourList) -> BehaviourList {
        list.with(*self)
    }
}

/// What a behaviour must write as its delta: each class level's mask, and behind it the dirty
/// fields. Those are written one by one, not by the behaviour's own code.
pub(crate) fn expected_delta(subject: &dyn Subject) -> Vec<u8> {
    let dirty_bits = subject.dirty_bits();
    let mut cells = (0..).zip(subject.cells());
    let mut writer = NetworkWriter::new();
    for field_count in subject.levels() {
        writer.write_packed_u64(dirty_bits);
        for (index, (_, cell)) in cells.by_ref().take(field_count) {
            if dirty_bits >> index & 1 == 1 {
                cell.write_change(&mut writer);
            }
        }
    }
    writer.as_bytes().to_vec()
}

/// How to reach a behaviour of one Rust type on an object.
pub(crate) trait Reach: Send + Sync {
    /// Changes a behaviour on the server.
    ///
    /// Panics when there is none.
    fn edit(
        &self,
        server: &mut NetworkServer,
        place: (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    );

    fn view<'a>(&self, identity: NetworkIdentity<'a>, index: usize) -> Option<&'a dyn Subject>;
}

struct Typed<B>(PhantomData<fn() -> B>);

/// The way to behaviours of this type.
pub(crate) fn reach<B: Cells>() -> &'static dyn Reach {
    &Typed::<B>(PhantomData)
}

impl<B: Cells> Reach for Typed<B> {
    fn edit(
        &self,
        server: &mut NetworkServer,
        (id, index): (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) {
        let behaviour = server.get_mut_at::<B>(id, index);
        action(&mut *behaviour.expect("a behaviour of this type"));
    }

    fn view<'a>(&self, identity: NetworkIdentity<'a>, index: usize) -> Option<&'a dyn Subject> {
        Some(identity.behaviour_at::<B>(index)?)
    }
}
