//! Links of a gateway: standbys of zones, datagrams of clients, returns.

use syncvar_fleet::zone::ZoneId;

use crate::gateways::stage;

#[test]
fn a_standby_takes_a_zone_behind_a_gateway() {
    let mut stage = stage(15, 3, 2);
    stage.zones.start(ZoneId(1), false);
    stage.run(30);
    let standby = stage.zones.processes.len() - 1;
    assert!(!stage.zones.processes[standby].zone.is_active());
    stage.zones.stall(0, true);
    for tick in 0..90 {
        if tick % 10 == 0 {
            stage.call(0);
        }
        stage.step();
    }
    assert!(stage.zones.processes[standby].zone.is_active());
    stage.zones.stall(0, false);
    stage.run(20);
    assert!(stage.zones.processes[0].zone.is_superseded());
    stage.zones.crash(0);
    stage.call(0);
    stage.check();
}

#[test]
fn lost_datagrams_of_clients_are_repaired_by_the_gateway() {
    let mut stage = stage(16, 3, 2);
    stage.datagram_loss = 200;
    for tick in 0..600 {
        if tick % 7 == 0 {
            for place in 0..stage.players.len() {
                stage.call(place);
            }
        }
        stage.step();
    }
    assert!(stage.gateway.stats().turns > 10);
    stage.datagram_loss = 0;
    stage.check();
}

#[test]
fn a_client_returns_to_its_session() {
    let mut stage = stage(6, 2, 2);
    stage.run(20);
    stage.cut(0);
    stage.run(60);
    stage.connect(0);
    stage.run(30);
    stage.call(0);
    stage.check();
}
