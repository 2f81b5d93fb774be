//! `CommandTest`, `ClientRpcTest`, `TargetRpcTest`, their tests of overriding, and `RpcNetworkIdentityTest`.

use syncvar::calls::CommandRefusal;
use syncvar::mirror::{MirrorPrefab, MirrorPrefabs, MirrorServerEvent};
use syncvar::prelude::*;
use syncvar::{Target, calls::CallError};

use super::game::{Hero, Purse, tell, told, whole};
use super::world::{world, world_of};
use syncvar_testing::mirror::MirrorNetwork;

// CommandIsSentWithAuthority, SendCommand, SenderConnectionIsSetWhenCommandIsRecieved,
// SendCommand_ClientOwnedObject_ConnectionNotNull.
#[test]
fn owner_calls_commands_and_the_server_knows_the_sender() {
    let mut world = world();
    let (client, player) = world.join(whole());
    told();
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(30)
        .unwrap();
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_who()
        .unwrap();
    world.frame();
    assert_eq!(
        told()[..2],
        [
            "server CmdHit 30".to_owned(),
            format!("server CmdWho {}", client.0)
        ]
    );
    assert_eq!(world.seen::<Hero>(client, player).health, 70);
}

// CommandIsSentWithAuthorityWhenIgnoringAuthority, CommandIsSentWithoutAuthorityWhenIgnoringAuthority,
// SenderConnectionIsSetWhenCommandIsRecievedWithIgnoreAuthority,
// SendCommand_ServerOwnedObject_ConnectionNotNull.
#[test]
fn unrestricted_command_accepts_any_client_and_any_object() {
    let mut world = world();
    let (client, player) = world.join(whole());
    let (other, _) = world.join(whole());
    let free = world.server.spawn(Hero::with(1));
    world.frame();
    told();
    for (caller, object) in [(client, player), (other, player), (other, free)] {
        let calls = world.client(caller).calls::<Hero>(object);
        calls.cmd_greet(7).unwrap();
        world.frame();
        assert_eq!(told(), [format!("server CmdGreet 7 from {}", caller.0)]);
    }
}

// WarningForCommandSentWithoutAuthority, SendCommand_OnlyAllowedOnOwnedObjects, SendCommand_RequiresAuthority.
#[test]
fn owner_only_command_is_refused_on_both_sides() {
    let mut world = world();
    let (client, player) = world.join(whole());
    let (other, _) = world.join(whole());
    world.frame();
    told();
    let refused = world.client(other).calls::<Hero>(player).cmd_hit(30);
    assert_eq!(refused, Err(CallError::NotOwner(player)));

    // The owner calls, and is the owner no longer when the call arrives.
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(30)
        .unwrap();
    world.server.set_owner(player, None).unwrap();
    told();
    world.frame();
    assert_eq!(refusals(&mut world), [CommandRefusal::NotOwner]);
    assert!(!told().iter().any(|line| line.contains("CmdHit")));
    assert!(world.server.is_connected(client));

    fn refusals(world: &mut MirrorNetwork) -> Vec<CommandRefusal> {
        let events = world.events().into_iter();
        let refusals = events.filter_map(|event| match event {
            MirrorServerEvent::CommandRefused { reason, .. } => Some(reason),
            _ => None,
        });
        refusals.collect()
    }
}

// CommandThatThrowsShouldBeCaught. Mirror disconnects the client; see `PARITY.md`.
#[test]
fn panicking_command_is_reported_and_contained() {
    let mut world = world();
    let (client, player) = world.join(whole());
    world.events();
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(13)
        .unwrap();
    world
        .client(client)
        .calls::<Hero>(player)
        .cmd_hit(1)
        .unwrap();
    world.frame();
    let failed = |event: &MirrorServerEvent| match event {
        MirrorServerEvent::CallFailed {
            connection,
            call,
            message,
            ..
        } => (*connection, *call, message.as_str()) == (Some(client), "cmd_hit", "bad luck"),
        _ => false,
    };
    assert!(world.events().iter().any(failed));
    assert_eq!(world.server.get::<Hero>(player).unwrap().health, 86);
}

