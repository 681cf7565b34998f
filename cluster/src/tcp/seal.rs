//! Authentication codes (keyed BLAKE3). Workers use them to prove that they have the key of a run, and to detect changed records.

/// The code of some bytes. Two codes are compared in constant time.
pub(super) type Code = blake3::Hash;

/// Bytes of a code.
pub(super) const CODE: usize = blake3::OUT_LEN;

/// A key. Nobody without it can compute its codes.
#[derive(Clone, Copy)]
pub(super) struct Key([u8; blake3::KEY_LEN]);

impl Key {
    pub(super) fn new(code: Code) -> Self {
        Key(code.into())
    }

    /// The code of the concatenated parts.
    pub(super) fn code(&self, parts: &[&[u8]]) -> Code {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            hasher.update(part);
        }
        hasher.finalize()
    }
}

/// The key of the workers that have a number and a secret in common. Another version of this crate has another key.
pub(super) fn key_of(number: u64, secret: &[u8]) -> Key {
    let context = concat!("pleach-cluster ", env!("CARGO_PKG_VERSION"), ": the workers of a run");
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(&number.to_le_bytes()).update(secret);
    Key::new(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_depend_on_the_number_the_secret_and_the_bytes() {
        let code = |number, secret: &[u8]| key_of(number, secret).code(&[b"some bytes"]);
        let all = [code(1, b""), code(2, b""), code(1, b"x"), key_of(1, b"").code(&[b"other bytes"])];
        for (k, a) in all.iter().enumerate() {
            assert!(all.iter().enumerate().all(|(other, b)| (a == b) == (k == other)));
        }
        assert_eq!(code(1, b"x"), key_of(1, b"x").code(&[b"some", b" bytes"]));
    }
}
