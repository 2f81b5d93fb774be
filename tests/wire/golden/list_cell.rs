//! UNet's lists as fields. Rows M5 and M17 to M20: those of the five built-in types, and one of a
//! struct.

use syncvar::{
    SyncField, SyncList,
    unet::SyncListMessage,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::cell::Cell;
use super::classes::Buf;
use super::recorded::Recorded;
use super::rule::Rule;
use syncvar_testing::golden::Json;

/// An element of one of UNet's lists.
pub(crate) trait Listed: Recorded + PartialEq + Default {
    /// The recorder's name of the list.
    const LIST: &'static str;
}

/// Something that is done for whatever type the elements of a list have.
pub(crate) trait ForElement {
    type Output;
    fn run<T: Listed>(self) -> Self::Output;
}

macro_rules! lists {
    ($($list:ident $element:ty;)*) => {
        $(impl Listed for $element {
            const LIST: &'static str = stringify!($list);
        })*

        /// Does something for the elements of the list that the recorder calls so.
        pub(crate) fn with_element<A: ForElement>(kind: &str, action: A) -> Option<A::Output> {
            match kind {
                $(<$element>::LIST => Some(action.run::<$element>()),)*
                _ => None,
            }
        }
    };
}

lists! {
    SyncListInt i32;
    SyncListUInt u32;
    SyncListFloat f32;
    SyncListBool bool;
    SyncListString String;
    BufList Buf;
}

/// An empty list that the recorder calls so.
pub(crate) fn find(kind: &str) -> Option<Box<dyn Cell>> {
    struct Make;

    impl ForElement for Make {
        type Output = Box<dyn Cell>;

        fn run<T: Listed>(self) -> Self::Output {
            Box::new(SyncList::<T>::new())
        }
    }

    with_element(kind, Make)
}

impl<T: Listed> Cell for SyncList<T> {
    fn is_of(&self, kind: &str) -> bool {
        kind == T::LIST
    }

    fn is_list(&self) -> bool {
        true
    }

    fn operate(&mut self, payload: &[u8]) -> Result<(), String> {
        let message = SyncListMessage::<T>::read(&mut NetworkReader::new(payload));
        let operation = message.map_err(|error| error.to_string())?.operation;
        let changed = operation.apply(self).map_err(|error| error.to_string());
        changed.map(drop)
    }

    /// Changes what differs.
    fn assign(&mut self, json: &Json) -> Result<(), Rule> {
        let items = T::list_from_json(json)?;
        self.update(|former| *former = items);
        Ok(())
    }

    fn store(&mut self, json: &Json) -> Result<(), Rule> {
        *self = T::list_from_json(json)?.into();
        self.clear_dirty();
        Ok(())
    }

    fn show(&self) -> String {
        self.to_vec().show()
    }

    fn is_dirty(&self) -> bool {
        self.is_dirty()
    }

    fn set_dirty(&mut self) {
        self.set_dirty();
    }

    fn clear_dirty(&mut self) {
        self.clear_dirty();
    }

    fn write(&self, writer: &mut NetworkWriter) {
        SyncField::write_full(self, writer);
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        SyncField::read_full(self, reader)
    }

    fn write_change(&self, writer: &mut NetworkWriter) {
        SyncField::write_delta(self, writer);
    }

    fn read_change(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        SyncField::read_delta(self, reader)
    }
}
