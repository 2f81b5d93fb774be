//! Simulated conditions around UDP sockets.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::stats::Losses;
use syncvar_runtime::conditions::Conditions;
use syncvar_testing::sockets::soon;
use syncvar_tokio::udp::{TransportOptions, UdpClient, UdpServer};
use tokio::sync::watch;

#[tokio::test]
async fn unreliable_state_converges_under_bad_conditions() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(channel = unreliable, send_interval = 0)]
    struct Mover {
        #[sync_var]
        x: SyncVar<u32>,
    }

    let mut server = NetworkServer::new(prefabs());
    let movers: Vec<NetId> = (0..50).map(|_| server.spawn(Mover::default())).collect();
    let udp = UdpServer::bind("127.0.0.1:0", server, TransportOptions::default());
    let udp = udp.await.unwrap();
    let (addr, conditions) = (udp.local_addr().unwrap(), udp.conditions());
    let bad = Conditions {
        delay: Duration::from_millis(10),
        jitter: Duration::from_millis(20),
        loss: 0.2,
        duplicate: 0.1,
        reorder: 0.1,
        bandwidth: Some(1_000_000),
        seed: 5,
    };
    conditions.set_both(bad);
    let (ids, mut step) = (movers.clone(), 0);
    let (report, reported) = watch::channel(Losses::default());
    tokio::spawn(udp.run(move |server, _| {
        let ready = server.connections().find(|&one| server.is_ready(one));
        if let Some(connection) = ready {
            step += 1;
            if let Ok(Some(losses)) = server.losses(connection) {
                report.send_replace(losses);
            }
        }
        for (last, id) in (0..).zip(&ids) {
            if step <= 20 + last {
                server.get_mut::<Mover>(*id).unwrap().x.set(step);
            }
        }
        ControlFlow::Continue(())
    }));
    let connecting = UdpClient::connect(addr, NetworkClient::new(prefabs()));
    let mut client = soon(Box::pin(connecting)).await.unwrap();
    soon(async {
        let is_right = |client: &UdpClient, last: u32, id: NetId| {
            let mover = client.client().get::<Mover>(id);
            mover.is_some_and(|mover| mover.x == 20 + last)
        };
        while !(0..)
            .zip(&movers)
            .all(|(last, id)| is_right(&client, last, *id))
        {
            client.receive().await.unwrap();
        }
    })
    .await;
    assert!(reported.borrow().repaired > 0);

    fn prefabs() -> Prefabs {
        Prefabs::new().register::<Mover>("mover")
    }
}
