//! A class with a generic base: Mirror counts the bits of such a class from 0 again, so that they are
//! those of its base too. What is dirty in one of them is sent of both.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    schema::BehaviourSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};
use syncvar_runtime::{BehaviourInfo, FieldVisitor, LayoutHooks};

use crate::golden::member::Member;
use crate::golden::subject::{Subject, subjects};

/// `GenBase<string>`
#[derive(NetworkBehaviour, Default)]
pub(crate) struct GenBase {
    #[sync_var]
    gen_a: SyncVar<i32>,
    #[sync_var]
    gen_b: SyncVar<i32>,
}

/// What `GenLeaf` declares itself.
#[derive(NetworkBehaviour)]
pub(crate) struct GenOwn {
    #[sync_var]
    leaf_a: SyncVar<i32>,
    #[sync_var]
    leaf_b: SyncVar<i32>,
}

impl Default for GenOwn {
    fn default() -> Self {
        Self {
            leaf_a: 21.into(),
            leaf_b: 22.into(),
        }
    }
}

/// Both, with the bits of each other.
#[derive(Default)]
pub(crate) struct GenLeaf {
    base: GenBase,
    own: GenOwn,
}

/// The mask of the collections, of which there are none.
const NO_COLLECTIONS: [u8; 8] = [0; 8];

impl NetworkBehaviour for GenLeaf {
    type Previous = (LayoutHooks<GenBase>, LayoutHooks<GenOwn>);
    const SCHEMA: BehaviourSchema = GenBase::SCHEMA;
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.own_layout();

    fn sync_var_dirty_bits(&self) -> u64 {
        self.base.sync_var_dirty_bits() | self.own.sync_var_dirty_bits()
    }

    fn visit(&mut self, (base, own): &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        self.base.visit(base.values_mut(), visitor);
        self.own.visit(own.values_mut(), visitor);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        self.set_dirty_bit(self.sync_var_dirty_bits());
        writer.write_layout(&mut self.base, initial_state);
        let start = writer.len();
        writer.write_layout(&mut self.own, initial_state);
        if !initial_state {
            // One mask of collections is enough.
            let own = writer.as_bytes()[start + NO_COLLECTIONS.len()..].to_vec();
            writer.truncate(start);
            writer.write_bytes(&own);
        }
        true
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Self::Previous, ReadError> {
        let base = reader.read_layout(&mut self.base, initial_state)?;
        if initial_state {
            return Ok((base, reader.read_layout(&mut self.own, true)?));
        }
        let rest = reader.read_bytes(reader.remaining())?;
        let own = [&NO_COLLECTIONS, rest].concat();
        let mut own = NetworkReader::with_encoding(&own, reader.encoding());
        let hooks = own.read_layout(&mut self.own, false)?;
        own.finish()?;
        Ok((base, hooks))
    }

    fn call_hooks(&mut self, (base, own): Self::Previous, ctx: &mut NetworkContext<'_>) {
        base.call(&mut self.base, ctx);
        own.call(&mut self.own, ctx);
    }
}

subjects! {
    GenBase [gen_a gen_b];
    GenOwn [leaf_a leaf_b];
}

impl Subject for GenLeaf {
    fn members(&self) -> Vec<(&'static str, &dyn Member)> {
        [self.base.members(), self.own.members()].concat()
    }

    fn members_mut(&mut self) -> Vec<(&'static str, &mut dyn Member)> {
        let (base, own) = (self.base.members_mut(), self.own.members_mut());
        base.into_iter().chain(own).collect()
    }
}
