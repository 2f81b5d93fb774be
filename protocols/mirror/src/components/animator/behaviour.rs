//! An animator as a behaviour.

use syncvar_runtime::behaviour::{Frame, NetworkFrame};
use syncvar_runtime::{
    BehaviourInfo, BehaviourSchema, Encoding, FieldSchema, FieldVisitor, NetworkBehaviour,
    NetworkContext, NetworkReader, NetworkWriter, ReadResult, SyncVar,
};

use super::NetworkAnimator;
use super::calls::{PARAMETERS, SPEED, STATE, TO_CLIENTS, write_blob, write_state};

/// Smallest change of the speed that is sent.
const SENSITIVITY: f32 = 0.001;

impl NetworkBehaviour for NetworkAnimator {
    type Previous = ();

    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "NetworkAnimator",
        base: None,
        fields: &[FieldSchema::of::<SyncVar<f32>>("animatorSpeed")],
    };

    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT
        .own_layout()
        .context_hooks(true)
        .calls::<Self>()
        .frame::<Self>();

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.animator_speed.is_dirty())
    }

    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "NetworkAnimator.animatorSpeed", &mut self.animator_speed);
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            writer.write_f32(*self.animator_speed);
            self.layers.write(writer);
            self.parameters.write_all(writer);
            return true;
        }
        let mask = self.sync_var_dirty_bits();
        // No collections.
        writer.write_u64(0);
        writer.write_var_u64(mask);
        if mask != 0 {
            writer.write_f32(*self.animator_speed);
        }
        true
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        if initial_state {
            self.animator_speed.read_full(reader)?;
            if self.layers.read(reader)? {
                self.parameters.read(reader)?;
            }
            return Ok(());
        }
        reader.read_u64()?;
        if reader.read_var_u64()? & 1 == 1 {
            self.animator_speed.read_full(reader)?;
        }
        Ok(())
    }

    fn call_hooks(&mut self, (): (), ctx: &mut NetworkContext<'_>) {
        let owner_writes = ctx.sync_settings().is_some_and(|it| it.owner_writes);
        let is_writer = ctx.is_server() || owner_writes && ctx.is_owner();
        if !is_writer {
            self.speed = *self.animator_speed;
        }
    }
}

impl NetworkFrame for NetworkAnimator {
    fn on_frame(&mut self, frame: &mut Frame<'_>) {
        let (role, settings) = (frame.role(), frame.settings());
        let has_writing_owner = settings.owner_writes && role.is_owned;
        let is_writer = if role.is_server {
            !has_writing_owner
        } else {
            has_writing_owner && role.is_ready
        };
        if !is_writer {
            self.outgoing.clear();
            return;
        }
        for trigger in std::mem::take(&mut self.outgoing) {
            let (number, arguments) = trigger.call();
            send(frame, number, &arguments);
        }
        if !self.enabled {
            return;
        }
        self.send_parameters(frame);
        self.send_layers(frame);
        self.send_speed(frame);
    }
}

impl NetworkAnimator {
    fn send_parameters(&mut self, frame: &mut Frame<'_>) {
        let now = frame.time().now;
        if now <= self.next_send {
            return;
        }
        self.next_send = now + f64::from(frame.settings().interval);
        let mut parameters = NetworkWriter::with_encoding(Encoding::Mirror);
        if self.parameters.write_changed(&mut parameters) {
            let mut arguments = NetworkWriter::with_encoding(Encoding::Mirror);
            write_blob(&mut arguments, &parameters);
            send(frame, PARAMETERS, &arguments);
        }
    }

    fn send_layers(&mut self, frame: &mut Frame<'_>) {
        for change in self.layers.take_changes() {
            let mut parameters = NetworkWriter::with_encoding(Encoding::Mirror);
            self.parameters.write_changed(&mut parameters);
            send(frame, STATE, &write_state(&change, &parameters));
        }
    }

    fn send_speed(&mut self, frame: &mut Frame<'_>) {
        if (self.previous_speed - self.speed).abs() <= SENSITIVITY {
            return;
        }
        self.previous_speed = self.speed;
        if frame.role().is_server {
            self.animator_speed.set(self.speed);
        } else {
            let mut arguments = NetworkWriter::with_encoding(Encoding::Mirror);
            arguments.write_f32(self.speed);
            frame.call::<NetworkAnimator>(SPEED, &arguments);
        }
    }
}

/// Sends a command, or on a server the call of clients with the same arguments.
fn send(frame: &mut Frame<'_>, command: u32, arguments: &NetworkWriter) {
    let number = if frame.role().is_server {
        command + TO_CLIENTS
    } else {
        command
    };
    frame.call::<NetworkAnimator>(number, arguments);
}
