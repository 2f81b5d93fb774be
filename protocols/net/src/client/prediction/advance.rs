//! Begin of predictions, and their ticks up to an update.

use super::{Predicting, Predictions, Reason};
use syncvar_runtime::{Callbacks, NetId, NetworkBehaviour, ObjectError};

impl Predictions {
    /// Begins the prediction of a behaviour with the server's state. Without ticks nothing is predicted.
    pub(crate) fn begin<B: NetworkBehaviour + Clone>(
        &mut self,
        id: NetId,
        reason: Reason,
        lent: &mut Predicting<'_>,
    ) -> Result<(), ObjectError> {
        let Some(arrivals) = lent.arrivals else {
            return lent.objects.world.position::<B>(id).map(|_| ());
        };
        let tick = lent.session.network_tick(arrivals.reported_tick());
        self.add::<B>(id, reason, tick.unwrap_or_default(), lent.objects)?;
        if lent.inputs.tick.is_none() && lent.session.is_connected() {
            let on_stream = lent.outbound.lossy.is_none();
            let ticks = lent.inputs.begin_ticks(&lent.context.clock, on_stream);
            lent.inputs.tick = ticks.last();
        }
        self.replay(lent.inputs, lent.context);
        Ok(())
    }

    /// Begins the ticks up to an update: records their inputs, predicts them, and sends the inputs.
    pub(crate) fn advance(&mut self, lent: &mut Predicting<'_>) {
        self.review(lent);
        lent.inputs.report_refused(lent.context);
        let is_used = lent.inputs.is_used() || !self.is_empty();
        if !is_used || !lent.session.is_connected() {
            return;
        }
        self.take_own_fields(lent.objects);
        self.compare_newest(lent.objects, lent.session);
        self.replay(lent.inputs, lent.context);
        let on_stream = lent.outbound.lossy.is_none();
        let ticks = lent.inputs.begin_ticks(&lent.context.clock, on_stream);
        let encoding = lent.session.server.framing.encoding();
        for tick in ticks.clone() {
            let translation = lent.session.build.translation.as_deref();
            lent.inputs.begin_tick(tick, encoding, translation);
            self.predict_tick(tick, lent.inputs);
        }
        if lent.objects.world.callbacks == Callbacks::Run {
            self.run_hooks(&mut lent.context.events);
        }
        // A second update between two packets has dropped the datagram of the first.
        let lossy = lent.outbound.lossy.as_mut();
        let is_dropped = lossy.is_some_and(|lossy| lossy.take_dropped_inputs());
        if (!ticks.is_empty() || is_dropped) && lent.session.is_heard() {
            let view = lent.arrivals.and_then(|it| it.input_view(lent.objects));
            lent.inputs.send(view.as_ref(), lent.outbound, lent.context);
        }
    }
}
