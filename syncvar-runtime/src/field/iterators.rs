//! Wrapped iterators, so that no type of a dependency is part of the API.

/// Forwards the iterator traits to the wrapped one.
macro_rules! wrapped_iterator {
    ($name:ident<$($parameter:tt),+>, $item:ty) => {
        impl<$($parameter),+> Iterator for $name<$($parameter),+> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($parameter),+> DoubleEndedIterator for $name<$($parameter),+> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back()
            }
        }

        impl<$($parameter),+> ExactSizeIterator for $name<$($parameter),+> {}

        impl<$($parameter),+> std::iter::FusedIterator for $name<$($parameter),+> {}
    };
}

pub(super) use wrapped_iterator;
