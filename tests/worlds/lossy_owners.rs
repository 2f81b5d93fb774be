//! Fields that their owners write, and unreliable calls, over links that lose packets.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::testing::{Conditions, Random};

use syncvar_testing::{Packet, Pair, assert_all_equal, token};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Car {
    #[sync_var(write = owner)]
    x: SyncVar<u32>,
    #[sync_var(write = owner)]
    gear: SyncVar<u32>,
    #[sync_var(write = owner)]
    path: SyncList<u32>,
    #[sync_var(write = owner)]
    letter: SyncVar<String>,
    #[sync_var]
    fuel: SyncVar<u32>,
    honked: Vec<u32>,
}

#[network_calls]
impl Car {
    #[command(unreliable)]
    fn honk(&mut self, number: u32) {
        self.honked.push(number);
    }
}

/// A behaviour that repeats the values of its owner.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
struct Wheel {
    #[sync_var(write = owner)]
    angle: SyncVar<u32>,
}

/// A reliable behaviour beside it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Driver {
    #[sync_var(write = owner)]
    mood: SyncVar<u32>,
}

/// A behaviour of the owner and the server.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Helm {
    #[sync_var(write = owner, server_override)]
    course: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Car, Wheel, Driver)>("car")
        .register::<Helm>("helm")
}

fn network(clients: usize, link: Conditions) -> MemoryNetwork {
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.datagrams = true;
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    net
}

fn link(loss_per_mille: u16, seed: u64) -> Conditions {
    Conditions {
        delay: Duration::from_millis(40),
        jitter: Duration::from_millis(120),
        loss: f64::from(loss_per_mille) / 1000.0,
        seed,
        ..Conditions::default()
    }
}

fn spawn(net: &mut MemoryNetwork, owner: usize) -> NetId {
    let behaviours = (Car::default(), Wheel::default(), Driver::default());
    let id = net.server.spawn(behaviours);
    let owner = net.connection(owner);
    net.server.set_owner(id, Some(owner)).unwrap();
    id
}

/// Writes some fields of an object on its owner.
fn write(net: &mut MemoryNetwork, owner: usize, id: NetId, number: u32, random: &mut Random) {
    let client = net.client_mut(owner);
    if !client.is_owner(id) {
        return;
    }
    if let Ok(mut car) = client.get_mut::<Car>(id) {
        if random.chance(500) {
            car.x.set(number);
        }
        if random.chance(100) {
            car.gear.set(number);
        }
        if random.chance(100) {
            car.path.push(number);
        }
        if random.chance(30) {
            // Sometimes longer than a datagram.
            let length = random.below(3_000) as usize;
            car.letter.set("a".repeat(length));
        }
    }
    if random.chance(200) {
        client.get_mut::<Wheel>(id).unwrap().angle.set(number);
    }
    if random.chance(200) {
        client.get_mut::<Driver>(id).unwrap().mood.set(number);
    }
}

#[test]
fn writes_of_owners_arrive_after_losses_and_changes_of_owners() {
    for (loss, seed) in [(0, 1), (50, 2), (200, 3), (400, 4)] {
        let mut net = network(3, link(loss, seed));
        let mut random = Random::new(seed);
        let ids: Vec<_> = (0..12).map(|number| spawn(&mut net, number % 3)).collect();
        let mut owners: Vec<_> = (0..12).map(|number| number % 3).collect();
        net.settle();
        for number in 1..150 {
            for (id, owner) in ids.iter().zip(&mut owners) {
                write(&mut net, *owner, *id, number, &mut random);
                if random.chance(20) {
                    *owner = random.below(3) as usize;
                    let connection = net.connection(*owner);
                    net.server.set_owner(*id, Some(connection)).unwrap();
                }
                if random.chance(50) {
                    net.server.get_mut::<Car>(*id).unwrap().fuel.set(number);
                }
            }
            net.step();
        }
        net.settle();
        assert_all_equal(&mut net);
    }
}

#[test]
fn last_writes_of_owners_survive_a_loss() {
    let mut net = network(2, link(300, 9));
    let ids: Vec<_> = (0..50).map(|_| spawn(&mut net, 0)).collect();
    net.settle();
    for (number, id) in (1..).zip(&ids) {
        net.client_mut(0).get_mut::<Car>(*id).unwrap().x.set(number);
        net.step();
    }
    net.settle();
    for (number, id) in (1..).zip(&ids) {
        assert_eq!(net.server.get::<Car>(*id).unwrap().x, number);
    }
    assert_all_equal(&mut net);
}