// RpcIsCalled, RpcNotCalledForOwner, TargetRpcIsCalled, TargetRpcIsCalledOnTarget.
#[test]
fn calls_of_the_server_run_on_those_they_are_for() {
    let mut world = world();
    let (_, player) = world.join(whole());
    let (other, _) = world.join(whole());
    told();
    let called = |world: &mut MirrorNetwork| {
        world.frame();
        told()
    };
    world.server.calls::<Hero>(player).rpc_hit(5).unwrap();
    assert_eq!(called(&mut world), ["client RpcHit 5", "client RpcHit 5"]);
    world.server.calls::<Hero>(player).rpc_others().unwrap();
    assert_eq!(called(&mut world), ["client RpcOthers"]);
    world.server.calls::<Hero>(player).rpc_owner(6).unwrap();
    assert_eq!(called(&mut world), ["client RpcOwner 6"]);
    world
        .server
        .calls::<Hero>(player)
        .target_hit(other, 7)
        .unwrap();
    assert_eq!(called(&mut world), ["client TargetHit 7"]);
}

// ErrorForTargetRpcWhenObjectNotSpawned, ErrorForTargetRpcWithNoOwner, ErrorForTargetRpcWithNullArgment,
// ErrorForTargetRpcWhenNotGivenConnectionToClient.
#[test]
fn call_for_an_absent_owner_is_an_error() {
    let mut world = world();
    let (client, _) = world.join(whole());
    let free = world.server.spawn(Hero::with(1));
    let refused = world.server.calls::<Hero>(free).rpc_owner(1);
    assert_eq!(refused, Err(CallError::NoOwner(free)));
    let nowhere = NetId(99);
    let refused = world.server.calls::<Hero>(nowhere).target_hit(client, 1);
    assert_eq!(refused, Err(CallError::UnknownObject(nowhere)));
    let stranger = ConnectionId(99);
    let refused = world.server.calls::<Hero>(free).target_hit(stranger, 1);
    assert!(refused.is_err());
}

// RpcCanSendGameObject, RpcCanSendNetworkIdentity, RpcCanSendNetworkBehaviour,
// RpcCanSendNetworkBehaviourDerived, RpcIsCalledWithAbstractNetworkBehaviourParameter.
#[test]
fn references_travel_as_arguments() {
    let mut world = world();
    let three = (Purse::default(), Hero::with(1), Purse::default());
    let (client, player) = world.join(three);
    let server = &world.server;
    let at = NetRef::to(server, player).unwrap();
    let into = BehaviourRef::<Purse>::at(server, player, 2).unwrap();
    told();
    world
        .server
        .calls::<Hero>(player)
        .rpc_look(at, into)
        .unwrap();
    world.frame();
    assert_eq!(told(), [format!("client RpcLook {at:?} 2")]);
    let client = world.client(client);
    assert!(at.behaviour::<Hero>(client).is_some());
    assert!(into.try_get(client).is_some());
}

/// A class with calls, and two that are derived from it.
#[derive(NetworkBehaviour, Default)]
struct Beast {
    #[sync_var]
    anger: SyncVar<i32>,
}

#[network_calls]
impl Beast {
    #[command]
    fn cmd_feed(&mut self, amount: i32) {
        tell(format!("Beast CmdFeed {amount}"));
        self.anger -= amount;
    }

    #[client_rpc]
    fn rpc_roar(&mut self, volume: i32) {
        tell(format!("Beast RpcRoar {volume}"));
    }

    #[target_rpc]
    fn target_bite(&mut self) {
        tell("Beast TargetBite");
    }
}

/// Has no calls of its own.
#[derive(NetworkBehaviour, Default)]
struct Wolf {
    #[network_behaviour(base)]
    base: Beast,
}

/// Has calls of the same names.
#[derive(NetworkBehaviour, Default)]
struct Bear {
    #[network_behaviour(base)]
    base: Beast,
}

#[network_calls]
impl Bear {
    #[command]
    fn cmd_feed(&mut self, amount: i32) {
        tell(format!("Bear CmdFeed {amount}"));
        self.base.run_cmd_feed(amount);
    }

    #[client_rpc]
    fn rpc_roar(&mut self, volume: i32) {
        tell(format!("Bear RpcRoar {volume}"));
    }

    #[target_rpc]
    fn target_bite(&mut self) {
        tell("Bear TargetBite");
        self.base.run_target_bite();
    }
}

