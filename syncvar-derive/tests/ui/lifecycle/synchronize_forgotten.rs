use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Chest {
    colour: u32,
}

impl Synchronize for Chest {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        serializer.serialize_value(&mut self.colour)
    }
}

fn main() {}
