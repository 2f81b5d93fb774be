//! Simulated conditions around TCP sockets.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Running;
use syncvar_net::ClientEvent;
use syncvar_runtime::DisconnectReason;
use syncvar_runtime::conditions::Conditions;
use syncvar_testing::sockets::{Board, TCP, counting, idle, wait_for};
use syncvar_tokio::tcp::TransportOptions;

fn delay(millis: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(millis),
        ..Conditions::default()
    }
}

#[tokio::test]
async fn each_direction_has_its_delay_and_loses_it() {
    let server = Running::start(TCP, TransportOptions::default(), idle);
    let mut client = Box::pin(server.join()).await;
    let (incoming, outgoing) = (Conditions::default(), delay(200));
    server.conditions.set(incoming, outgoing);
    assert!(change(&server, &mut client, 1).await >= Duration::from_millis(200));
    server.conditions.set(delay(2000), Conditions::default());
    assert!(change(&server, &mut client, 2).await < Duration::from_millis(1500));
    client.conditions().set(delay(200), Conditions::default());
    assert!(change(&server, &mut client, 3).await >= Duration::from_millis(200));
    client.conditions().set_both(Conditions::default());
    assert!(change(&server, &mut client, 4).await < Duration::from_millis(200));

    /// Returns the time until a client has a change.
    async fn change(
        server: &Running,
        client: &mut syncvar_tokio::tcp::TcpClient,
        count: u32,
    ) -> Duration {
        let before = Instant::now();
        server.write(move |board| {
            board.count.set(count);
        });
        server.see(client, |board| board.count == count).await;
        before.elapsed()
    }
}

#[tokio::test]
async fn a_stream_keeps_its_order_under_bad_conditions() {
    let bad = Conditions {
        delay: Duration::from_millis(5),
        jitter: Duration::from_millis(40),
        loss: 0.2,
        duplicate: 0.3,
        reorder: 0.3,
        bandwidth: Some(200_000),
        seed: 3,
    };
    let server = Running::start(TCP, TransportOptions::default(), counting);
    server.conditions.set_both(bad.clone());
    let mut client = Box::pin(server.join()).await;
    client.conditions().set_both(bad);
    let mut last = 0;
    while last < 400 {
        client.receive().await.unwrap();
        let count = *client.client().get::<Board>(server.board).unwrap().count;
        assert!(count >= last);
        last = count;
    }
}

#[tokio::test]
async fn goodbyes_overtake_no_packet_of_a_slow_link() {
    let mut server = Running::start(TCP, TransportOptions::default(), idle);
    let mut leaving = Box::pin(server.join()).await;
    let mut client = Box::pin(server.join()).await;
    server.conditions.set_both(delay(10_000));
    leaving.client_mut().disconnect("tea");
    while leaving.next_event().await.is_some() {}
    assert_eq!(
        server.disconnected().await,
        DisconnectReason::Requested("tea".into())
    );
    let board = server.board;
    server.command(move |server| {
        server.get_mut::<Board>(board).unwrap().count.set(7);
        ControlFlow::Break(())
    });
    let reason = DisconnectReason::Requested("the server is shutting down".into());
    let end = ClientEvent::Disconnected { reason };
    wait_for(&mut client, |event| *event == end).await;
    assert_eq!(client.client().get::<Board>(board).unwrap().count, 7);
}
