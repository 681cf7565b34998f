//! Numbers out of bytes, eight digits at a time.

use crate::error::Fault;

/// A vertex id as wide as the file needs it: almost all files are read in 32 bits.
pub(crate) trait Id: Copy + Ord + Send + Sync + 'static {
    /// Narrows, or says that this width is too small.
    fn from_wide(id: u64) -> Option<Self>;
    /// The id in 64 bits.
    fn wide(self) -> u64;
}

impl Id for u32 {
    #[inline(always)]
    fn from_wide(id: u64) -> Option<u32> {
        u32::try_from(id).ok()
    }
    #[inline(always)]
    fn wide(self) -> u64 {
        u64::from(self)
    }
}

impl Id for u64 {
    #[inline(always)]
    fn from_wide(id: u64) -> Option<u64> {
        Some(id)
    }
    #[inline(always)]
    fn wide(self) -> u64 {
        self
    }
}

/// Why digits are no 64-bit number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// There is no digit.
    Missing,
    /// There are too many.
    Overflow,
}

/// Reads the whole number at `at` and moves `at` behind its last digit.
///
/// The caller guarantees eight bytes behind every position of the text (the padding of a block).
#[inline(always)]
pub(crate) fn whole(bytes: &[u8], at: &mut usize) -> Result<u64, NoNumber> {
    let (value, digits) = leading_digits(word(bytes, *at));
    if digits == 0 {
        return Err(NoNumber::Missing);
    }
    *at += digits;
    if digits < 8 { Ok(value) } else { whole_rest(bytes, at, value) }
}

/// Continues a number of more than seven digits.
#[inline(never)]
fn whole_rest(bytes: &[u8], at: &mut usize, mut value: u64) -> Result<u64, NoNumber> {
    while bytes[*at].is_ascii_digit() {
        let digit = u64::from(bytes[*at] - b'0');
        value = value.checked_mul(10).and_then(|v| v.checked_add(digit)).ok_or(NoNumber::Overflow)?;
        *at += 1;
    }
    Ok(value)
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("blocks are padded"))
}

/// The value and the number of the decimal digits that lead in `word`, whose first character is its lowest byte.
///
/// Digits are found by carries within bytes (a byte of `0x76` more than a digit stays below `0x80`) and folded pairwise, as in Lemire,
/// "Number parsing at a gigabyte per second" (2021), section 5.
#[inline(always)]
fn leading_digits(word: u64) -> (u64, usize) {
    let x = word ^ 0x3030_3030_3030_3030;
    let others = (x.wrapping_add(0x7676_7676_7676_7676) | x) & 0x8080_8080_8080_8080;
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // Shift the digits to the top: what is missing becomes leading zeros.
    let x = x << (64 - 8 * digits);
    let x = x.wrapping_mul(10).wrapping_add(x >> 8) & 0x00ff_00ff_00ff_00ff;
    let x = x.wrapping_mul(100).wrapping_add(x >> 16) & 0x0000_ffff_0000_ffff;
    let x = x.wrapping_mul(10_000).wrapping_add(x >> 32) & 0xffff_ffff;
    (x, digits)
}

/// Reads the finite number at `at` and moves `at` behind it. The text is that of a closed, padded block.
#[inline(always)]
pub(crate) fn real(bytes: &[u8], at: &mut usize) -> Result<f64, Fault> {
    if let Some((value, length)) = short_decimal(bytes, *at) {
        *at += length;
        return Ok(value);
    }
    real_any(bytes, at)
}

/// The value and the length of a number of at most seven digits before its point and at most seven behind it, without sign and exponent.
///
/// Its digits and the power of ten are exact in 64 bits, so that their quotient is rounded once and rightly (Clinger, "How to read floating
/// point numbers accurately", 1990).
#[inline(always)]
fn short_decimal(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    let (whole, digits) = leading_digits(word(bytes, at));
    if !(1..8).contains(&digits) {
        return None;
    }
    if bytes[at + digits] != b'.' {
        return ends_number(bytes[at + digits]).then_some((whole as f64, digits));
    }
    let (fraction, behind) = leading_digits(word(bytes, at + digits + 1));
    let length = digits + 1 + behind;
    if !(1..8).contains(&behind) || !ends_number(bytes[at + length]) {
        return None;
    }
    Some(((whole * POWERS[behind] + fraction) as f64 / POWERS[behind] as f64, length))
}

/// Whether a byte ends a number.
#[inline(always)]
fn ends_number(byte: u8) -> bool {
    matches!(byte, b'\n' | b' ' | b'\t' | b'\r' | b',' | b';')
}

