//! Remote calls.

use syncvar::calls::CommandRefusal;
use syncvar::mirror::message::{CommandMessage, NetworkMessage};
use syncvar::mirror::*;
use syncvar::{NetId, Target, calls::CallError};

use super::net::{Chest, Net, whole};

/// A command as a client sends it, by the full name of the method.
fn command(object: NetId, component: u8, name: &str, arguments: &[u8]) -> Vec<u8> {
    let message = CommandMessage {
        net_id: object,
        component_index: component,
        function_hash: hash16(name),
        payload: Some(arguments),
    };
    message.to_bytes().unwrap().to_vec()
}

const TAKE: &str = "System.Void Chest::CmdTake(System.Int32)";
const LOOK: &str = "System.Void Chest::CmdLook(System.String)";

fn look(object: NetId, what: &str) -> Vec<u8> {
    let length = u8::try_from(what.len() + 1).unwrap();
    command(object, 0, LOOK, &[&[length, 0], what.as_bytes()].concat())
}

fn refusals(net: &mut Net) -> Vec<CommandRefusal> {
    let events = net.events().into_iter();
    let refused = events.filter_map(|event| match event {
        MirrorServerEvent::CommandRefused { reason, .. } => Some(reason),
        _ => None,
    });
    refused.collect()
}

#[test]
fn the_hashes_are_those_of_the_names_in_c_sharp() {
    let net = Net::new();
    let calls: Vec<_> = net.server.prefabs().calls("whole").collect();
    let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names[0], TAKE);
    assert_eq!(names[1], LOOK);
}

#[test]
fn the_owner_calls_commands_and_others_those_that_are_for_all() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, _) = net.join();
    net.chest(player).gold.set(10);
    let take = command(player, 0, TAKE, &[6]);
    net.say(owner, &[&take]).unwrap();
    assert_eq!(*net.chest(player).gold, 7);
    net.say(other, &[&take, &look(player, "here")]).unwrap();
    assert_eq!(*net.chest(player).gold, 4);
    assert_eq!(refusals(&mut net), [CommandRefusal::NotOwner]);
}

#[test]
fn commands_with_unknown_targets_are_refused() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let unready = net.connect();
    net.say(unready, &[&look(player, "x")]).unwrap();
    let wrong = [
        command(NetId(999_999), 0, TAKE, &[2]),
        command(player, 9, TAKE, &[2]),
        command(player, 1, TAKE, &[2]),
        command(player, 0, "System.Void Chest::CmdFly()", &[]),
        // A call of clients is no command.
        command(player, 0, "System.Void Chest::RpcOpen(System.Int32)", &[2]),
    ];
    for message in &wrong {
        net.say(owner, &[message]).unwrap();
    }
    let hash = hash16(TAKE);
    let expected = [
        CommandRefusal::NotReady,
        CommandRefusal::UnknownObject,
        CommandRefusal::UnknownComponent(9),
        CommandRefusal::UnknownHash(hash),
        CommandRefusal::UnknownHash(hash16("System.Void Chest::CmdFly()")),
        CommandRefusal::UnknownHash(hash16("System.Void Chest::RpcOpen(System.Int32)")),
    ];
    assert_eq!(refusals(&mut net), expected);
    assert!(net.server.is_connected(owner) && net.server.is_connected(unready));
    assert_eq!(net.server.stats().refused_commands.total(), 6);
}

#[test]
fn arguments_that_cannot_be_read_disconnect() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let cut_off = command(player, 0, LOOK, &[9, 0]);
    assert!(net.say(owner, &[&cut_off]).is_err());
    assert!(!net.server.is_connected(owner));
    assert!(net.server.identity(player).is_none());
}

#[test]
fn commands_have_a_rate() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let take = command(player, 0, TAKE, &[2]);
    for _ in 0..150 {
        net.say(owner, &[&take]).unwrap();
    }
    assert_eq!(*net.chest(player).gold, -100);
    assert_eq!(refusals(&mut net).len(), 50);
}

#[test]
fn a_command_has_the_whole_server_at_hand() {
    let mut net = Net::new();
    let (connection, player) = net.join();
    let (other, _) = net.join();
    net.step();
    net.told(connection);
    net.told(other);

    net.say(connection, &[&look(player, "panic")]).unwrap();
    let events = net.events();
    let failed = |event: &MirrorServerEvent| {
        matches!(event, MirrorServerEvent::CallFailed { message, call, .. }
            if message == "nothing to see" && *call == "cmd_look")
    };
    assert!(events.iter().any(failed));

    // It hides its own object, writes to it, and shows it again.
    net.say(connection, &[&look(player, "hide")]).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["hide 1", "spawn 1 3", "state 1"]);
    assert_eq!(net.clients[&connection].objects[&player].gold, 77);

    net.say(connection, &[&look(player, "despawn")]).unwrap();
    net.step();
    assert_eq!(net.told(connection), ["destroy 1"]);
    assert_eq!(net.told(other).last().unwrap(), "destroy 1");

    // The rest of what one has said that is sent off is not heard.
    let mine = net.server.add_player(connection, whole(0)).unwrap();
    let chest = net.server.spawn(whole(0));
    let leave = [look(mine, "leave"), look(chest, "after that")];
    net.say(connection, &[&leave[0], &leave[1]]).unwrap();
    assert!(!net.server.is_connected(connection));
    assert!(net.server.identity(mine).is_none());
    assert_eq!(*net.chest(chest).gold, 0);
}

#[test]
fn calls_reach_their_receivers_only() {
    let mut net = Net::new();
    let (owner, player) = net.join();
    let (other, _) = net.join();
    let stranger = net.connect();
    net.step();
    net.told(owner);
    net.told(other);
    let told = |net: &mut Net| {
        net.step();
        (net.told(owner).len(), net.told(other).len())
    };
    let calls = |net: &'_ mut Net| net.server.calls::<Chest>(player).rpc_open(1);
    calls(&mut net).unwrap();
    assert_eq!(told(&mut net), (1, 1));
    net.server.calls::<Chest>(player).rpc_creak().unwrap();
    assert_eq!(told(&mut net), (0, 1));
    net.server.calls::<Chest>(player).rpc_yours().unwrap();
    assert_eq!(told(&mut net), (1, 0));
    let one = Target::One(other);
    net.server
        .calls::<Chest>(player)
        .to(one)
        .rpc_open(2)
        .unwrap();
    assert_eq!(told(&mut net), (0, 1));
    net.server
        .calls::<Chest>(player)
        .rpc_everywhere(55)
        .unwrap();
    assert_eq!(*net.chest(player).gold, 55);
    assert_eq!(told(&mut net), (2, 2), "the call, and what it has changed");

    let to_stranger = net
        .server
        .calls::<Chest>(player)
        .to(Target::One(stranger))
        .rpc_open(2);
    let error = CallError::NotObserved {
        object: player,
        connection: stranger,
    };
    assert_eq!(to_stranger, Err(error));
    let chest = net.server.spawn(whole(1));
    let unowned = net.server.calls::<Chest>(chest).rpc_yours();
    assert_eq!(unowned, Err(CallError::NoOwner(chest)));
    let nothing = net.server.calls::<Chest>(NetId(99)).rpc_yours();
    assert_eq!(nothing, Err(CallError::UnknownObject(NetId(99))));
    assert!(net.clients[&stranger].log.is_empty());
}
