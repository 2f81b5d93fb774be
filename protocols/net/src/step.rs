//! `Group`: objects in one step, on a server and in a prediction.

use std::any::{Any, TypeId};
use std::fmt;

use syncvar_runtime::motion::Inputs;
use syncvar_runtime::{NetId, NetworkBehaviour, SyncValue};

/// Objects of one end during a step.
pub(crate) trait GroupSide {
    /// Returns the first behaviour of a type on an object of the group.
    fn behaviour(&mut self, id: NetId, behaviour: TypeId) -> Option<&mut dyn Any>;

    /// Returns the inputs of an object's owner, as far as this end knows them, and whether the held one counts.
    fn inputs(&mut self, id: NetId, tick: u64) -> Option<(&dyn Any, bool)>;
}

/// Objects that step together: [`NetworkServer::step_group`](crate::NetworkServer::step_group) and
/// [`NetworkClient::predict_group`](crate::NetworkClient::predict_group).
pub struct Group<'a> {
    side: &'a mut dyn GroupSide,
    tick: u64,
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Group");
        text.field("tick", &self.tick).finish_non_exhaustive()
    }
}

impl<'a> Group<'a> {
    pub(crate) fn new(side: &'a mut dyn GroupSide, tick: u64) -> Self {
        Self { side, tick }
    }

    /// Returns the first behaviour of a type on an object of the group.
    pub fn get_mut<B: NetworkBehaviour>(&mut self, id: NetId) -> Option<&mut B> {
        let behaviour = self.side.behaviour(id, TypeId::of::<B>())?;
        behaviour.downcast_mut()
    }

    /// Returns the input of an object's owner in the tick of the step: a known one, or the last one before. `None` for
    /// an object without an owner. A client knows its own inputs only.
    pub fn input<M: SyncValue>(&mut self, id: NetId) -> Option<M> {
        let tick = self.tick;
        let (inputs, is_held) = self.side.inputs(id, tick)?;
        let inputs: &Inputs<M> = inputs.downcast_ref()?;
        let known = if is_held {
            inputs.held()
        } else {
            inputs.at(tick)
        };
        known.or_else(|| inputs.before(tick)).cloned()
    }

    /// Returns the tick of the step.
    pub fn tick(&self) -> u64 {
        self.tick
    }
}
