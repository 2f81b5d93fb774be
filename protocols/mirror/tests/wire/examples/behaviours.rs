//! Section 2: what is in the payload of a behaviour.

use syncvar::prelude::*;

use crate::examples::Examples;
use crate::payload::support::{Component, CustomSer, DocData, InhLeaf};

#[derive(NetworkBehaviour, Default)]
struct Mixed {
    #[sync_var]
    first: SyncVar<i32>,
    #[sync_var]
    list: SyncList<i32>,
    #[sync_var]
    second: SyncVar<i32>,
    #[sync_var]
    set: SyncHashSet<i32>,
    #[sync_var]
    third: SyncVar<i32>,
}

pub(crate) fn examples() -> Examples {
    let mut data = Component::new(DocData::default());
    let mut examples = vec![
        (
            "`DocData`: two `i32` of 66 and 23487, a `String`; its full state",
            data.full(),
        ),
        ("its change, when nothing is dirty", data.change()),
    ];
    data.get_mut::<DocData>().int1.set(0);
    data.get_mut::<DocData>().my_string.set(String::new());
    examples.push((
        "its change, the first field being 0 and the text empty",
        data.change(),
    ));
    examples.push(("the same after `SetDirty`", data.everything()));

    let mut leaf = Component::new(InhLeaf::default());
    leaf.get_mut::<InhLeaf>().base().base_a.set(0);
    examples.push((
        "`InhLeaf`: three classes with values and one without; its base's `i32` is 0",
        leaf.change(),
    ));
    leaf.get_mut::<InhLeaf>().leaf_b.set(0);
    examples.push(("the last field of the last class is 0, too", leaf.change()));

    let mut mixed = Component::new(Mixed::default());
    let behaviour = mixed.get_mut::<Mixed>();
    behaviour.second.set(2);
    behaviour.third.set(3);
    behaviour.set.insert(-1);
    assert!(*behaviour.first == 0 && behaviour.list.is_empty());
    examples.push((
        "a class with value, list, value, set, value: 2 for the second value, 3 for the third, -1 added to the set",
        mixed.change(),
    ));

    let mut custom = Component::new(CustomSer::default());
    custom.get_mut::<CustomSer>().0.v.set(120);
    examples.push((
        "`CustomSer`: a value of 120, and behind the sections two bytes of its own",
        custom.change(),
    ));
    examples
}
