//! Content of the Rust module.

/// Everything that the module declares.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// By full name in C#.
    pub(crate) behaviours: Vec<Behaviour>,
    pub(crate) values: Vec<Value>,
    pub(crate) prefabs: Vec<Prefab>,
    pub(crate) scenes: Vec<Scene>,
    pub(crate) controllers: Vec<Controller>,
}

#[derive(Debug)]
pub(crate) struct Behaviour {
    pub(crate) name: String,
    pub(crate) csharp: String,
    pub(crate) file: String,
    /// Name of the base behaviour, and of the field that contains it.
    pub(crate) base: Option<(String, String)>,
    pub(crate) fields: Vec<Field>,
    pub(crate) calls: Vec<Call>,
    pub(crate) hooks: Vec<Hook>,
    /// Reasons why prefabs cannot have it: bytes that the module does not know.
    pub(crate) incomplete: Vec<String>,
    /// Its first base is the player in a room.
    pub(crate) is_room_player: bool,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Name in C#.
    pub(crate) csharp: String,
    pub(crate) container: Container,
    /// Type of the keys of a dictionary.
    pub(crate) key: Option<ValueType>,
    /// Type of the value, or of the elements.
    pub(crate) ty: ValueType,
    pub(crate) hook: Option<String>,
    /// Initial value in Rust, without its container; the default otherwise.
    pub(crate) initial: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Variable,
    List,
    Dictionary,
    HashSet,
    SortedSet,
    /// A field that does not travel.
    Local,
}

impl Container {
    /// Returns the expression of a field with an initial value, by default that of `Default`.
    pub(crate) fn filled(self, initial: Option<&str>) -> String {
        match initial {
            None => "Default::default()".to_owned(),
            Some(initial) if self != Self::Variable => initial.to_owned(),
            // A method binds more strongly than a sign.
            Some(initial) if initial.starts_with('-') => format!("({initial}).into()"),
            Some(initial) => format!("{initial}.into()"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Hook {
    pub(crate) name: String,
    pub(crate) csharp: String,
    pub(crate) ty: String,
}

#[derive(Debug)]
pub(crate) struct Call {
    /// `command`, `client_rpc` or `target_rpc`.
    pub(crate) attribute: &'static str,
    /// Settings of the attribute besides the name.
    pub(crate) settings: Vec<String>,
    pub(crate) name: String,
    /// Method that runs it.
    pub(crate) handler: String,
    /// Full name in C#.
    pub(crate) csharp: String,
    /// Names and types.
    pub(crate) arguments: Vec<(String, String)>,
}

/// A struct or enumeration.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) csharp: String,
    pub(crate) file: String,
    pub(crate) content: Content,
    /// Whether it can be a key or an element of a set.
    pub(crate) is_key: bool,
    /// Full name of a `NetworkMessage`.
    pub(crate) message: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// Names and types.
    Struct(Vec<(String, String)>),
    /// Names and numbers, each number once; further names of the same numbers.
    Enum {
        repr: &'static str,
        variants: Vec<(String, i128)>,
        aliases: Vec<(String, String)>,
    },
    /// An enumeration with values besides its names: flags, or none for 0.
    Number {
        repr: &'static str,
        constants: Vec<(String, i128)>,
    },
}

/// A prefab, or the components of an object in a scene.
#[derive(Debug)]
pub(crate) struct Prefab {
    pub(crate) name: String,
    /// Function that creates its behaviours.
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) registration: Registration,
    pub(crate) components: Vec<Component>,
    /// Reason why it is not registered.
    pub(crate) unregistered: Option<String>,
}

/// Entry of a prefab in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registration {
    /// By its asset id.
    Asset(u32),
    /// Components that only an object of a scene has.
    Scene,
    /// None: an object of a scene whose values differ from its prefab's.
    Values,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    /// Path of the behaviour's type.
    pub(crate) ty: String,
    /// Expression that creates it.
    pub(crate) create: String,
    /// Calls on `Component`, such as `.sync_mode(SyncMode::Owner)`.
    pub(crate) settings: Vec<String>,
}

/// A scene with objects of the network.
#[derive(Debug)]
pub(crate) struct Scene {
    /// Name in Rust.
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) objects: Vec<SceneObject>,
}

#[derive(Debug)]
pub(crate) struct SceneObject {
    /// Constant of its id.
    pub(crate) constant: String,
    pub(crate) name: String,
    pub(crate) id: u64,
    /// Name of its entry in the registry.
    pub(crate) prefab: String,
    /// Function that creates its behaviours.
    pub(crate) function: String,
    /// Fields of `MirrorSpawnOptions` with its place, such as `position: Vector3::new(..)`.
    pub(crate) place: Vec<String>,
}

/// A controller of animators.
#[derive(Debug)]
pub(crate) struct Controller {
    /// Name in Rust.
    pub(crate) name: String,
    pub(crate) file: String,
    /// Expressions of the parameters and layers.
    pub(crate) parameters: Vec<String>,
    pub(crate) layers: Vec<String>,
    /// Constants of the parameters: name, C# name, type and value.
    pub(crate) constants: Vec<[String; 4]>,
}

/// A type that travels.
#[derive(Clone, Debug)]
pub(crate) struct ValueType {
    pub(crate) rust: String,
    /// Full name, as in the names of calls.
    pub(crate) csharp: String,
    pub(crate) shape: Shape,
    /// Whether it is a value type in C#, so that `T?` is `Nullable<T>`.
    pub(crate) is_value: bool,
    /// Whether it can be a key or an element of a set.
    pub(crate) is_key: bool,
}

/// Form of the constants of a type.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Integer,
    Float,
    Double,
    Boolean,
    Character,
    Text,
    /// Floats or integers with these names, of a type with `new`.
    Floats(&'static [&'static str]),
    Integers(&'static [&'static str]),
    /// Full name of an enumeration.
    Enumeration(String),
    /// A struct or class of the project.
    Structure,
    Reference,
    Optional(Box<ValueType>),
    Sequence(Box<ValueType>),
    Opaque,
}
