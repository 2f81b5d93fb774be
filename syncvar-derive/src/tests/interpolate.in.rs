#[derive(Interpolate)]
struct Pose {
    position: Vector3,
    heading: f32,
    #[sync_value(skip)]
    seen: bool,
}