fn beasts() -> MirrorPrefabs {
    MirrorPrefabs::new()
        .register::<Beast>(MirrorPrefab::new("beast", 1.into()))
        .register::<Wolf>(MirrorPrefab::new("wolf", 2.into()))
        .register::<Bear>(MirrorPrefab::new("bear", 3.into()))
}

// VirtualCommandIsCalled, VirtualRpcIsCalled, VirtualCommandWithNoOverrideIsCalled.
#[test]
fn a_class_has_the_calls_of_its_base() {
    let mut world = world_of(beasts);
    let (first, beast) = world.join(Beast::default());
    let (second, wolf) = world.join(Wolf::default());
    for (client, object) in [(first, beast), (second, wolf)] {
        told();
        let calls = world.client(client).calls::<Beast>(object);
        calls.cmd_feed(2).unwrap();
        world.frame();
        let calls = world.server.calls::<Beast>(object);
        calls.to(Target::One(client)).rpc_roar(3).unwrap();
        world
            .server
            .calls::<Beast>(object)
            .target_bite(client)
            .unwrap();
        world.frame();
        assert_eq!(
            told(),
            ["Beast CmdFeed 2", "Beast RpcRoar 3", "Beast TargetBite"]
        );
    }
}

// OverrideVirtualCommandIsCalled, OverrideVirtualRpcIsCalled, OverrideVirtualWithBaseCallsBothVirtualAndBase,
// OverrideVirtualWithBaseCallsAllMethodsThatCallBase.
#[test]
fn overriding_call_runs_and_may_call_the_base() {
    let mut world = world_of(beasts);
    let (client, bear) = world.join(Bear::default());
    told();
    world
        .client(client)
        .calls::<Bear>(bear)
        .cmd_feed(2)
        .unwrap();
    world.frame();
    world.server.calls::<Bear>(bear).rpc_roar(3).unwrap();
    world
        .server
        .calls::<Bear>(bear)
        .target_bite(client)
        .unwrap();
    world.frame();
    assert_eq!(
        told(),
        [
            "Bear CmdFeed 2",
            "Beast CmdFeed 2",
            "Bear RpcRoar 3",
            "Bear TargetBite",
            "Beast TargetBite"
        ]
    );
    assert_eq!(world.seen::<Bear>(client, bear).base.anger, -2);
}

// CommandOverloads, RpcOverload, TargetRpcOverload: the hash of a method has its arguments in it. Rust has no
// overloads, so two methods name what they are in C#.
#[test]
fn overloads_of_c_sharp_have_distinct_hashes() {
    #[derive(NetworkBehaviour, Default)]
    struct Loud {
        #[sync_var]
        volume: SyncVar<i32>,
    }

    #[network_calls]
    impl Loud {
        #[command(mirror = "System.Void Loud::CmdSay(System.Int32)")]
        fn cmd_say(&mut self, number: i32) {
            tell(format!("number {number}"));
        }

        #[command(mirror = "System.Void Loud::CmdSay(System.Int32,System.Int32)")]
        fn cmd_say_both(&mut self, first: i32, second: i32) {
            tell(format!("numbers {first} {second}"));
        }

        #[client_rpc(mirror = "System.Void Loud::RpcSay(System.Int32)")]
        fn rpc_say(&mut self, number: i32) {
            tell(format!("rpc {number}"));
        }

        #[client_rpc(mirror = "System.Void Loud::RpcSay(System.Int32,System.Int32)")]
        fn rpc_say_both(&mut self, first: i32, second: i32) {
            tell(format!("rpc {first} {second}"));
        }
    }

    let prefabs = || MirrorPrefabs::new().register::<Loud>(MirrorPrefab::new("loud", 1.into()));
    let mut world = world_of(prefabs);
    let (client, loud) = world.join(Loud::default());
    told();
    world
        .client(client)
        .calls::<Loud>(loud)
        .cmd_say_both(1, 2)
        .unwrap();
    world.client(client).calls::<Loud>(loud).cmd_say(3).unwrap();
    world.frame();
    world.server.calls::<Loud>(loud).rpc_say(4).unwrap();
    world.server.calls::<Loud>(loud).rpc_say_both(5, 6).unwrap();
    world.frame();
    assert_eq!(told(), ["numbers 1 2", "number 3", "rpc 4", "rpc 5 6"]);
}
