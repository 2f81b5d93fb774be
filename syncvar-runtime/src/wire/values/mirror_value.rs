//! Values with a form in Mirror and without one in UNet: a mask of layers, and a date of .NET.

use std::time::{Duration, SystemTime};

use crate::schema::TypeSchema;
use crate::wire::{NetworkReader, NetworkWriter, ReadError, SyncValue};

/// Unity's set of layers: bit *i* stands for layer *i*, of 32.
///
/// In `Unet` and `Compact` it travels as a `u32`, a layout of `syncvar`. Mirror sends the low 16 bits
/// alone, so that layers from 16 on are lost there.
///
/// ```
/// use syncvar::{values::LayerMask, wire::{Encoding, NetworkWriter}};
///
/// let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
/// writer.write(&LayerMask(1 << 8 | 1 << 20));
/// assert_eq!(writer.as_bytes(), [0, 1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayerMask(pub u32);

impl LayerMask {
    /// Returns whether the set contains a layer, counted from 0.
    pub const fn contains(self, layer: u32) -> bool {
        layer < u32::BITS && self.0.unbounded_shr(layer) & 1 == 1
    }
}

#[diagnostic::do_not_recommend]
impl SyncValue for LayerMask {
    const SCHEMA: TypeSchema = TypeSchema::Named("LayerMask");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        let [low, high, ..] = self.0.to_le_bytes();
        writer.write_fixed_or([low, high], |writer| writer.write_unsigned(self.0));
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let low = |bytes| u32::from(u16::from_le_bytes(bytes));
        let mask = reader.read_fixed_or(low, |reader| reader.read_unsigned("LayerMask"));
        mask.map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// .NET's OLE automation date, Mirror's form of a `DateTime`: the days since midnight of
/// 1899-12-30, without a time zone. In every encoding an `f64`.
///
/// The fraction is the time of the day, also before that date: -1.25 is six o'clock of
/// 1899-12-29. Mirror writes whole milliseconds, so a conversion truncates to
/// milliseconds.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use syncvar::values::OaDate;
///
/// let new_year = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_800); // 2000-01-01
/// assert_eq!(OaDate::from(new_year), OaDate(36_526.0));
/// assert_eq!(OaDate(36_526.0).to_system_time(), Some(new_year));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OaDate(pub f64);

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// Seconds of a day.
const SECONDS: f64 = 86_400.0;
/// Time from 1899-12-30 to 1970-01-01.
const UNIX_EPOCH: Duration = Duration::from_hours(25_569 * 24);
/// End of .NET's dates, exclusive: 10000-01-01.
const END: f64 = 2_958_466.0;
/// Limit of .NET's dates in the past: the year 99.
const BEGIN: f64 = -657_435.0;

impl OaDate {
    /// Returns the time in UTC, to the nearest millisecond; `None` outside of .NET's years 100 to
    /// 9999, and for NaN.
    pub fn to_system_time(self) -> Option<SystemTime> {
        if !(self.0 > BEGIN && self.0 < END) {
            return None;
        }
        let (days, part) = (self.0.trunc().abs(), self.0.fract().abs());
        let days = Duration::try_from_secs_f64(days * SECONDS).ok()?;
        let time = (part * SECONDS * 1000.0).round() / 1000.0;
        let time = Duration::try_from_secs_f64(time).ok()?;
        let first = SystemTime::UNIX_EPOCH.checked_sub(UNIX_EPOCH)?;
        let midnight = if self.0 < 0.0 {
            first.checked_sub(days)
        } else {
            first.checked_add(days)
        };
        midnight?.checked_add(time)
    }
}

/// The date in UTC.
impl From<SystemTime> for OaDate {
    fn from(time: SystemTime) -> Self {
        let since = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => since.saturating_add(UNIX_EPOCH),
            Err(before) => match UNIX_EPOCH.checked_sub(before.duration()) {
                Some(since) => since,
                None => return Self::before(before.duration().saturating_sub(UNIX_EPOCH)),
            },
        };
        Self(days(whole_millis(since)))
    }
}

impl OaDate {
    /// Returns the date of a span before the first date: full days back, then the time of that day.
    fn before(span: Duration) -> Self {
        let millis = whole_millis(span);
        let full_days = millis.div_ceil(DAY).saturating_mul(DAY);
        let time = full_days.saturating_sub(millis);
        Self(-days(full_days.saturating_add(time)))
    }
}

fn whole_millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Returns milliseconds as days, rounded once, as in .NET.
fn days(millis: u64) -> f64 {
    let [a, b, c, d, high @ ..] = millis.to_le_bytes();
    let (low, high) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(high));
    (f64::from(high) * 4_294_967_296.0 + f64::from(low)) / (SECONDS * 1000.0)
}

#[diagnostic::do_not_recommend]
impl SyncValue for OaDate {
    const SCHEMA: TypeSchema = TypeSchema::Named("OaDate");

    #[inline]
    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_f64(self.0);
    }

    #[inline]
    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        reader.read_f64().map(Self)
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
}
