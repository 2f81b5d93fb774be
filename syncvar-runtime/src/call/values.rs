//! Arguments of a call as values.

use super::CallError;
use crate::route::RoutedCall;
use crate::untyped::{Value, write_arguments};

impl RoutedCall {
    /// Writes the arguments, given as values.
    ///
    /// # Errors
    ///
    /// When a value does not fit its argument, or has no form on the wire.
    pub fn write_values(&mut self, arguments: &[Value]) -> Result<(), CallError> {
        for writer in &mut self.writers {
            writer.at_behaviour(Some(self.place.name));
            let written = write_arguments(self.place.schema.arguments, arguments, writer);
            written.map_err(|error| CallError::Argument(error.to_string()))?;
            if let Some(error) = writer.take_error() {
                return Err(error.into());
            }
        }
        Ok(())
    }
}
