#[derive(SyncValue)]
struct Buff {
    id: u32,
    name: String,
    #[sync_value(skip)]
    icon: Option<Icon>,
}
