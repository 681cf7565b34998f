//! Codes by which workers of a run know each other, and know that bytes are as they were sent: HMAC with SHA-256 (RFC 2104).

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Bytes that SHA-256 takes at a time.
const BLOCK: usize = 64;

/// A code of some bytes.
pub(super) type Code = [u8; 32];

/// Makes codes that nobody makes who does not have the key.
#[derive(Clone)]
pub(super) struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl Key {
    pub(super) fn new(key: &Code) -> Self {
        let padded = |with: u8| {
            let mut block = [with; BLOCK];
            block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte ^= of_key);
            Sha256::new().chain_update(block)
        };
        Key { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// The code of all parts, one behind the other.
    pub(super) fn code(&self, parts: &[&[u8]]) -> Code {
        let mut inner = self.inner.clone();
        parts.iter().for_each(|part| inner.update(part));
        self.outer.clone().chain_update(inner.finalize()).finalize().into()
    }
}

/// The key of the workers that have a number and a secret in common. Those of another version have another one.
pub(super) fn key_of(key: u64, secret: &[u8]) -> Key {
    let hash = Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update([0]).chain_update(key.to_le_bytes());
    Key::new(&hash.chain_update(secret).finalize().into())
}

/// Whether two codes, or the beginnings of such, are the same; how long that takes says nothing of where they differ.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 4231, test cases 1 and 2, whose keys are as if filled up with zeros.
        for (key, data, expected) in [
            (&[0x0b; 20][..], &b"Hi There"[..], "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
        ] {
            let mut whole = [0; 32];
            whole[..key.len()].copy_from_slice(key);
            let (begin, end) = data.split_at(3);
            let code = Key::new(&whole).code(&[begin, end]);
            let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected);
        }
    }

    #[test]
    fn whoever_differs_in_anything_has_another_key() {
        let code = |key, secret: &[u8]| key_of(key, secret).code(&[b"some bytes"]);
        let all = [code(1, b""), code(2, b""), code(1, b"x"), key_of(1, b"").code(&[b"other bytes"])];
        for (k, a) in all.iter().enumerate() {
            assert!(all.iter().enumerate().all(|(other, b)| same(a, b) == (k == other)));
        }
    }
}
