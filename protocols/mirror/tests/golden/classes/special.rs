//! Classes that decide their bytes themselves.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    behaviour::{BehaviourInfo, FieldVisitor},
    schema::BehaviourSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};
use syncvar_runtime::LayoutHooks;

use crate::golden::member::Member;
use crate::golden::subject::Subject;

#[derive(NetworkBehaviour)]
pub(crate) struct OneVar {
    #[sync_var]
    v: SyncVar<i32>,
}

impl Default for OneVar {
    fn default() -> Self {
        Self { v: 9.into() }
    }
}

/// Overrides `OnSerialize`, and calls that of its base: a number of its own goes behind.
pub(crate) struct CustomSer {
    base: OneVar,
    pub(crate) custom: u16,
}

impl Default for CustomSer {
    fn default() -> Self {
        Self {
            base: OneVar::default(),
            custom: 0xbeef,
        }
    }
}

/// Overrides `OnSerialize`, and does not call that of its base.
#[derive(Default)]
pub(crate) struct CustomSerNoBase {
    base: OneVar,
}

/// What is the same for both: everything but their bytes.
macro_rules! by_its_base {
    () => {
        const SCHEMA: BehaviourSchema = OneVar::SCHEMA;
        const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.own_layout();

        fn sync_var_dirty_bits(&self) -> u64 {
            self.base.sync_var_dirty_bits()
        }
    };
}

impl NetworkBehaviour for CustomSer {
    type Previous = LayoutHooks<OneVar>;
    by_its_base!();

    fn visit(&mut self, previous: &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        self.base.visit(previous.values_mut(), visitor);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let written = writer.write_layout(&mut self.base, initial_state);
        writer.write_bytes(&self.custom.to_le_bytes());
        written
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Self::Previous, ReadError> {
        let hooks = reader.read_layout(&mut self.base, initial_state)?;
        let bytes = reader.read_bytes(2)?.try_into().expect("two bytes");
        self.custom = u16::from_le_bytes(bytes);
        Ok(hooks)
    }

    fn call_hooks(&mut self, previous: Self::Previous, ctx: &mut NetworkContext<'_>) {
        previous.call(&mut self.base, ctx);
    }
}

impl NetworkBehaviour for CustomSerNoBase {
    type Previous = ();
    by_its_base!();

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        self.base.visit(&mut Default::default(), visitor);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        writer.write(&initial_state);
        writer.write(&"hi".to_string());
        true
    }

    fn on_deserialize(&mut self, reader: &mut NetworkReader<'_>, _: bool) -> Result<(), ReadError> {
        reader.read::<bool>()?;
        reader.read::<String>()?;
        Ok(())
    }
}

/// Their variable is that of the base.
macro_rules! subjects_of_the_base {
    ($($class:ident)*) => {$(
        impl Subject for $class {
            fn members(&self) -> Vec<(&'static str, &dyn Member)> {
                vec![("v", &self.base.v)]
            }

            fn members_mut(&mut self) -> Vec<(&'static str, &mut dyn Member)> {
                vec![("v", &mut self.base.v)]
            }
        }
    )*};
}

subjects_of_the_base! { CustomSer CustomSerNoBase }
