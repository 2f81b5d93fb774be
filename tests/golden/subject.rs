//! A behaviour under test, whatever its type.

use syncvar::{
    BehaviourList, NetId, NetworkBehaviour, NetworkClient, NetworkReader, NetworkServer,
    NetworkWriter, ReadError,
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
        NetworkBehaviour::set_dirty_bit(self, dirty_bits);
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
            self.call_hooks(previous);
        }
        Ok(())
    }

    fn join(self: Box<Self>, list: BehaviourList) -> BehaviourList {
        list.with(*self)
    }
}

/// How to make and to reach a behaviour of one Rust type.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    edit: fn(&mut NetworkServer, NetId, usize, &mut dyn FnMut(&mut dyn Subject)) -> bool,
    view: fn(&NetworkClient, NetId, usize, &mut dyn FnMut(&dyn Subject)) -> bool,
}

impl Access {
    pub(crate) fn to<B: Cells>() -> Self {
        Self {
            edit: |server, id, index, action| {
                let behaviour = server.get_mut_at::<B>(id, index);
                behaviour
                    .map(|mut behaviour| action(&mut *behaviour))
                    .is_some()
            },
            view: |client, id, index, action| {
                client
                    .get_at::<B>(id, index)
                    .map(|behaviour| action(behaviour))
                    .is_some()
            },
        }
    }

    /// Does something to a behaviour on the server, and says whether there is one.
    pub(crate) fn edit(
        self,
        server: &mut NetworkServer,
        (id, index): (NetId, usize),
        action: &mut dyn FnMut(&mut dyn Subject),
    ) -> bool {
        (self.edit)(server, id, index, action)
    }

    /// Looks at a behaviour on the client, and says whether there is one.
    pub(crate) fn view(
        self,
        client: &NetworkClient,
        (id, index): (NetId, usize),
        action: &mut dyn FnMut(&dyn Subject),
    ) -> bool {
        (self.view)(client, id, index, action)
    }
}
