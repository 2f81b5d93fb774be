//! The limits of a host, on each port: one list of tests for all transports of a `NetworkServer` with streams. Also
//! processes of the arena with clients of different builds.

#[cfg(feature = "web")]
mod arena;
mod drain;
mod half_open;
mod limits;
mod line;
mod puppet;
mod sleep;
mod slow_readers;
mod way;

use way::Way;

/// Makes the tests of a transport.
macro_rules! tests {
    ($name:ident, $way:expr) => {
        mod $name {
            use super::*;

            tests!($way, limits: [
                silence_before_the_handshake_ends_a_connection,
                silence_after_the_handshake_ends_a_connection,
                pings_keep_a_connection,
                an_address_cannot_take_all_places,
                a_full_server_refuses_and_frees_places,
                connections_beyond_the_rate_wait,
                malformed_packets_end_their_connection_with_a_reason,
                a_flood_fills_its_inbox_and_no_more,
                input_beyond_the_bytes_of_a_tick_waits,
                a_client_that_never_reads_is_disconnected_alone,
                a_client_that_stops_reading_times_out,
            ]);
            tests!($way, slow_readers: [
                unreliable_state_for_a_slow_reader_is_held,
                a_slow_reader_catches_up,
            ]);
            tests!($way, half_open: [
                a_vanished_client_is_noticed,
                a_client_that_vanishes_without_a_packet_is_noticed,
                a_vanished_server_is_noticed,
            ]);
            tests!($way, sleep: [
                a_sleeping_client_keeps_its_session,
            ]);
            tests!($way, drain: [
                the_last_state_arrives_before_the_end,
                a_server_stops_while_a_client_does_not_read,
            ]);
        }
    };
    ($way:expr, $list:ident: [$($test:ident,)*]) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                Box::pin($list::$test($way)).await;
            }
        )*
    };
}

tests!(tcp, Way::Tcp);
tests!(websocket, Way::WebSocket);
tests!(wss, Way::Wss);
tests!(quic, Way::Quic);
#[cfg(feature = "webtransport")]
tests!(web_transport, Way::WebTransport);
