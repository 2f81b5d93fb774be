use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct A;

fn main() {
    let _ = Prefabs::new().register::<(A, A, A, A, A, A, A, A, A)>("nine");
}