/// The same of any number: `inf` and `nan`, too.
pub(crate) fn number(bytes: &[u8], at: &mut usize) -> Result<f64, Fault> {
    if let Some((value, length)) = short_decimal(bytes, *at) {
        *at += length;
        return Ok(value);
    }
    match fast_float2::parse_partial::<f64, _>(&bytes[*at..]) {
        Ok((value, length)) => {
            *at += length;
            Ok(value)
        }
        Err(_) => Err(Fault::Number { found: token(bytes, *at) }),
    }
}

/// Below this, floating-point numbers hold all whole numbers.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether a text is a whole number, and `value`, which was read from it, is another number. A text with a point or an exponent is not counted as whole.
#[inline(always)]
pub(crate) fn is_rounded(text: &[u8], value: f64) -> bool {
    value.abs() >= EXACT && value.is_finite() && is_other_whole(text, value.abs())
}

/// Whether a text is a whole number other than `size`, apart from its sign. The digits that Rust prints for `size` count as equal to it, because files
/// that were written from such numbers contain them.
#[cold]
fn is_other_whole(text: &[u8], size: f64) -> bool {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let digits = text.trim_start_matches(['+', '-']).trim_start_matches('0');
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && digits.parse() != Ok(size as u128) && digits != size.to_string()
}

/// The floating-point number for a whole one. Sets `rounded` if it is another number.
#[inline]
pub(crate) fn real_of(whole: i128, rounded: &mut bool) -> f64 {
    let value = whole as f64;
    *rounded |= value.abs() >= EXACT && value as i128 != whole;
    value
}

/// The fault of a field that would be a number if its comma were a point.
#[cold]
pub(crate) fn decimal_comma(field: &[u8]) -> Option<Fault> {
    let field = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(field).trim_ascii();
    let (whole, fraction) = field.split_at_checked(field.iter().position(|&byte| byte == b',')?)?;
    let pointed = [whole, b".", &fraction[1..]].concat();
    let is_number = fraction.get(1).is_some_and(u8::is_ascii_digit) && fast_float2::parse::<f64, _>(&pointed).is_ok();
    is_number.then(|| Fault::DecimalComma { found: quote(field) })
}

/// The fault of a field that is no number.
#[cold]
pub(crate) fn number_fault(field: &[u8]) -> Fault {
    decimal_comma(field).unwrap_or_else(|| Fault::Number { found: quote(field) })
}

/// Whether a field is an operation of a list of updates, and no name or number.
pub(crate) fn is_operation(field: &[u8]) -> bool {
    matches!(field, b"+" | b"-")
}

#[inline(never)]
fn real_any(bytes: &[u8], at: &mut usize) -> Result<f64, Fault> {
    match fast_float2::parse_partial::<f64, _>(&bytes[*at..]) {
        Ok((value, length)) if value.is_finite() => {
            *at += length;
            Ok(value)
        }
        Ok(_) => Err(Fault::NotFinite { found: token(bytes, *at) }),
        Err(_) => Err(Fault::Number { found: token(bytes, *at) }),
    }
}

/// Moves over spaces and tabs.
#[inline(always)]
pub(crate) fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Whether the line ends at `at` (`\n` or `\r\n`).
#[inline(always)]
pub(crate) fn line_ends(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes[at + 1] == b'\n')
}

/// The position of the line end at or behind `at`.
pub(crate) fn find_line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n)
}

/// The word at `at` as an error message quotes it: up to the next separator, at most 24 characters.
pub(crate) fn token(bytes: &[u8], at: usize) -> String {
    let rest = &bytes[at.min(bytes.len())..];
    let length =
        rest.iter().position(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b',' | b';')).unwrap_or(rest.len());
    quote(&rest[..length])
}

/// Text as an error message quotes it, at most 24 characters.
pub(crate) fn quote(text: &[u8]) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let shown = String::from_utf8_lossy(&text[..text.len().min(96)]);
    let mut quoted = String::from("`");
    let mut characters = shown.chars();
    quoted.extend(characters.by_ref().take(24).flat_map(char::escape_debug));
    if characters.next().is_some() || text.len() > 96 {
        quoted.push('…');
    }
    quoted.push('`');
    quoted
}

