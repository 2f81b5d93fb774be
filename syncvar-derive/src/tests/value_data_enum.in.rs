#[derive(SyncValue)]
enum Effect {
    None,
    Burn { damage: u32, seconds: f32 },
    Push(Vector3),
}
