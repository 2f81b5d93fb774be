use syncvar::prelude::*;
use syncvar::values::{Ray2D, Vector2Int, Vector3Int};

#[derive(NetworkBehaviour)]
struct Piece {
    #[sync_var]
    cell: Vector2Int,
    #[sync_var]
    voxel: Vector3Int,
    #[sync_var]
    sight: Ray2D,
}

fn main() {}