#[test]
fn unreliable_command_runs_at_most_once() {
    for loss in [0, 300] {
        let mut net = network(1, link(loss, 5));
        let id = spawn(&mut net, 0);
        net.settle();
        for number in 0..200 {
            net.client_mut(0).calls::<Car>(id).honk(number).unwrap();
            net.step();
        }
        net.settle();
        let mut honked = net.server.get::<Car>(id).unwrap().honked.clone();
        honked.sort_unstable();
        let length = honked.len();
        honked.dedup();
        assert_eq!(honked.len(), length);
        let expected = if loss == 0 { 200..201 } else { 100..180 };
        assert!(expected.contains(&length), "{length}");
    }
}

#[test]
fn repeated_values_survive_a_loss_without_a_repair() {
    let writes = |is_repeated: bool| {
        let mut net = network(1, Conditions::default());
        let id = spawn(&mut net, 0);
        net.settle();
        if is_repeated {
            net.client_mut(0).get_mut::<Wheel>(id).unwrap().angle.set(1);
        } else {
            net.client_mut(0).get_mut::<Car>(id).unwrap().x.set(1);
        }
        // The first datagram is lost.
        net.set_link(
            0,
            Conditions {
                loss: 0.99,
                ..Conditions::default()
            },
        );
        net.step();
        net.set_link(0, Conditions::default());
        net.step();
        let (car, wheel) = (net.server.get::<Car>(id), net.server.get::<Wheel>(id));
        *car.unwrap().x + *wheel.unwrap().angle
    };
    assert_eq!((writes(true), writes(false)), (1, 0));
}

#[test]
fn writes_and_state_survive_lost_links() {
    for seed in 0..12 {
        let config = with_sessions();
        let mut net = MemoryNetwork::with_config(prefabs, config, link(100, seed));
        net.datagrams = true;
        (0..2).for_each(|_| _ = net.connect());
        net.settle();
        let ids: Vec<_> = (0..8).map(|number| spawn(&mut net, number % 2)).collect();
        net.settle();
        let mut random = Random::new(seed);
        for number in 1..120 {
            for (index, id) in ids.iter().enumerate() {
                write(&mut net, index % 2, *id, number, &mut random);
                if random.chance(100) {
                    net.server.get_mut::<Car>(*id).unwrap().fuel.set(number);
                }
            }
            if number % 20 == 0 {
                net.cut(0);
            }
            if number % 20 == 5 {
                net.reconnect(0);
            }
            net.step();
        }
        net.settle();
        assert_all_equal(&mut net);
        for id in &ids {
            let fuel = *net.server.get::<Car>(*id).unwrap().fuel;
            assert_eq!(net.client(0).get::<Car>(*id).unwrap().fuel, fuel);
        }
    }

    /// A server to whose sessions a client returns after a lost link.
    fn with_sessions() -> ServerConfig {
        ServerConfig {
            reconnect_grace: Duration::from_mins(1),
            session_tokens: Some(token),
            ..ServerConfig::default()
        }
    }
}

#[test]
fn each_write_is_sent_once_without_losses() {
    let link = Conditions {
        delay: Duration::from_millis(40),
        ..Conditions::default()
    };
    let mut net = network(1, link);
    let id = spawn(&mut net, 0);
    net.settle();
    let sent = |net: &MemoryNetwork| {
        let counter = net.client(0).stats().encoded(MessageType::OwnerWrite);
        counter.messages
    };
    let before = sent(&net);
    for number in 1..=100 {
        net.client_mut(0).get_mut::<Car>(id).unwrap().x.set(number);
        net.step();
    }
    net.settle();
    assert_eq!(sent(&net) - before, 100);
    assert_eq!(net.server.get::<Car>(id).unwrap().x, 100);
    let losses = net.client(0).losses().unwrap();
    assert_eq!((losses.loss, losses.repaired, losses.spurious), (0.0, 0, 0));
    // The delay in both directions, and the time until the acknowledgement leaves.
    let range = Duration::from_millis(80)..=Duration::from_millis(200);
    assert!(range.contains(&losses.rtt), "{losses:?}");
}

#[test]
fn writes_from_before_a_handover_are_void() {
    let mut net = network(2, Conditions::default());
    let id = spawn(&mut net, 0);
    net.settle();
    let owner = net.connection(0);
    net.client_mut(0).get_mut::<Car>(id).unwrap().x.set(5);
    // The same owner again, which does not see the object any more.
    net.server.set_owner(id, None).unwrap();
    net.server.hide(id, owner).unwrap();
    net.server.set_owner(id, Some(owner)).unwrap();
    net.settle();
    assert_eq!(net.server.get::<Car>(id).unwrap().x, 0);

    net.server.show(id, owner).unwrap();
    net.settle();
    net.client_mut(0).get_mut::<Car>(id).unwrap().x.set(6);
    net.settle();
    assert_eq!(net.server.get::<Car>(id).unwrap().x, 6);
    assert_all_equal(&mut net);
}

