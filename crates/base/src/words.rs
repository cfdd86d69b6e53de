//! Enumerations whose values have names that users write and programs read.

#[doc(hidden)]
pub use serde;

/// Gives each value of an enumeration its word: `ALL`, `word`, `named`, `Display`, and serde in both
/// directions follow from one list.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Light { Red, Green }
/// provoke_base::words!(Light { Red = "red", Green = "green" });
///
/// assert_eq!(Light::named("green"), Some(Light::Green));
/// assert_eq!(Light::ALL.map(Light::word), ["red", "green"]);
/// ```
#[macro_export]
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// All values, in the order in which they are listed for users.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];

            /// The word that users write.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }

            /// The value that a word names.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|value| value.word() == word)
            }
        }

        impl $crate::words::Words for $name {
            fn all() -> Vec<$name> {
                $name::ALL.to_vec()
            }

            fn written(self) -> &'static str {
                self.word()
            }
        }

        $crate::words_as_text!($name);
    };
}

/// Values with words, for who reads any of them.
pub trait Words: Copy {
    /// All values, in the order in which they are listed for users.
    fn all() -> Vec<Self>;

    /// The word of a value.
    fn written(self) -> &'static str;

    /// The value that a word names, or a sentence that lists the words there are.
    fn read(word: &str) -> Result<Self, String> {
        let found = Self::all().into_iter().find(|value| value.written() == word);
        found.ok_or_else(|| {
            let known: Vec<_> = Self::all().into_iter().map(Self::written).collect();
            format!("`{word}` is none of {}", known.join(", "))
        })
    }
}

/// `Display` and serde for a type with [`Words`].
#[macro_export]
macro_rules! words_as_text {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::words::Words::written(*self))
            }
        }

        impl $crate::words::serde::Serialize for $name {
            fn serialize<S>(&self, serializer: S) -> Result<S::Ok, S::Error>
            where
                S: $crate::words::serde::Serializer,
            {
                serializer.serialize_str($crate::words::Words::written(*self))
            }
        }

        impl<'de> $crate::words::serde::Deserialize<'de> for $name {
            fn deserialize<D>(deserializer: D) -> Result<$name, D::Error>
            where
                D: $crate::words::serde::Deserializer<'de>,
            {
                use $crate::words::serde::de::Error;
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                <$name as $crate::words::Words>::read(&word).map_err(D::Error::custom)
            }
        }
    };
}