/// The fault of a vertex id that could not be read at `at`, where its column begins.
#[cold]
pub(crate) fn id_fault(bytes: &[u8], at: usize, why: NoNumber) -> Fault {
    let found = token(bytes, at);
    let begins = at == 0 || bytes[at - 1] == b'\n';
    match why {
        NoNumber::Missing if begins && matches!(found.as_str(), "`+`" | "`-`") => Fault::UnexpectedOperation { found },
        NoNumber::Overflow => Fault::IdOverflow { found },
        NoNumber::Missing if line_ends(bytes, at) => Fault::MissingColumn { expected: "a vertex id" },
        NoNumber::Missing if bytes[at] == b'-' && bytes[at + 1].is_ascii_digit() => Fault::NegativeId { found },
        NoNumber::Missing => Fault::Id { found },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::close;
    use proptest::prelude::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        close(&mut bytes);
        bytes
    }

    #[test]
    fn reads_numbers_of_every_length() {
        for digits in 1..=20 {
            let text = &"12345678901234567890"[..digits];
            let mut at = 0;
            assert_eq!(whole(&padded(text), &mut at), Ok(text.parse().unwrap()), "{digits} digits");
            assert_eq!(at, digits);
        }
        assert_eq!(whole(&padded("18446744073709551615"), &mut 0), Ok(u64::MAX));
        assert_eq!(whole(&padded("18446744073709551616"), &mut 0), Err(NoNumber::Overflow));
        assert_eq!(whole(&padded("99999999999999999999999"), &mut 0), Err(NoNumber::Overflow));
        assert_eq!(whole(&padded("0000000000000000000000007"), &mut 0), Ok(7));
        assert_eq!(whole(&padded("-1"), &mut 0), Err(NoNumber::Missing));
        assert_eq!(whole(&padded(""), &mut 0), Err(NoNumber::Missing));
    }

    #[test]
    fn stops_at_every_byte_that_is_no_digit() {
        for byte in (0..=255u8).filter(|b| !b.is_ascii_digit()) {
            let mut bytes = vec![b'4', b'2', byte, b'7'];
            close(&mut bytes);
            let mut at = 0;
            assert_eq!((whole(&bytes, &mut at), at), (Ok(42), 2), "byte {byte:#x}");
        }
    }

    #[test]
    fn refuses_what_is_not_finite() {
        for text in ["nan", "NaN", "inf", "-inf", "1e999", "infinity"] {
            assert!(matches!(real(&padded(text), &mut 0), Err(Fault::NotFinite { .. })), "{text}");
        }
        for text in ["", "x", "--1", "."] {
            assert!(matches!(real(&padded(text), &mut 0), Err(Fault::Number { .. })), "{text}");
        }
    }

    #[test]
    fn whole_numbers_that_are_rounded_are_known() {
        let rounded = |text: &str| is_rounded(text.as_bytes(), text.parse().unwrap());
        for exact in ["9007199254740991", "-9007199254740992", "+009007199254740994", "1152921504606846976", "1e23"] {
            assert!(!rounded(exact), "{exact}");
        }
        let long = "12345".repeat(20);
        for inexact in ["9007199254740993", "-009007199254740993", "18446744073709551615", long.as_str()] {
            assert!(rounded(inexact), "{inexact}");
        }
        assert!(!rounded("9007199254740993.0") && !rounded(&1e23.to_string()));
        let of = |whole: i128| {
            let mut rounded = false;
            (real_of(whole, &mut rounded), rounded)
        };
        assert_eq!([of(-7), of(1 << 60)], [(-7.0, false), (1_152_921_504_606_846_976.0, false)]);
        assert_eq!([of((1 << 53) + 1), of(u64::MAX.into())], [(EXACT, true), (18_446_744_073_709_551_616.0, true)]);
    }

    proptest! {
        #[test]
        fn whole_agrees_with_the_standard_library(value: u64) {
            prop_assert_eq!(whole(&padded(&value.to_string()), &mut 0), Ok(value));
        }

        #[test]
        fn real_agrees_with_the_standard_library(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            for text in [format!("{value}"), format!("{value:e}"), format!("{}", value as i32)] {
                let mut at = 0;
                let bytes = padded(&text);
                prop_assert_eq!(real(&bytes, &mut at).unwrap(), text.parse::<f64>().unwrap());
                prop_assert_eq!(at, text.len());
            }
        }

        #[test]
        fn short_decimals_agree_with_the_standard_library(text in r"[0-9]{1,9}\.[0-9]{1,9}(e[0-9]{1,2})?", end in r"[ \t,;x-]") {
            let mut at = 0;
            prop_assert_eq!(real(&padded(&(text.clone() + &end)), &mut at).unwrap(), text.parse::<f64>().unwrap());
            prop_assert_eq!(at, text.len());
        }
    }
}
