//! Classes that decide their bytes themselves.

use syncvar::prelude::*;
use syncvar::{BehaviourSchema, NetworkReader, NetworkWriter, ReadError};
use syncvar_runtime::SectionHooks;

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
        const SECTIONS: bool = false;

        fn sync_var_dirty_bits(&self) -> u64 {
            self.base.sync_var_dirty_bits()
        }

        fn set_dirty_bit(&mut self, dirty_bits: u64) {
            self.base.set_dirty_bit(dirty_bits);
        }

        fn clear_all_dirty_bits(&mut self) {
            self.base.clear_all_dirty_bits();
        }
    };
}

impl NetworkBehaviour for CustomSer {
    type Previous = SectionHooks<OneVar>;
    by_its_base!();

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let written = writer.write_sections(&mut self.base, initial_state);
        writer.write_bytes(&self.custom.to_le_bytes());
        written
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Self::Previous, ReadError> {
        let hooks = reader.read_sections(&mut self.base, initial_state)?;
        let bytes = reader.read_bytes(2)?.try_into().expect("two bytes");
        self.custom = u16::from_le_bytes(bytes);
        Ok(hooks)
    }

    fn call_hooks(&mut self, previous: Self::Previous) {
        previous.call(&mut self.base);
    }
}

impl NetworkBehaviour for CustomSerNoBase {
    type Previous = ();
    by_its_base!();

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
