//! Calls of bases, of two behaviours of one type, and of generic behaviours.

use syncvar::NetworkBehaviour;
use syncvar::{Framing, calls::CallError};

use super::world::{Cell, Creature, DIALECTS, Orc, Unit, Wolf, network, raised, seen};

// checklist: T63
#[test]
fn calls_of_a_base_work_on_the_derived_object() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let orc = net.server.spawn(Orc::default());
        let wolf = net.server.spawn(Wolf::default());
        net.settle();
        net.client_mut(0).calls::<Creature>(orc).feed(5).unwrap();
        net.client_mut(0).calls::<Orc>(orc).anger(7).unwrap();
        net.client_mut(0).calls::<Creature>(wolf).feed(2).unwrap();
        net.server
            .calls::<Creature>(orc)
            .roar("grr".into())
            .unwrap();
        net.server.calls::<Orc>(orc).charge(3).unwrap();
        net.server
            .calls::<Creature>(wolf)
            .roar("howl".into())
            .unwrap();
        net.server
            .calls::<Creature>(orc)
            .died("hunger".into())
            .unwrap();
        net.settle();
        let replica = net.client(0).get::<Orc>(orc).unwrap();
        assert_eq!((*replica.base.health, *replica.rage), (5, 7));
        assert_eq!(replica.base.log, ["grr", "charge 3"]);
        let replica = net.client(0).get::<Wolf>(wolf).unwrap();
        assert_eq!(*replica.base.health, 2);
        assert_eq!(replica.base.log, ["howl"]);
        let events = raised(&mut net, 0);
        assert_eq!(
            events[0].arguments(Creature::DIED),
            Some(("hunger".into(),))
        );
    }
}

#[test]
fn calls_come_after_those_of_the_base() {
    let names: Vec<_> = Orc::INFO
        .calls
        .own()
        .iter()
        .map(|call| call.unity_name)
        .collect();
    assert_eq!(names, ["CmdAnger", "RpcCharge"]);
    assert_eq!(
        (Orc::INFO.calls.inherited(), Orc::INFO.calls.count()),
        (3, 5)
    );
    assert_eq!(
        (Wolf::INFO.calls.inherited(), Wolf::INFO.calls.count()),
        (3, 3)
    );
}

#[test]
fn an_object_without_the_behaviour_is_an_error() {
    let mut net = network(Framing::Compact, 1);
    let orc = net.server.spawn(Orc::default());
    net.settle();
    let missing = |behaviour| CallError::NoSuchBehaviour {
        object: orc,
        behaviour,
    };
    let error = net.server.calls::<Unit>(orc).hear("x".into());
    assert_eq!(error, Err(missing("Unit")));
    let error = net.client_mut(0).calls::<Unit>(orc).open();
    assert_eq!(error, Err(missing("Unit")));
    let error = net.server.calls_at::<Orc>(orc, 1).charge(1);
    assert_eq!(error, Err(missing("Orc")));
}

#[test]
fn calls_distinguish_two_behaviours_of_one_type() {
    let mut net = network(Framing::Compact, 1);
    let id = net.server.spawn((Unit::default(), Unit::default()));
    net.settle();
    net.server.calls::<Unit>(id).hear("one".into()).unwrap();
    net.server
        .calls_at::<Unit>(id, 1)
        .hear("two".into())
        .unwrap();
    net.server.calls_at::<Unit>(id, 1).passed().unwrap();
    net.client_mut(0).calls_at::<Unit>(id, 1).open().unwrap();
    net.settle();
    let log = |index| &net.client(0).get_at::<Unit>(id, index).unwrap().log;
    assert_eq!(
        (log(0), log(1)),
        (&vec!["hear one".into()], &vec!["hear two".into()])
    );
    let log = |index| &net.server.get_at::<Unit>(id, index).unwrap().log;
    assert_eq!((log(0).len(), log(1)), (0, &vec!["open by Some(1)".into()]));
    assert_eq!(raised(&mut net, 0)[0].behaviour(), 1);
    assert_eq!(seen(&net, 0, id), ["hear one"]);
}

#[test]
fn in_the_bytes_of_unet_the_second_of_two_cannot_be_called() {
    let mut net = network(Framing::Unet, 1);
    let id = net.server.spawn((Unit::default(), Unit::default()));
    net.settle();
    net.server
        .calls_at::<Unit>(id, 0)
        .hear("one".into())
        .unwrap();
    let error = net.server.calls_at::<Unit>(id, 1).hear("two".into());
    assert_eq!(error, Err(CallError::Ambiguous));
    let error = net.client_mut(0).calls_at::<Unit>(id, 1).open();
    assert_eq!(error, Err(CallError::Ambiguous));
    net.settle();
    assert_eq!(seen(&net, 0, id), ["hear one"]);
}

#[test]
fn a_generic_behaviour_has_calls() {
    let mut net = network(Framing::Compact, 1);
    let id = net
        .server
        .spawn((Cell::<u32>::default(), Cell::<String>::default()));
    net.settle();
    net.client_mut(0).calls::<Cell<u32>>(id).store(300).unwrap();
    net.client_mut(0)
        .calls::<Cell<String>>(id)
        .store("x".into())
        .unwrap();
    net.server
        .calls::<Cell<String>>(id)
        .show("y".into())
        .unwrap();
    net.server
        .calls::<Cell<String>>(id)
        .stored("z".into(), 2)
        .unwrap();
    net.settle();
    let (numbers, texts) = (
        net.client(0).get::<Cell<u32>>(id).unwrap(),
        net.client(0).get::<Cell<String>>(id).unwrap(),
    );
    assert_eq!((*numbers.value, numbers.last), (300, None));
    assert_eq!((&**texts.value, texts.last.as_deref()), ("x", Some("y")));
    let events = raised(&mut net, 0);
    assert_eq!(events[0].arguments(Cell::<u32>::STORED), None);
    assert_eq!(
        events[0].arguments(Cell::<String>::STORED),
        Some(("z".into(), 2))
    );
}
