use syncvar::prelude::*;

#[derive(Clone, Default, PartialEq)]
struct Weapon;

#[derive(NetworkBehaviour, Default)]
struct Soldier {
    #[sync_var]
    weapon: SyncVar<Serializable<Weapon>>,
}

fn main() {}
