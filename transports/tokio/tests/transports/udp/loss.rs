//! State on an unreliable channel over a link that loses datagrams.

use std::ops::ControlFlow;
use std::time::Duration;

use super::relay::Relay;
use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar_testing::sockets::soon;
use syncvar_tokio::udp::{TransportOptions, UdpClient, UdpServer};
use tokio::sync::watch;

/// Number of objects, of which each stops in another tick.
const MOVERS: u32 = 100;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable, send_interval = 0)]
struct Mover {
    #[sync_var]
    x: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Mover>("mover")
}

/// Runs a server whose objects stop one after another, and returns the number of wrong ones on a client
/// behind a relay, and that of the lost packets.
async fn wrong_after_stop(misfortunes: [u32; 3]) -> (usize, u32) {
    let config = ServerConfig {
        tick_rate: 60,
        ..ServerConfig::default()
    };
    let mut server = NetworkServer::with_config(prefabs(), config);
    let movers: Vec<NetId> = (0..MOVERS)
        .map(|_| server.spawn(Mover::default()))
        .collect();
    let udp = UdpServer::bind("127.0.0.1:0", server, TransportOptions::default());
    let udp = udp.await.unwrap();
    let relay = Relay::start(udp.local_addr().unwrap(), misfortunes).await;
    let (ids, mut step) = (movers.clone(), 0);
    let task = tokio::spawn(udp.run(move |server, _| {
        if server
            .connections()
            .any(|connection| server.is_ready(connection))
        {
            step += 1;
        }
        for (last, id) in (0..).zip(&ids) {
            if step <= 60 + last {
                server.get_mut::<Mover>(*id).unwrap().x.set(step);
            }
        }
        ControlFlow::Continue(())
    }));
    let client = NetworkClient::new(prefabs());
    let mut client = soon(Box::pin(UdpClient::connect(relay.addr, client)))
        .await
        .unwrap();
    let wrong = |client: &UdpClient| {
        let wrong = (0..).zip(&movers).filter(|(last, id)| {
            let mover = client.client().get::<Mover>(**id);
            mover.is_none_or(|mover| mover.x != 60 + last)
        });
        wrong.count()
    };
    let play = async {
        loop {
            while client.poll_event().is_some() {}
            client.receive().await.unwrap();
            if wrong(&client) == 0 {
                break;
            }
        }
    };
    // All objects have stopped after 160 ticks.
    let _ = tokio::time::timeout(Duration::from_secs(20), play).await;
    let wrong = wrong(&client);
    task.abort();
    (wrong, relay.lost_packets())
}

#[tokio::test]
async fn objects_that_stop_at_different_times_are_right_in_the_end() {
    let (wrong, lost) = Box::pin(wrong_after_stop([10, 5, 10])).await;
    assert_eq!(wrong, 0);
    assert!(lost > 10, "state travels as datagrams");
}

#[tokio::test]
async fn objects_are_right_without_loss() {
    assert_eq!(Box::pin(wrong_after_stop([0; 3])).await, (0, 0));
}

/// The last write of an owner arrives, and each call arrives once or not at all.
#[tokio::test]
async fn writes_and_calls_of_an_owner_survive_loss_and_duplicates() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(channel = unreliable, send_interval = 0)]
    struct Car {
        #[sync_var(write = owner)]
        x: SyncVar<u32>,
        honked: Vec<u32>,
    }

    #[network_calls]
    impl Car {
        #[command(unreliable)]
        fn honk(&mut self, number: u32) {
            self.honked.push(number);
        }
    }

    let prefabs = || Prefabs::new().register::<Car>("car");
    let mut server = NetworkServer::new(prefabs());
    let car = server.spawn(Car::default());
    let udp = UdpServer::bind("127.0.0.1:0", server, TransportOptions::default());
    let udp = udp.await.unwrap();
    let relay = Relay::start(udp.local_addr().unwrap(), [15, 20, 10]).await;
    let (seen, mut at_server) = watch::channel((0, Vec::new()));
    let task = tokio::spawn(udp.run(move |server, _| {
        while let Some(event) = server.poll_event() {
            if let ServerEvent::Ready { connection } = event {
                server.set_owner(car, Some(connection)).unwrap();
            }
        }
        let car = server.get::<Car>(car).unwrap();
        seen.send_replace((*car.x, car.honked.clone()));
        ControlFlow::Continue(())
    }));
    let client = NetworkClient::new(prefabs());
    let mut client = soon(Box::pin(UdpClient::connect(relay.addr, client)))
        .await
        .unwrap();
    soon(async {
        while !client.client().is_owner(car) {
            client.receive().await.unwrap();
        }
    })
    .await;
    for number in 1..=100 {
        let driver = client.client_mut();
        driver.get_mut::<Car>(car).unwrap().x.set(number);
        driver.calls::<Car>(car).honk(number).unwrap();
        let frame = tokio::time::timeout(Duration::from_millis(20), async {
            while client.receive().await.is_ok() {}
        });
        assert!(frame.await.is_err(), "the connection stands");
    }
    let arrived = async {
        tokio::select! {
            () = async { while client.receive().await.is_ok() {} } => panic!("the connection is over"),
            state = at_server.wait_for(|(x, _)| *x == 100) => state.unwrap().1.clone(),
        }
    };
    let honked = soon(arrived).await;
    let distinct: std::collections::BTreeSet<u32> = honked.iter().copied().collect();
    assert_eq!(distinct.len(), honked.len(), "each call runs once");
    assert!((60..100).contains(&honked.len()), "{} of 100", honked.len());
    task.abort();
}
