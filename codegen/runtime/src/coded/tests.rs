//! Round trips against the plain array, both decoders against each other, and arbitrary bytes.

use proptest::prelude::*;

use super::*;

fn encoded<C: Coord>(coords: &[C], base: Option<C>) -> Vec<u8> {
    let mut bytes = vec![0xaa; coded_len(coords, base)];
    assert_eq!(encode_coords(coords, base, &mut bytes), bytes.len());
    bytes
}

fn portably<C: Coord>(mut coded: Coded<'_, C>) -> Vec<C> {
    let mut all = Vec::new();
    let mut block = [C::default(); CODED_BLOCK];
    while coded.len > 0 {
        let count = coded.decode_block_portably(&mut block);
        all.extend_from_slice(&block[..count]);
    }
    all
}

fn in_blocks<C: Coord>(coded: Coded<'_, C>) -> Vec<C> {
    let mut all = Vec::new();
    let mut blocks = coded.blocks();
    assert!(blocks.coords().is_empty());
    while blocks.advance() {
        assert!(!blocks.coords().is_empty());
        all.extend_from_slice(blocks.coords());
    }
    assert!(!blocks.advance() && blocks.coords().is_empty());
    all
}

/// Everything that can be asked of an array, against the plain one.
fn assert_round_trip<C: Coord>(coords: &[C], base: Option<C>) {
    let bytes = encoded(coords, base);
    let coded = Coded::new(&bytes, coords.len(), base);
    assert_eq!(coded.check(), Ok(()));
    assert_eq!(portably(coded), coords);
    assert_eq!(in_blocks(coded), coords);
    let mut out = vec![C::GAP; coords.len() + 3];
    coded.decode(&mut out);
    assert_eq!(out[..coords.len()], *coords);
    assert!(out[coords.len()..].iter().all(|&beyond| beyond == C::GAP));
    assert_eq!(coded.fold(0u64, |sum, coord| sum.wrapping_add(coord.to_u64())), {
        coords.iter().fold(0u64, |sum, coord| sum.wrapping_add(coord.to_u64()))
    });
    for position in (0..coords.len()).step_by(1 + coords.len() / if crate::SHORT { 8 } else { 40 }) {
        let coord = coords[position];
        assert_eq!(coded.locate(coord), Some(position));
        for other in [coord.to_u64().wrapping_sub(1), coord.to_u64() + 1].map(C::from_u64) {
            assert_eq!(coded.locate(other), coords.binary_search(&other).ok());
            let bound = coords.partition_point(|&coord| coord < other);
            assert_eq!(coded.lower_bound(other), (bound, coords.get(bound).copied()));
        }
    }
    // Bytes that follow, as in a node's tail, change nothing.
    let mut longer = bytes.clone();
    longer.extend([0xff; 70]);
    assert_eq!(in_blocks(Coded::new(&longer, coords.len(), base)), coords);
}

#[test]
fn every_length_around_groups_and_blocks() {
    for len in (0..20).chain(120..140).chain(250..260) {
        let coords: Vec<u32> = (0..len).map(|k| 7 + k * k).collect();
        assert_round_trip(&coords, None);
        assert_round_trip(&coords, Some(3));
        let coords: Vec<u64> = (0..u64::from(len)).map(|k| 7 + k * k * 123_456_789).collect();
        assert_round_trip(&coords, None);
        assert_round_trip(&coords, Some(6));
    }
}

#[test]
fn every_width() {
    for bits in 0..32 {
        // Each lane in turn has the widest gap, the others all ones or all zeros.
        for lane in 0..8u32 {
            let gaps = |others: u64| {
                (0..8).map(move |k| if k == lane { (1u64 << bits) - u64::from(bits > 0) } else { others })
            };
            for others in [0, (1 << (bits.min(28))) - 1] {
                let coords: Vec<u64> =
                    gaps(others).scan(5, |at, gap| Some(std::mem::replace(at, *at + gap + 1))).collect();
                assert_round_trip(&coords, None);
                let narrow: Vec<u32> = coords.iter().map_while(|&c| u32::try_from(c).ok()).collect();
                assert_round_trip(&narrow, None);
            }
        }
    }
    for bits in 32..64 {
        assert_round_trip(&[4, 5, 5 + (1u64 << bits), (1u64 << bits) + 6], Some(1));
        assert_round_trip(&[u64::MAX >> (64 - bits), u64::MAX - 1], None);
    }
}

