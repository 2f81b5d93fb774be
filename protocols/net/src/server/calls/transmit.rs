//! Calls on their way to the receivers.

use crate::Framing;
use crate::server::calls::target::{Receivers, receivers};
use crate::server::calls::{Calls, DeferredCall, EncodedCall};
use crate::server::ground::Ground;
use crate::server::objects::replicated::State;
use crate::server::visibility::Visibility;

impl Calls {
    /// Sends the deferred calls. `has_frame`: the update has a frame.
    pub(crate) fn send_deferred(
        &mut self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        has_frame: bool,
    ) {
        let calls = self.take_deferred(has_frame);
        if calls.is_empty() {
            return;
        }
        for DeferredCall {
            object,
            target,
            call,
        } in calls
        {
            // An object whose snapshot failed does not exist on the clients.
            if let Some(replicated) = ground.objects.announced(object) {
                if !has_frame && replicated.is(State::VisibilityDirty) {
                    let call = DeferredCall {
                        object,
                        target,
                        call,
                    };
                    self.push_deferred(call, false);
                    continue;
                }
                let receivers = receivers(ground.sessions, visibility, replicated, &target);
                call.transmit(ground, visibility, receivers);
            }
        }
        visibility.deliver(ground);
    }
}

impl EncodedCall {
    /// Sends the call to its receivers, behind all earlier bytes.
    pub(crate) fn transmit(
        &self,
        ground: &mut Ground<'_>,
        visibility: &mut Visibility,
        receivers: Receivers,
    ) {
        match receivers {
            Receivers::Deferred => {}
            Receivers::Audience(audience) => {
                // Calls on other channels keep the order too.
                let apart = self.channel != 0;
                if apart {
                    visibility.deliver(ground);
                }
                let mut outputs = visibility.audiences.outputs(audience);
                for segments in outputs.channel(usize::from(self.channel)) {
                    if let Some((message_type, message)) = self.message(Framing::of(segments)) {
                        segments.begin().write_bytes(message);
                        let length = segments.commit();
                        ground.context.stats.count_encoded(*message_type, length);
                    }
                }
                if apart {
                    visibility.deliver(ground);
                }
            }
            Receivers::Connections(connections) => {
                visibility.deliver(ground);
                for receiver in &connections {
                    let framing = ground.sessions.framing(*receiver);
                    let message = framing.and_then(|framing| self.message(framing));
                    if let Some((_, message)) = message {
                        let chunks = std::slice::from_ref(message);
                        ground.send_chunks(self.channel, *receiver, chunks);
                    }
                }
                for (message_type, message) in [&self.unet, &self.compact].into_iter().flatten() {
                    let stats = &mut ground.context.stats;
                    stats.count_encoded(*message_type, message.len());
                }
            }
        }
    }
}
