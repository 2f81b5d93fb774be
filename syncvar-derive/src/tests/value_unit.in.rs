#[derive(SyncValue)]
struct Nothing;