#[test]
fn the_largest_coordinates_and_dense_stretches() {
    assert_round_trip(&[0u32], None);
    assert_round_trip(&[u32::MAX - 1], None);
    assert_round_trip(&[u32::MAX - 1], Some(u32::MAX - 2));
    assert_round_trip(&[0, u32::MAX - 1], None);
    assert_round_trip(&[0, u64::MAX - 1], None);
    // Whole blocks, and one that ends amid a group.
    let dense: Vec<u32> = (1000..if crate::SHORT { 1140 } else { 1300 }).collect();
    assert_round_trip(&dense, Some(999));
    // No gaps, no bits: one width byte a group.
    assert_eq!(coded_len(&dense, Some(999)), dense.len().div_ceil(8));
}

#[test]
fn the_picture_holds() {
    let bytes = encoded(&[103u32, 104, 110], Some(100));
    // Gaps 2, 0, 5 in three bits each: 101_000_010, lowest bits first.
    assert_eq!(bytes, [3, 0b0100_0010, 0b1]);
    assert_eq!(encoded(&[103u32], None), [7, 103]);
}

#[test]
fn checks_say_what_is_wrong() {
    let coords: Vec<u32> = (0..20).map(|k| k * 1000).collect();
    let bytes = encoded(&coords, None);
    let check = |bytes: &[u8], len| Coded::<u32>::new(bytes, len, None).check();
    let found = bytes.len();
    assert_eq!(check(&bytes[..found - 1], 20), Err(CodedError::Length { expected: found, found: found - 1 }));
    assert_eq!(check(&bytes[..2], 20), Err(CodedError::Length { expected: 3, found: 2 }));
    assert_eq!(check(&[&bytes[..], &[0]].concat(), 20), Err(CodedError::Length { expected: found, found: found + 1 }));
    let mut wrong = bytes.clone();
    wrong[1] = 27;
    assert_eq!(check(&wrong, 20), Err(CodedError::Width { group: 1, width: 27 }));
    wrong[1] = 64;
    assert_eq!(check(&wrong, 20), Err(CodedError::Width { group: 1, width: 64 }));
    assert_eq!(check(&[32, 0xff, 0xff, 0xff, 0xff], 1), Err(CodedError::Overflow { position: 0 }));
    assert_eq!(check(&[32, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], 2), Err(CodedError::Overflow { position: 1 }));
}

fn ascending<C: Coord>(gaps: &[u64]) -> Vec<C> {
    let mut next = 0u64;
    let fits = |&gap: &u64| {
        let coord = next.checked_add(gap).filter(|&coord| coord < C::GAP.to_u64())?;
        next = coord + 1;
        Some(C::from_u64(coord))
    };
    gaps.iter().map_while(fits).collect()
}

fn gaps() -> impl Strategy<Value = Vec<u64>> {
    // Gaps of all magnitudes, those of one array of similar ones or not.
    let gap = |bits: std::ops::Range<u32>| bits.prop_flat_map(|bits| 0..=u64::MAX >> (63 - bits) >> 1);
    let len = 0..if cfg!(miri) { 40 } else { 400usize };
    prop_oneof![
        proptest::collection::vec(gap(0..12), len.clone()),
        proptest::collection::vec(gap(0..24), len.clone()),
        proptest::collection::vec(gap(0..64), len),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 6 } else { 500 }) })]

    #[test]
    fn round_trips(gaps in gaps(), base in any::<u64>()) {
        let narrow: Vec<u32> = ascending(&gaps);
        assert_round_trip(&narrow, None);
        assert_round_trip(&narrow, narrow.first().and_then(|&first| (base as u32).checked_rem(first)));
        let wide: Vec<u64> = ascending(&gaps);
        assert_round_trip(&wide, None);
        assert_round_trip(&wide, wide.first().and_then(|&first| base.checked_rem(first)));
    }

    #[test]
    fn any_bytes_are_decoded_alike(bytes in proptest::collection::vec(any::<u8>(), 0..300), len in 0usize..400, base in any::<u32>()) {
        fn asked<C: Coord>(coded: Coded<'_, C>, target: C) {
            let all = portably(coded);
            assert_eq!(all.len(), coded.len());
            // Both decoders agree on whatever a coder may write; on other bytes they only have to come to an end.
            let blocks = in_blocks(coded);
            assert_eq!(blocks.len(), all.len());
            if coded.check().is_ok() {
                assert_eq!(blocks, all);
            }
            let (position, found) = coded.lower_bound(target);
            assert!(position <= coded.len() && found.is_none_or(|_| position < coded.len()));
        }
        asked(Coded::new(&bytes, len, Some(base)), base);
        asked(Coded::new(&bytes, len, Some(u64::from(base))), u64::from(base));
        asked(Coded::new(&bytes, len, None), base);
    }
}
