//! Operators on matrices. Those on references compute, and panic where shapes do not match. Operands that are owned are borrowed: `a + b` is
//! `&a + &b`.

use std::ops::{Add, Mul, Neg, Sub};

use pleach_runtime::Store;
use pleach_runtime::kernel::ShapeError;

use crate::csr::Number;
use crate::{Csr, Matrix};

fn agreed<T>(result: Result<T, ShapeError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

impl<V: Copy + Add<Output = V> + Send + Sync> Add for &Csr<V> {
    type Output = Csr<V>;

    /// # Panics
    ///
    /// If the shapes differ; [`plus`](Csr::plus) returns an error.
    fn add(self, other: &Csr<V>) -> Csr<V> {
        agreed(self.plus(other))
    }
}

impl<V: Copy + Default + Sub<Output = V> + Send + Sync> Sub for &Csr<V> {
    type Output = Csr<V>;

    /// # Panics
    ///
    /// If the shapes differ; [`minus`](Csr::minus) returns an error.
    fn sub(self, other: &Csr<V>) -> Csr<V> {
        agreed(self.minus(other))
    }
}

impl<V: Copy + Neg<Output = V> + Send + Sync> Neg for &Csr<V> {
    type Output = Csr<V>;

    fn neg(self) -> Csr<V> {
        self.map(|value| -value)
    }
}

impl<V: Number> Mul for &Csr<V> {
    type Output = Csr<V>;

    /// # Panics
    ///
    /// If the number of columns is not the number of rows of the other; [`times`](Csr::times) returns an error.
    fn mul(self, other: &Csr<V>) -> Csr<V> {
        agreed(self.times(other))
    }
}

impl<V: Number> Mul<&[V]> for &Csr<V> {
    type Output = Vec<V>;

    /// # Panics
    ///
    /// If the length of the vector is not the number of columns; [`times_vector`](Csr::times_vector) returns an error.
    fn mul(self, vector: &[V]) -> Vec<V> {
        agreed(self.times_vector(vector))
    }
}

impl<V: Number> Mul<V> for &Csr<V> {
    type Output = Csr<V>;

    fn mul(self, factor: V) -> Csr<V> {
        self.map(|value| value * factor)
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default + Add<Output = R::Value>>> Add for &Matrix<R> {
    type Output = Matrix<R>;

    /// # Panics
    ///
    /// If the shapes differ; [`plus`](Matrix::plus) returns an error.
    fn add(self, other: &Matrix<R>) -> Matrix<R> {
        agreed(self.plus(other))
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default + Sub<Output = R::Value>>> Sub for &Matrix<R> {
    type Output = Matrix<R>;

    /// # Panics
    ///
    /// If the shapes differ; [`minus`](Matrix::minus) returns an error.
    fn sub(self, other: &Matrix<R>) -> Matrix<R> {
        agreed(self.minus(other))
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default + Neg<Output = R::Value>>> Neg for &Matrix<R> {
    type Output = Matrix<R>;

    fn neg(self) -> Matrix<R> {
        self.map(|value| -value)
    }
}

impl<R: Store<Coord = u32, Value: Number>> Mul for &Matrix<R> {
    type Output = Matrix<R>;

    /// # Panics
    ///
    /// If the number of columns is not the number of rows of the other; [`times`](Matrix::times) returns an error.
    fn mul(self, other: &Matrix<R>) -> Matrix<R> {
        agreed(self.times(other))
    }
}

impl<R: Store<Coord = u32, Value: Number>> Mul<&[R::Value]> for &Matrix<R> {
    type Output = Vec<R::Value>;

    /// # Panics
    ///
    /// If the length of the vector is not the number of columns; [`times_vector`](Matrix::times_vector) returns an error.
    fn mul(self, vector: &[R::Value]) -> Vec<R::Value> {
        agreed(self.times_vector(vector))
    }
}

// One for all types of values would overlap with the product with a vector.
macro_rules! multiples {
    ($($value:ty)*) => {$(
        impl<R: Store<Coord = u32, Value = $value>> Mul<$value> for &Matrix<R> {
            type Output = Matrix<R>;

            fn mul(self, factor: $value) -> Matrix<R> {
                self.map(|value| value * factor)
            }
        }

        impl<R: Store<Coord = u32, Value = $value>> Mul<$value> for Matrix<R> {
            type Output = Matrix<R>;

            /// As of references.
            fn mul(self, factor: $value) -> Matrix<R> {
                &self * factor
            }
        }
    )*};
}

multiples! { f32 f64 i32 i64 u32 u64 }

macro_rules! owned {
    ($([$($param:tt)*] $matrix:ty: $trait:ident $method:ident;)*) => {$(
        impl<$($param)*> $trait for $matrix {
            type Output = $matrix;

            /// As of references.
            fn $method(self, other: $matrix) -> $matrix {
                $trait::$method(&self, &other)
            }
        }

        impl<$($param)*> $trait<&$matrix> for $matrix {
            type Output = $matrix;

            /// As of references.
            fn $method(self, other: &$matrix) -> $matrix {
                $trait::$method(&self, other)
            }
        }

        impl<$($param)*> $trait<$matrix> for &$matrix {
            type Output = $matrix;

            /// As of references.
            fn $method(self, other: $matrix) -> $matrix {
                $trait::$method(self, &other)
            }
        }
    )*};
}

owned! {
    [V: Copy + Add<Output = V> + Send + Sync] Csr<V>: Add add;
    [V: Copy + Default + Sub<Output = V> + Send + Sync] Csr<V>: Sub sub;
    [V: Number] Csr<V>: Mul mul;
    [R: Store<Coord = u32, Value: Copy + Default + Add<Output = R::Value>>] Matrix<R>: Add add;
    [R: Store<Coord = u32, Value: Copy + Default + Sub<Output = R::Value>>] Matrix<R>: Sub sub;
    [R: Store<Coord = u32, Value: Number>] Matrix<R>: Mul mul;
}

impl<V: Number> Mul<&[V]> for Csr<V> {
    type Output = Vec<V>;

    /// As of references.
    fn mul(self, vector: &[V]) -> Vec<V> {
        &self * vector
    }
}

impl<V: Number> Mul<V> for Csr<V> {
    type Output = Csr<V>;

    /// As of references.
    fn mul(self, factor: V) -> Csr<V> {
        &self * factor
    }
}

impl<R: Store<Coord = u32, Value: Number>> Mul<&[R::Value]> for Matrix<R> {
    type Output = Vec<R::Value>;

    /// As of references.
    fn mul(self, vector: &[R::Value]) -> Vec<R::Value> {
        &self * vector
    }
}

impl<V: Copy + Neg<Output = V> + Send + Sync> Neg for Csr<V> {
    type Output = Csr<V>;

    fn neg(self) -> Csr<V> {
        -&self
    }
}

impl<R: Store<Coord = u32, Value: Copy + Default + Neg<Output = R::Value>>> Neg for Matrix<R> {
    type Output = Matrix<R>;

    fn neg(self) -> Matrix<R> {
        -&self
    }
}

#[cfg(test)]
mod tests {
    use pleach_runtime::Packed;

    use super::*;
    use crate::Coo;

    #[test]
    fn owned_operands_are_those_of_references() {
        let a = Csr::from_entries(2, 2, [(0, 0, 1), (0, 1, 2), (1, 1, -3)]).unwrap();
        let b = Csr::from_entries(2, 2, [(0, 1, 5), (1, 0, 7)]).unwrap();
        let (sum, difference, product) = (&a + &b, &a - &b, &a * &b);
        assert_eq!((a.clone() + b.clone(), a.clone() + &b, &a + b.clone()), (sum.clone(), sum.clone(), sum));
        assert_eq!(a.clone() - b.clone(), difference);
        assert_eq!(a.clone() * &b, product);
        assert_eq!(-a.clone(), a.clone() * -1);
        assert_eq!(a.clone() * &[2, 1][..], [4, -3]);
        let matrix = |csr: &Csr<i64>| Matrix::<Packed<u32, i64>>::from(&Coo::from(csr.clone()));
        let found = matrix(&a) * (matrix(&b) - matrix(&a)) + -matrix(&b);
        let expected = &(&a * &(&b - &a)) - &b;
        assert_eq!(Csr::from(&found), expected);
        assert_eq!(Csr::from(&(matrix(&a) * 3)), &a * 3);
        assert_eq!(matrix(&a) * &[2, 1][..], [4, -3]);
    }
}
