//! Quantisation and differences of Mirror's components.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError};

/// Returns a value in whole steps of `precision`, rounded to the nearest, halves to the even one; and
/// whether the result fits. Otherwise it is the limit with the sign of the value: the minimum for NaN.
/// Mirror, `Compression.ScaleToLong`.
///
/// ```
/// use syncvar::mirror::components::{from_steps, to_steps};
///
/// assert_eq!(to_steps(1.239, 0.01), (124, true));
/// assert_eq!(from_steps(124, 0.01), 124.0 * 0.01);
/// assert_eq!(to_steps(f32::INFINITY, 0.01), (i64::MAX, false));
/// ```
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub fn to_steps(value: f32, precision: f32) -> (i64, bool) {
    /// First number beyond `i64`.
    const END: f64 = 9_223_372_036_854_775_808.0;
    let steps = f64::from(value / precision).round_ties_even();
    if (-END..END).contains(&steps) {
        return (steps as i64, true);
    }
    (if value > 0.0 { i64::MAX } else { i64::MIN }, false)
}

/// Returns the value of whole steps. Mirror, `Compression.ScaleToFloat`.
#[expect(clippy::cast_precision_loss, reason = "as in Mirror")]
pub fn from_steps(steps: i64, precision: f32) -> f32 {
    steps as f32 * precision
}

/// Writes the differences of steps to the `last` steps of both ends. Mirror, `DeltaCompression.Compress`.
///
/// ```
/// use syncvar::mirror::components::{read_differences, write_differences};
/// use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
///
/// let (last, now) = ([100, 0, -7], [105, 0, -8]);
/// let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
/// write_differences(&mut writer, last, now);
/// assert_eq!(writer.as_bytes(), [10, 0, 1]);
///
/// let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
/// assert_eq!(read_differences(&mut reader, last).unwrap(), now);
/// ```
pub fn write_differences<const N: usize>(
    writer: &mut NetworkWriter,
    last: [i64; N],
    now: [i64; N],
) {
    for (last, now) in last.into_iter().zip(now) {
        let difference = now.wrapping_sub(last);
        let folded = (difference << 1) ^ (difference >> 63);
        writer.write_var_u64(folded.cast_unsigned());
    }
}

/// Reads steps as differences to the `last` steps. Mirror, `DeltaCompression.Decompress`.
///
/// # Errors
///
/// When the message ends too early.
pub fn read_differences<const N: usize>(
    reader: &mut NetworkReader<'_>,
    last: [i64; N],
) -> Result<[i64; N], ReadError> {
    let mut now = last;
    for now in &mut now {
        let folded = reader.read_var_u64()?;
        let sign = 0_u64.wrapping_sub(folded & 1);
        *now = now.wrapping_add(((folded >> 1) ^ sign).cast_signed());
    }
    Ok(now)
}
