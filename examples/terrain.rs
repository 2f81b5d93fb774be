//! A custom container: a map of tiles that sends the smallest rectangle around its changed tiles.
//!
//! A `SyncField` reports changes and writes itself as a snapshot or as a delta; `HookField` allows a
//! hook. Here a delta is a rectangle: a hole dug in a map of 65 536 tiles costs the bytes of a few
//! tiles.
use syncvar::prelude::*;
use syncvar::{
    SyncField,
    fields::{FieldPlace, HookField},
    schema::TypeSchema,
    stats::MessageType,
    wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind},
};

/// Tiles on each side of the map.
const SIDE: u16 = 256;

/// A part of the map: positions from `left` and `top` up to `right` and `bottom`, exclusive.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq)]
struct Area {
    left: u16,
    top: u16,
    right: u16,
    bottom: u16,
}

impl Area {
    const ALL: Self = Self {
        left: 0,
        top: 0,
        right: SIDE,
        bottom: SIDE,
    };

    /// Returns the smallest area that contains this one and a tile.
    fn with(self, x: u16, y: u16) -> Self {
        Self {
            left: self.left.min(x),
            top: self.top.min(y),
            right: self.right.max(x + 1),
            bottom: self.bottom.max(y + 1),
        }
    }

    /// Returns the tile indices of each row.
    fn rows(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let columns = usize::from(self.left)..usize::from(self.right);
        let rows = usize::from(self.top)..usize::from(self.bottom);
        let side = usize::from(SIDE);
        rows.map(move |row| row * side + columns.start..row * side + columns.end)
    }
}

/// The map.
struct Tiles {
    kinds: Vec<u8>,
    /// Tiles changed since the last update.
    changed: Option<Area>,
    /// Field that observers have as this map, apart from `changed`.
    place: FieldPlace,
}

impl Default for Tiles {
    fn default() -> Self {
        Self {
            kinds: vec![0; usize::from(SIDE) * usize::from(SIDE)],
            changed: None,
            place: FieldPlace::default(),
        }
    }
}

impl Tiles {
    fn set(&mut self, x: u16, y: u16, tile: u8) {
        let place = usize::from(y) * usize::from(SIDE) + usize::from(x);
        if std::mem::replace(&mut self.kinds[place], tile) != tile {
            let (right, bottom) = (x + 1, y + 1);
            let alone = Area {
                left: x,
                top: y,
                right,
                bottom,
            };
            self.changed = Some(self.changed.map_or(alone, |area| area.with(x, y)));
        }
    }

    fn write(&self, area: Area, writer: &mut NetworkWriter) {
        for row in area.rows() {
            writer.write_bytes(&self.kinds[row]);
        }
    }

    /// Bytes from the network must not cause a panic: the caller has checked the area, and the reader
    /// reports missing bytes.
    fn read(&mut self, area: Area, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        for row in area.rows() {
            let bytes = reader.read_bytes(row.len())?;
            self.kinds[row].copy_from_slice(bytes);
        }
        Ok(())
    }
}

impl SyncField for Tiles {
    /// Both sides compare the schema when they connect.
    const SCHEMA: TypeSchema = TypeSchema::Named("Tiles 256 x 256");

    /// After `set_dirty` the delta is complete: it suits observers that have missed earlier deltas.
    const RESENDABLE: bool = true;

    fn is_dirty(&self) -> bool {
        self.changed.is_some()
    }
    fn set_dirty(&mut self) {
        self.changed = Some(Area::ALL);
    }
    fn clear_dirty(&mut self) {
        self.changed = None;
    }
    /// After `terrain.tiles = Tiles::default()` observers have no part of this map: it is sent as a whole.
    fn place_mut(&mut self) -> Option<&mut FieldPlace> {
        Some(&mut self.place)
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        self.write(Area::ALL, writer);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        let area = self.changed.unwrap_or(Area::ALL);
        writer.write(&area);
        self.write(area, writer);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read(Area::ALL, reader)
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read_delta_with_previous(reader).map(drop)
    }
}

/// Argument of the hook: the area of changed tiles.
impl HookField for Tiles {
    type Previous = Area;

    fn read_delta_with_previous(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<Option<Area>, ReadError> {
        let area: Area = reader.read()?;
        let Area {
            left,
            top,
            right,
            bottom,
        } = area;
        if left >= right || top >= bottom || right > Area::ALL.right || bottom > Area::ALL.bottom {
            return Err(reader.error(ReadErrorKind::Custom("an area beyond the map")));
        }
        self.read(area, reader)?;
        Ok(Some(area))
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Terrain {
    #[sync_var(hook = on_tiles_changed)]
    tiles: Tiles,
    drawn: u32,
}

impl Terrain {
    fn on_tiles_changed(&mut self, area: Area) {
        self.drawn += 1;
        println!("  a client draws {area:?}: {} in all", self.drawn);
    }
}

/// Returns the encoded bytes of one kind of message so far.
fn encoded(net: &MemoryNetwork, message_type: MessageType) -> u64 {
    net.server.stats().encoded(message_type).bytes
}

fn main() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Terrain>("terrain"));
    let id = net.server.spawn(Terrain::default());
    net.settle();
    let whole = encoded(&net, MessageType::SpawnBatch);
    println!("spawned: {whole} bytes");

    for (what, hole) in [("a hole", 100..103_u16), ("a pit", 10..40)] {
        let before = encoded(&net, MessageType::UpdateBatch);
        let mut terrain = net.server.get_mut::<Terrain>(id).unwrap();
        for x in hole.clone() {
            for y in hole.clone() {
                terrain.tiles.set(x, y, 7);
            }
        }
        drop(terrain);
        // A client joins before the delta is sent: its snapshot contains the hole, which arrives once.
        let late = net.connect();
        net.settle();
        let bytes = encoded(&net, MessageType::UpdateBatch) - before;
        println!("{what}: {bytes} bytes of changes; client {late} was given the whole map");
    }

    let server = &net.server.get::<Terrain>(id).unwrap().tiles;
    for client in 0..net.client_count() {
        let replica = &net.client(client).get::<Terrain>(id).unwrap().tiles;
        assert!(replica.kinds == server.kinds, "client {client} differs");
    }
    println!("all {} clients have the server's map", net.client_count());
}