#[test]
fn late_write_of_the_server_from_before_a_handover_is_not_the_last() {
    let mut pair = Pair::new(prefabs);
    let helm = pair.server.spawn(Helm::default());
    pair.steps(2);
    pair.server.get_mut::<Helm>(helm).unwrap().course.set(1);
    let owner = Some(pair.connection);
    pair.server.set_owner(helm, owner).unwrap();
    let packets = pair.down_where(|packet| !packet.is_datagram());
    let late: Vec<_> = packets.into_iter().filter(Packet::is_datagram).collect();
    assert_eq!(late.len(), 1, "the server's write");
    // The client waits for the datagrams of a tick for a while.
    pair.now += Duration::from_millis(200);
    pair.up();
    assert!(pair.client.is_owner(helm));
    pair.client.get_mut::<Helm>(helm).unwrap().course.set(2);
    pair.up();
    pair.deliver(&late);
    pair.steps(4);
    assert_eq!(pair.server.get::<Helm>(helm).unwrap().course, 2);
    assert_eq!(pair.client.get::<Helm>(helm).unwrap().course, 2);
}

#[test]
fn writes_to_a_removed_object_do_not_reach_its_successor() {
    // Without datagrams, an id can be used again at once.
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    for number in [5, 6] {
        let options = SpawnOptions {
            net_id: Some(NetId(7)),
            owner: Some(net.connection(0)),
            ..SpawnOptions::default()
        };
        let behaviours = (Car::default(), Wheel::default(), Driver::default());
        let id = net.server.try_spawn(behaviours, options).unwrap();
        net.settle();
        assert_eq!(net.server.get::<Car>(id).unwrap().x, 0);
        net.client_mut(0).get_mut::<Car>(id).unwrap().x.set(number);
        if number == 5 {
            net.server.despawn(id).unwrap();
        }
    }
    net.settle();
    assert_eq!(net.server.get::<Car>(NetId(7)).unwrap().x, 6);
}

#[test]
fn client_counts_the_losses_of_its_datagrams() {
    let mut net = network(2, link(300, 12));
    let ids: Vec<_> = (0..20).map(|_| spawn(&mut net, 0)).collect();
    net.settle();
    // Each object rests for 20 ticks: longer than the time to a repair.
    for (number, id) in (1..=400).zip(ids.iter().cycle()) {
        net.client_mut(0).get_mut::<Car>(*id).unwrap().x.set(number);
        net.step();
    }
    let losses = net.client(0).losses().unwrap();
    assert!(losses.flying > 0 && losses.repaired > 0, "{losses:?}");
    // Acknowledgements get lost too, and late ones end a loss.
    assert!((0.2..0.6).contains(&losses.loss), "{losses:?}");
    assert!(losses.jitter > Duration::ZERO, "{losses:?}");
    net.settle();
    assert_all_equal(&mut net);
    let losses = net.client(0).losses().unwrap();
    let left = (losses.flying, losses.backlog, losses.shown);
    assert_eq!((left, losses.bad_acks), ((0, 0, 0), 0));
    // The other client writes nothing.
    assert_eq!(net.client(1).losses().unwrap().repaired, 0);

    let mut stream = MemoryNetwork::pair(prefabs);
    stream.settle();
    assert_eq!(stream.client(0).losses(), None);
}

#[test]
fn losses_end_in_silence() {
    let mut net = network(2, link(300, 8));
    let ids: Vec<_> = (0..20).map(|number| spawn(&mut net, number % 2)).collect();
    net.settle();
    let mut random = Random::new(8);
    for number in 1..100 {
        for (index, id) in ids.iter().enumerate() {
            write(&mut net, index % 2, *id, number, &mut random);
        }
        net.step();
    }
    net.settle();
    let sent = |net: &MemoryNetwork| [0, 1].map(|index| net.client(index).stats().sent.messages);
    let before = sent(&net);
    (0..100).for_each(|_| net.step());
    // Pings, and acknowledgements of their answers.
    let after = sent(&net);
    let more = [0, 1].map(|index| after[index] - before[index]);
    assert!(more.iter().all(|more| *more <= 12), "{more:?}");
}
