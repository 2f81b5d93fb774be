//! Types on the wire, and their members and variants.

/// Description of a type on the wire.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TypeSchema {
    /// A type that its name describes completely.
    Named(&'static str),
    /// Members in order.
    Struct {
        /// Name of the struct.
        name: &'static str,
        /// Members that travel, in declaration order.
        members: &'static [MemberSchema],
    },
    /// A variant among several.
    Enum {
        /// Name of the enumeration.
        name: &'static str,
        /// Variants, in declaration order.
        variants: &'static [VariantSchema],
    },
    /// Any number of elements.
    Sequence(&'static TypeSchema),
    /// A fixed number of elements.
    Array(&'static TypeSchema, usize),
    /// One value or none.
    Optional(&'static TypeSchema),
    /// Any number of keys, each with a value.
    Map(&'static TypeSchema, &'static TypeSchema),
    /// Any number of distinct elements.
    Set(&'static TypeSchema),
    /// A collection that sends its changes as operations. In the `Mirror` encoding it is a `SyncObject`
    /// and precedes the remaining fields.
    Collection {
        /// Name of the collection.
        name: &'static str,
        /// Types of the elements, or of keys and values.
        parts: &'static [TypeSchema],
    },
    /// A value in the encoding of a [codec](crate::SyncCodec).
    Encoded {
        /// Name of the codec.
        codec: &'static str,
        /// Parameters that decide the bytes: bounds, steps, bits.
        parameters: &'static [i64],
        /// Type of the encoded value.
        value: &'static TypeSchema,
    },
    /// A type whose layout its schema does not state: [`TypeSchema::measured`].
    Measured {
        /// Schema that both ends compare.
        schema: &'static TypeSchema,
        /// Function that returns the length of a value.
        measure: Measure,
    },
}

/// Function that returns the length of the value at the start of some bytes, in `Compact` or in `Unet`;
/// `None` for bytes that do not begin with a value.
pub type Measure = fn(bytes: &[u8], is_compact: bool) -> Option<usize>;

/// Description of a member of a struct or variant, or of an argument of a call.
///
/// ```
/// use syncvar::schema::{MemberSchema, TypeSchema};
///
/// const HEALTH: MemberSchema = MemberSchema::new("health", TypeSchema::Named("i32")).was(&["hp"]);
/// assert_eq!(HEALTH.was, ["hp"]);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MemberSchema {
    /// Name of the member, or its position.
    pub name: &'static str,
    /// Former names, newest first.
    pub was: &'static [&'static str],
    /// Type of the member.
    pub schema: TypeSchema,
}

/// Description of a variant of an enumeration.
///
/// ```
/// use syncvar::schema::VariantSchema;
///
/// const UNKNOWN: VariantSchema = VariantSchema::new("Unknown", 2, &[]).other();
/// assert!(UNKNOWN.is_other);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VariantSchema {
    /// Name of the variant.
    pub name: &'static str,
    /// Former names, newest first.
    pub was: &'static [&'static str],
    /// Number on the wire.
    pub number: i64,
    /// Members of the variant.
    pub members: &'static [MemberSchema],
    /// Set if the variant takes the place of each variant that this build does not know.
    pub is_other: bool,
}

impl MemberSchema {
    /// Describes a member by its name, or its position, and its type.
    pub const fn new(name: &'static str, schema: TypeSchema) -> Self {
        Self {
            name,
            was: &[],
            schema,
        }
    }

    /// Sets the former names, newest first: `#[sync_value(was = "hp")]`.
    #[must_use]
    pub const fn was(mut self, names: &'static [&'static str]) -> Self {
        self.was = names;
        self
    }
}

impl VariantSchema {
    /// Describes a variant by its name, its number on the wire and its members.
    pub const fn new(name: &'static str, number: i64, members: &'static [MemberSchema]) -> Self {
        Self {
            name,
            was: &[],
            number,
            members,
            is_other: false,
        }
    }

    /// Sets the former names, newest first: `#[sync_value(was = "Stroll")]`.
    #[must_use]
    pub const fn was(mut self, names: &'static [&'static str]) -> Self {
        self.was = names;
        self
    }

    /// Lets the variant take the place of each variant that this build does not know:
    /// `#[sync_value(other)]`. Its members then have their zero values.
    ///
    /// # Panics
    ///
    /// When a member has no zero value, such as a `NonZero` number or a type written by hand. Constants are built
    /// with it, so this is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn other(mut self) -> Self {
        assert!(
            all_have_zero(self.members),
            "a member of the variant for unknown variants has no zero value: numbers, texts, options and lists have one"
        );
        self.is_other = true;
        self
    }
}

impl TypeSchema {
    /// Returns whether the type is a collection that sends its changes as operations.
    pub(super) const fn is_collection(&self) -> bool {
        matches!(self, Self::Collection { .. })
    }

    /// Returns whether bytes of zeros alone are a value of the type: the number 0, no element, no text.
    pub const fn has_zero(&self) -> bool {
        match self {
            Self::Named(name) => is_zero_type(name),
            Self::Struct { members, .. } => all_have_zero(members),
            Self::Enum { variants, .. } => {
                let mut index = 0;
                while index < variants.len() {
                    if variants[index].number == 0 {
                        return all_have_zero(variants[index].members);
                    }
                    index += 1;
                }
                false
            }
            Self::Sequence(_) | Self::Optional(_) | Self::Map(..) | Self::Set(_) => true,
            Self::Array(Self::Named(name), _) if is_text(name, "FixedString") => true,
            Self::Array(element, _) => element.has_zero(),
            Self::Collection { .. } | Self::Encoded { .. } | Self::Measured { .. } => false,
        }
    }
}

const fn all_have_zero(members: &[MemberSchema]) -> bool {
    let mut index = 0;
    while index < members.len() {
        if !members[index].schema.has_zero() {
            return false;
        }
        index += 1;
    }
    true
}

/// Named types of WIRE.md section 2 of which bytes of zeros are a value: all but the `NonZero` numbers and `Postcard`.
const ZERO_TYPES: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "f32",
    "f64",
    "bool",
    "char",
    "String",
    "Duration",
    "Decimal",
    "Vector2",
    "Vector3",
    "Vector4",
    "Vector2Int",
    "Vector3Int",
    "Quaternion",
    "Color",
    "Color32",
    "Rect",
    "Plane",
    "Ray",
    "Ray2D",
    "Matrix4x4",
    "LayerMask",
    "OaDate",
    "NetworkHash128",
    "NetId",
    "NetworkSceneId",
    "NetRef",
    "BehaviourRef",
    "Uuid",
    "DVec2",
    "DVec3",
    "DVec4",
    "IVec4",
    "UVec2",
    "UVec3",
    "UVec4",
    "DQuat",
    "Mat2",
    "Mat3",
];

const fn is_zero_type(name: &str) -> bool {
    let mut index = 0;
    while index < ZERO_TYPES.len() {
        if is_text(ZERO_TYPES[index], name) {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns whether two texts are equal, in a constant.
const fn is_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
