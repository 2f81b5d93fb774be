#[derive(SyncValue)]
enum Gait {
    Stand,
    Walk = 5,
    Run,
}
