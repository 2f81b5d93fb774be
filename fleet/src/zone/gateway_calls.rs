//! Calls of gateways: their players, commands and inputs.

use std::time::Duration;

use super::Zone;
use super::gateway_record::tick_to_bytes;
use super::handovers::CommandPlace;
use super::mail::Asked;
use super::message::{ClientInputs, ZoneCall};
use crate::Carrier;

impl Zone {
    /// Takes a call of a gateway.
    pub(super) fn take_gateway_call(
        &mut self,
        carrier: &mut impl Carrier,
        question: Asked,
        call: ZoneCall,
        now: Duration,
    ) {
        match call {
            ZoneCall::Calls(calls) => self.mail.take_calls(question, calls),
            ZoneCall::Players { number, clients } => {
                let gateways = &mut self.records.gateways;
                let left = gateways.take_players(&mut self.server, question, number, clients, now);
                for client in left {
                    self.residents.forget_client(client);
                }
            }
            ZoneCall::Inputs(clients) => {
                let tick = self.server.network_time().tick;
                carrier.answer(question.0, question.1, tick_to_bytes(tick));
                for ClientInputs { client, inputs } in clients {
                    if let Some(connection) = self.records.gateways.connection(client)
                        && let Err(error) = self.server.take_remote_inputs(connection, &inputs)
                    {
                        tracing::debug!(%client, %error, "malformed inputs");
                    }
                }
            }
            ZoneCall::Records(seq) => {
                carrier.answer(
                    question.0,
                    question.1,
                    self.records.gateways.records_after(seq),
                );
            }
            ZoneCall::Lease(_) | ZoneCall::Offers { .. } | ZoneCall::Commands(_) => {}
        }
    }

    /// Runs the calls of players, each once. The next update writes them to the journal as applied, with their effects.
    pub(super) fn run_calls(&mut self) {
        if !self.is_active() {
            return;
        }
        while let Some(call) = self.mail.next_call() {
            let (object, client) = (call.object, call.client);
            // The gateway repeats a call of a client that is not listed yet.
            let connection = self.records.gateways.connection(client);
            let here = connection.filter(|_| self.server.identity(object).is_some());
            let Some(connection) = here else {
                continue;
            };
            self.residents.handovers.spawn(object);
            let handovers = &mut self.residents.handovers;
            if handovers.place(object, client, call.number) == CommandPlace::Next {
                handovers.note_applied(object, client, call.number);
                self.residents.changed.insert(object);
                let ran = self.server.run_remote_command(connection, &call.command);
                if let Err(reason) = ran {
                    tracing::debug!(%object, %client, %reason, "refused a command");
                }
            }
        }
    }

    /// Ends the players of silent gateways.
    pub(super) fn end_silent_gateways(&mut self, now: Duration) {
        if self.is_active() {
            let grace = self.config.gateway_grace;
            let gateways = &mut self.records.gateways;
            gateways.end_silent(&mut self.server, grace, now);
        }
    }
}
