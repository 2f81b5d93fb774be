#[derive(SyncValue)]
#[repr(u8)]
enum Gait {
    Stand,
    Walk = 5,
}
