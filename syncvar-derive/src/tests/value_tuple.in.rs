#[derive(SyncValue)]
struct Pair<T>(T, u8);
