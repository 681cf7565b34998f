// Generated from the formats that are bundled: see `codegen/tests/generated.rs`.

/// `bcsr`: (i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense.
#[allow(dead_code)]
pub type Bcsr<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `bcsr`: (i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense, its arrays borrowed.
#[allow(dead_code)]
pub type BcsrView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `coo`: i: compressed(nonunique), j: singleton.
#[allow(dead_code)]
pub type Coo<V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach_runtime::tensor::Singleton<Vec<u32>>,
    ),
    Vec<V>,
>;
/// `coo`: i: compressed(nonunique), j: singleton, its arrays borrowed.
#[allow(dead_code)]
pub type CooView<'a, V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach_runtime::tensor::Singleton<&'a [u32]>,
    ),
    &'a [V],
>;
/// `coo3`: i: compressed(nonunique), j: singleton(nonunique), k: singleton.
#[allow(dead_code)]
pub type Coo3<V> = ::pleach_runtime::tensor::Tensor<
    3,
    (
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach_runtime::tensor::Singleton<Vec<u32>>,
        ::pleach_runtime::tensor::Singleton<Vec<u32>>,
    ),
    Vec<V>,
>;
/// `coo3`: i: compressed(nonunique), j: singleton(nonunique), k: singleton, its arrays borrowed.
#[allow(dead_code)]
pub type Coo3View<'a, V> = ::pleach_runtime::tensor::Tensor<
    3,
    (
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach_runtime::tensor::Singleton<&'a [u32]>,
        ::pleach_runtime::tensor::Singleton<&'a [u32]>,
    ),
    &'a [V],
>;
/// `coo_duplicates`: i: compressed(unordered, nonunique), j: singleton(unordered, nonunique).
#[allow(dead_code)]
pub type CooDuplicates<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            ::pleach_runtime::tensor::Singleton<Vec<u32>>,
        ),
        Vec<V>,
    >,
    ::pleach_runtime::tensor::coordinate::Repeated<
        (
            ::pleach_runtime::tensor::coordinate::Unordered<
                ::pleach_runtime::tensor::coordinate::Index<0>,
            >,
            ::pleach_runtime::tensor::coordinate::Unordered<
                ::pleach_runtime::tensor::coordinate::Index<1>,
            >,
        ),
    >,
>;
/// `coo_duplicates`: i: compressed(unordered, nonunique), j: singleton(unordered, nonunique), its arrays borrowed.
#[allow(dead_code)]
pub type CooDuplicatesView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            ::pleach_runtime::tensor::Singleton<&'a [u32]>,
        ),
        &'a [V],
    >,
    ::pleach_runtime::tensor::coordinate::Repeated<
        (
            ::pleach_runtime::tensor::coordinate::Unordered<
                ::pleach_runtime::tensor::coordinate::Index<0>,
            >,
            ::pleach_runtime::tensor::coordinate::Unordered<
                ::pleach_runtime::tensor::coordinate::Index<1>,
            >,
        ),
    >,
>;
/// `coo_unsorted`: i: compressed(unordered, nonunique), j: singleton(unordered).
#[allow(dead_code)]
pub type CooUnsorted<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            ::pleach_runtime::tensor::Singleton<Vec<u32>>,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Unordered<
            ::pleach_runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach_runtime::tensor::coordinate::Unordered<
            ::pleach_runtime::tensor::coordinate::Index<1>,
        >,
    ),
>;
/// `coo_unsorted`: i: compressed(unordered, nonunique), j: singleton(unordered), its arrays borrowed.
#[allow(dead_code)]
pub type CooUnsortedView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            ::pleach_runtime::tensor::Singleton<&'a [u32]>,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Unordered<
            ::pleach_runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach_runtime::tensor::coordinate::Unordered<
            ::pleach_runtime::tensor::coordinate::Index<1>,
        >,
    ),
>;
/// `csb`: (i / 256): dense, (j / 256): dense, (i % 256): compressed(nonunique), (j % 256): singleton.
#[allow(dead_code)]
pub type Csb<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
    ),
>;
/// `csb`: (i / 256): dense, (j / 256): dense, (i % 256): compressed(nonunique), (j % 256): singleton, its arrays borrowed.
#[allow(dead_code)]
pub type CsbView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<::pleach_runtime::tensor::Dense>,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<256>,
        >,
    ),
>;
/// `csc`: j: dense, i: compressed.
#[allow(dead_code)]
pub type Csc<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Dense,
            ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Index<1>,
        ::pleach_runtime::tensor::coordinate::Index<0>,
    ),
>;
/// `csc`: j: dense, i: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CscView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Dense,
            ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Index<1>,
        ::pleach_runtime::tensor::coordinate::Index<0>,
    ),
>;
/// `csf`: i: compressed, j: compressed, k: compressed.
#[allow(dead_code)]
pub type Csf<V> = ::pleach_runtime::tensor::Tensor<
    3,
    (
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `csf`: i: compressed, j: compressed, k: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CsfView<'a, V> = ::pleach_runtime::tensor::Tensor<
    3,
    (
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `csr`: i: dense, j: compressed.
#[allow(dead_code)]
pub type Csr<V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Dense,
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `csr`: i: dense, j: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type CsrView<'a, V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Dense,
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `dcsr`: i: compressed, j: compressed.
#[allow(dead_code)]
pub type Dcsr<V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
        ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `dcsr`: i: compressed, j: compressed, its arrays borrowed.
#[allow(dead_code)]
pub type DcsrView<'a, V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
        ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `dia`: (j - i): squeezed, i: range, j: offset.
#[allow(dead_code)]
pub type Dia<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Squeezed<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Range,
            ::pleach_runtime::tensor::Offset,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Sub<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach_runtime::tensor::coordinate::Index<0>,
        ::pleach_runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `dia`: (j - i): squeezed, i: range, j: offset, its arrays borrowed.
#[allow(dead_code)]
pub type DiaView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Squeezed<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Range,
            ::pleach_runtime::tensor::Offset,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Sub<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Index<0>,
        >,
        ::pleach_runtime::tensor::coordinate::Index<0>,
        ::pleach_runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `ell`: (#i): sliced, i: dense, j: singleton(padded).
#[allow(dead_code)]
pub type Ell<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Sliced,
            ::pleach_runtime::tensor::Dense,
            ::pleach_runtime::tensor::Singleton<Vec<u32>>,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Counter<
            (::pleach_runtime::tensor::coordinate::Index<0>,),
        >,
        ::pleach_runtime::tensor::coordinate::Index<0>,
        ::pleach_runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `ell`: (#i): sliced, i: dense, j: singleton(padded), its arrays borrowed.
#[allow(dead_code)]
pub type EllView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Sliced,
            ::pleach_runtime::tensor::Dense,
            ::pleach_runtime::tensor::Singleton<&'a [u32]>,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Counter<
            (::pleach_runtime::tensor::coordinate::Index<0>,),
        >,
        ::pleach_runtime::tensor::coordinate::Index<0>,
        ::pleach_runtime::tensor::coordinate::Index<1>,
    ),
>;
/// `hicoo`: (let v0 = i / 4 in let v1 = j / 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2 | (v0 & 4) << 2 | (v1 & 4) << 3 | (v0 & 8) << 3 | (v1 & 8) << 4 | (v0 & 16) << 4 | (v1 & 16) << 5 | (v0 & 32) << 5 | (v1 & 32) << 6 | (v0 & 64) << 6 | (v1 & 64) << 7 | (v0 & 128) << 7 | (v1 & 128) << 8 | (v0 & 256) << 8 | (v1 & 256) << 9 | (v0 & 512) << 9 | (v1 & 512) << 10 | (v0 & 1024) << 10 | (v1 & 1024) << 11 | (v0 & 2048) << 11 | (v1 & 2048) << 12 | (v0 & 4096) << 12 | (v1 & 4096) << 13 | (v0 & 8192) << 13 | (v1 & 8192) << 14): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2): compressed, (i % 4): singleton, (j % 4): singleton.
#[allow(dead_code)]
pub type Hicoo<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Div<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Div<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                HicooCoordinate5,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Rem<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Rem<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                HicooCoordinate,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `hicoo`: (let v0 = i / 4 in let v1 = j / 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2 | (v0 & 4) << 2 | (v1 & 4) << 3 | (v0 & 8) << 3 | (v1 & 8) << 4 | (v0 & 16) << 4 | (v1 & 16) << 5 | (v0 & 32) << 5 | (v1 & 32) << 6 | (v0 & 64) << 6 | (v1 & 64) << 7 | (v0 & 128) << 7 | (v1 & 128) << 8 | (v0 & 256) << 8 | (v1 & 256) << 9 | (v0 & 512) << 9 | (v1 & 512) << 10 | (v0 & 1024) << 10 | (v1 & 1024) << 11 | (v0 & 2048) << 11 | (v1 & 2048) << 12 | (v0 & 4096) << 12 | (v1 & 4096) << 13 | (v0 & 8192) << 13 | (v1 & 8192) << 14): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2): compressed, (i % 4): singleton, (j % 4): singleton, its arrays borrowed.
#[allow(dead_code)]
pub type HicooView<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        2,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Div<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Div<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                HicooCoordinate5,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Rem<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Rem<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                HicooCoordinate,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `hicoo3`: (let v0 = i / 4 in let v1 = j / 4 in let v2 = k / 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4 | (v0 & 4) << 4 | (v1 & 4) << 5 | (v2 & 4) << 6 | (v0 & 8) << 6 | (v1 & 8) << 7 | (v2 & 8) << 8 | (v0 & 16) << 8 | (v1 & 16) << 9 | (v2 & 16) << 10 | (v0 & 32) << 10 | (v1 & 32) << 11 | (v2 & 32) << 12 | (v0 & 64) << 12 | (v1 & 64) << 13 | (v2 & 64) << 14 | (v0 & 128) << 14 | (v1 & 128) << 15 | (v2 & 128) << 16 | (v0 & 256) << 16 | (v1 & 256) << 17 | (v2 & 256) << 18 | (v0 & 512) << 18 | (v1 & 512) << 19 | (v2 & 512) << 20): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (k / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in let v2 = k % 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4): compressed, (i % 4): singleton, (j % 4): singleton, (k % 4): singleton.
#[allow(dead_code)]
pub type Hicoo3<V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        3,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<Vec<usize>, Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<Vec<u32>>,
            >,
        ),
        Vec<V>,
    >,
    (
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Div<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Div<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                ::pleach_runtime::tensor::coordinate::Let<
                    2,
                    ::pleach_runtime::tensor::coordinate::Div<
                        ::pleach_runtime::tensor::coordinate::Index<2>,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Or<
                        ::pleach_runtime::tensor::coordinate::Or<
                            Hicoo3Coordinate5,
                            ::pleach_runtime::tensor::coordinate::Shl<
                                ::pleach_runtime::tensor::coordinate::And<
                                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                                    ::pleach_runtime::tensor::coordinate::Const<512>,
                                >,
                                ::pleach_runtime::tensor::coordinate::Const<19>,
                            >,
                        >,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<2>,
                                ::pleach_runtime::tensor::coordinate::Const<512>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<20>,
                        >,
                    >,
                >,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<2>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Rem<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Rem<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                ::pleach_runtime::tensor::coordinate::Let<
                    2,
                    ::pleach_runtime::tensor::coordinate::Rem<
                        ::pleach_runtime::tensor::coordinate::Index<2>,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Or<
                        ::pleach_runtime::tensor::coordinate::Or<
                            Hicoo3Coordinate,
                            ::pleach_runtime::tensor::coordinate::Shl<
                                ::pleach_runtime::tensor::coordinate::And<
                                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                                    ::pleach_runtime::tensor::coordinate::Const<2>,
                                >,
                                ::pleach_runtime::tensor::coordinate::Const<3>,
                            >,
                        >,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<2>,
                                ::pleach_runtime::tensor::coordinate::Const<2>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<4>,
                        >,
                    >,
                >,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<2>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// `hicoo3`: (let v0 = i / 4 in let v1 = j / 4 in let v2 = k / 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4 | (v0 & 4) << 4 | (v1 & 4) << 5 | (v2 & 4) << 6 | (v0 & 8) << 6 | (v1 & 8) << 7 | (v2 & 8) << 8 | (v0 & 16) << 8 | (v1 & 16) << 9 | (v2 & 16) << 10 | (v0 & 32) << 10 | (v1 & 32) << 11 | (v2 & 32) << 12 | (v0 & 64) << 12 | (v1 & 64) << 13 | (v2 & 64) << 14 | (v0 & 128) << 14 | (v1 & 128) << 15 | (v2 & 128) << 16 | (v0 & 256) << 16 | (v1 & 256) << 17 | (v2 & 256) << 18 | (v0 & 512) << 18 | (v1 & 512) << 19 | (v2 & 512) << 20): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (k / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in let v2 = k % 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4): compressed, (i % 4): singleton, (j % 4): singleton, (k % 4): singleton, its arrays borrowed.
#[allow(dead_code)]
pub type Hicoo3View<'a, V> = ::pleach_runtime::tensor::Arranged<
    ::pleach_runtime::tensor::Tensor<
        3,
        (
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Compressed<&'a [usize], &'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
            ::pleach_runtime::tensor::Remapped<
                ::pleach_runtime::tensor::Singleton<&'a [u32]>,
            >,
        ),
        &'a [V],
    >,
    (
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Div<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Div<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                ::pleach_runtime::tensor::coordinate::Let<
                    2,
                    ::pleach_runtime::tensor::coordinate::Div<
                        ::pleach_runtime::tensor::coordinate::Index<2>,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Or<
                        ::pleach_runtime::tensor::coordinate::Or<
                            Hicoo3Coordinate5,
                            ::pleach_runtime::tensor::coordinate::Shl<
                                ::pleach_runtime::tensor::coordinate::And<
                                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                                    ::pleach_runtime::tensor::coordinate::Const<512>,
                                >,
                                ::pleach_runtime::tensor::coordinate::Const<19>,
                            >,
                        >,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<2>,
                                ::pleach_runtime::tensor::coordinate::Const<512>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<20>,
                        >,
                    >,
                >,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Div<
            ::pleach_runtime::tensor::coordinate::Index<2>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Let<
            0,
            ::pleach_runtime::tensor::coordinate::Rem<
                ::pleach_runtime::tensor::coordinate::Index<0>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Let<
                1,
                ::pleach_runtime::tensor::coordinate::Rem<
                    ::pleach_runtime::tensor::coordinate::Index<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                ::pleach_runtime::tensor::coordinate::Let<
                    2,
                    ::pleach_runtime::tensor::coordinate::Rem<
                        ::pleach_runtime::tensor::coordinate::Index<2>,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Or<
                        ::pleach_runtime::tensor::coordinate::Or<
                            Hicoo3Coordinate,
                            ::pleach_runtime::tensor::coordinate::Shl<
                                ::pleach_runtime::tensor::coordinate::And<
                                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                                    ::pleach_runtime::tensor::coordinate::Const<2>,
                                >,
                                ::pleach_runtime::tensor::coordinate::Const<3>,
                            >,
                        >,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<2>,
                                ::pleach_runtime::tensor::coordinate::Const<2>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<4>,
                        >,
                    >,
                >,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<0>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<1>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
        ::pleach_runtime::tensor::coordinate::Rem<
            ::pleach_runtime::tensor::coordinate::Index<2>,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    ),
>;
/// A part of a coordinate of `hicoo3`.
#[allow(dead_code)]
pub type Hicoo3Coordinate = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<1>,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<1>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<1>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<2>,
                ::pleach_runtime::tensor::coordinate::Const<1>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<2>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<0>,
            ::pleach_runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<2>,
    >,
>;
/// A part of a coordinate of `hicoo3`.
#[allow(dead_code)]
pub type Hicoo3Coordinate2 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        Hicoo3Coordinate,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<1>,
                                ::pleach_runtime::tensor::coordinate::Const<2>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<3>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<2>,
                            ::pleach_runtime::tensor::coordinate::Const<2>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<4>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<5>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<2>,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<6>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<0>,
            ::pleach_runtime::tensor::coordinate::Const<8>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<6>,
    >,
>;
/// A part of a coordinate of `hicoo3`.
#[allow(dead_code)]
pub type Hicoo3Coordinate3 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        Hicoo3Coordinate2,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<1>,
                                ::pleach_runtime::tensor::coordinate::Const<8>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<7>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<2>,
                            ::pleach_runtime::tensor::coordinate::Const<8>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<8>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<16>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<8>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<16>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<9>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<2>,
                ::pleach_runtime::tensor::coordinate::Const<16>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<10>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<0>,
            ::pleach_runtime::tensor::coordinate::Const<32>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<10>,
    >,
>;
/// A part of a coordinate of `hicoo3`.
#[allow(dead_code)]
pub type Hicoo3Coordinate4 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        Hicoo3Coordinate3,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<1>,
                                ::pleach_runtime::tensor::coordinate::Const<32>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<11>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<2>,
                            ::pleach_runtime::tensor::coordinate::Const<32>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<12>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<64>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<12>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<64>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<13>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<2>,
                ::pleach_runtime::tensor::coordinate::Const<64>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<14>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<0>,
            ::pleach_runtime::tensor::coordinate::Const<128>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<14>,
    >,
>;
/// A part of a coordinate of `hicoo3`.
#[allow(dead_code)]
pub type Hicoo3Coordinate5 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        Hicoo3Coordinate4,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<1>,
                                ::pleach_runtime::tensor::coordinate::Const<128>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<15>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<2>,
                            ::pleach_runtime::tensor::coordinate::Const<128>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<16>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<256>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<16>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<256>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<17>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<2>,
                ::pleach_runtime::tensor::coordinate::Const<256>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<18>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<0>,
            ::pleach_runtime::tensor::coordinate::Const<512>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<18>,
    >,
>;
/// A part of a coordinate of `hicoo`.
#[allow(dead_code)]
pub type HicooCoordinate = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<1>,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<1>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<1>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<2>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<1>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<1>,
            ::pleach_runtime::tensor::coordinate::Const<2>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<2>,
    >,
>;
/// A part of a coordinate of `hicoo`.
#[allow(dead_code)]
pub type HicooCoordinate2 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        HicooCoordinate,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<0>,
                                ::pleach_runtime::tensor::coordinate::Const<4>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<2>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<1>,
                            ::pleach_runtime::tensor::coordinate::Const<4>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<3>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<8>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<3>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<8>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<4>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<16>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<4>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<1>,
            ::pleach_runtime::tensor::coordinate::Const<16>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<5>,
    >,
>;
/// A part of a coordinate of `hicoo`.
#[allow(dead_code)]
pub type HicooCoordinate3 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        HicooCoordinate2,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<0>,
                                ::pleach_runtime::tensor::coordinate::Const<32>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<5>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<1>,
                            ::pleach_runtime::tensor::coordinate::Const<32>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<6>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<64>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<6>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<64>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<7>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<128>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<7>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<1>,
            ::pleach_runtime::tensor::coordinate::Const<128>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<8>,
    >,
>;
/// A part of a coordinate of `hicoo`.
#[allow(dead_code)]
pub type HicooCoordinate4 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        HicooCoordinate3,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<0>,
                                ::pleach_runtime::tensor::coordinate::Const<256>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<8>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<1>,
                            ::pleach_runtime::tensor::coordinate::Const<256>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<9>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<512>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<9>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<512>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<10>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<1024>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<10>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<1>,
            ::pleach_runtime::tensor::coordinate::Const<1024>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<11>,
    >,
>;
/// A part of a coordinate of `hicoo`.
#[allow(dead_code)]
pub type HicooCoordinate5 = ::pleach_runtime::tensor::coordinate::Or<
    ::pleach_runtime::tensor::coordinate::Or<
        ::pleach_runtime::tensor::coordinate::Or<
            ::pleach_runtime::tensor::coordinate::Or<
                ::pleach_runtime::tensor::coordinate::Or<
                    ::pleach_runtime::tensor::coordinate::Or<
                        HicooCoordinate4,
                        ::pleach_runtime::tensor::coordinate::Shl<
                            ::pleach_runtime::tensor::coordinate::And<
                                ::pleach_runtime::tensor::coordinate::Variable<0>,
                                ::pleach_runtime::tensor::coordinate::Const<2048>,
                            >,
                            ::pleach_runtime::tensor::coordinate::Const<11>,
                        >,
                    >,
                    ::pleach_runtime::tensor::coordinate::Shl<
                        ::pleach_runtime::tensor::coordinate::And<
                            ::pleach_runtime::tensor::coordinate::Variable<1>,
                            ::pleach_runtime::tensor::coordinate::Const<2048>,
                        >,
                        ::pleach_runtime::tensor::coordinate::Const<12>,
                    >,
                >,
                ::pleach_runtime::tensor::coordinate::Shl<
                    ::pleach_runtime::tensor::coordinate::And<
                        ::pleach_runtime::tensor::coordinate::Variable<0>,
                        ::pleach_runtime::tensor::coordinate::Const<4096>,
                    >,
                    ::pleach_runtime::tensor::coordinate::Const<12>,
                >,
            >,
            ::pleach_runtime::tensor::coordinate::Shl<
                ::pleach_runtime::tensor::coordinate::And<
                    ::pleach_runtime::tensor::coordinate::Variable<1>,
                    ::pleach_runtime::tensor::coordinate::Const<4096>,
                >,
                ::pleach_runtime::tensor::coordinate::Const<13>,
            >,
        >,
        ::pleach_runtime::tensor::coordinate::Shl<
            ::pleach_runtime::tensor::coordinate::And<
                ::pleach_runtime::tensor::coordinate::Variable<0>,
                ::pleach_runtime::tensor::coordinate::Const<8192>,
            >,
            ::pleach_runtime::tensor::coordinate::Const<13>,
        >,
    >,
    ::pleach_runtime::tensor::coordinate::Shl<
        ::pleach_runtime::tensor::coordinate::And<
            ::pleach_runtime::tensor::coordinate::Variable<1>,
            ::pleach_runtime::tensor::coordinate::Const<8192>,
        >,
        ::pleach_runtime::tensor::coordinate::Const<14>,
    >,
>;
/// `skyline`: i: dense, j: banded.
#[allow(dead_code)]
pub type Skyline<V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Dense,
        ::pleach_runtime::tensor::Banded<Vec<usize>, Vec<u32>>,
    ),
    Vec<V>,
>;
/// `skyline`: i: dense, j: banded, its arrays borrowed.
#[allow(dead_code)]
pub type SkylineView<'a, V> = ::pleach_runtime::tensor::Tensor<
    2,
    (
        ::pleach_runtime::tensor::Dense,
        ::pleach_runtime::tensor::Banded<&'a [usize], &'a [u32]>,
    ),
    &'a [V],
>;
/// `i: compressed(nonunique), j: singleton` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_to_csr(
    a: CooView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, copied, par_for, seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: _, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a2_crd.len();
    let mut b_pos = vec![0usize; a_rows + 1];
    let b_crd = copied(&a2_crd[..a2_crd.len()]);
    let b_tasks = tasks(b_entries).min(b_entries);
    {
        let b_pos = ::pleach_runtime::SharedOutput::new(&mut b_pos);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a1_crd,
                        0,
                        b_entries,
                        a1_crd[(b_entries * task).checked_div(b_tasks).unwrap_or(0)]
                            as usize,
                    );
                    let mut hi = b_entries;
                    if task + 1 < b_tasks {
                        hi = seek(
                            a1_crd,
                            0,
                            b_entries,
                            a1_crd[(b_entries * (task + 1usize))
                                .checked_div(b_tasks)
                                .unwrap_or(0)] as usize,
                        );
                    }
                    for p1 in lo..hi {
                        let i = a1_crd[p1] as usize;
                        b_pos.set(i + 1, p1 + 1);
                    }
                }
            },
        );
    }
    let mut end = 0usize;
    for b_pos_p in &mut b_pos[1..a_rows + 1] {
        end = end.max(*b_pos_p);
        *b_pos_p = end;
    }
    let b_vals = copied(&a_vals[..a_vals.len()]);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `i: compressed(nonunique), j: singleton` to `(j - i): squeezed, i: range, j: offset`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_to_dia(
    a: CooView<'_, f64>,
) -> Result<Dia<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Singleton, Squeezed, Tensor, Work, par_for, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = a_cols.max(1) + a_rows.max(1) - 1;
    let mut b_rank = vec![0u32; b1_extent];
    let b_entries = a1_pos[1] - a1_pos[0];
    let b_tasks = tasks(b_entries);
    {
        let b_rank = ::pleach_runtime::SharedOutput::new(&mut b_rank);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = a1_pos[0]
                        + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (b_entries * (task + 1usize))
                            .checked_div(b_tasks)
                            .unwrap_or(0);
                    for (&i, &j) in a1_crd[lo..hi].iter().zip(&a2_crd[lo..hi]) {
                        let i = i as usize;
                        let j = j as usize;
                        if b_tasks == 1 || b_rank.get(j + (a_rows.max(1) - 1) - i) == 0 {
                            b_rank.set(j + (a_rows.max(1) - 1) - i, 1);
                        }
                    }
                }
            },
        );
    }
    let mut b_crd: Vec<u32> = Vec::new();
    for c in 0..b1_extent {
        if b_rank[c] > 0 {
            b_rank[c] = b_crd.len() as u32;
            b_crd.push(c as u32);
        }
    }
    let b_size = b_crd.len();
    let b_size2 = b_size * a_rows;
    let mut b_vals = vec![0.0; b_size2];
    {
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let b_rank = &b_rank[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = a1_pos[0]
                        + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (b_entries * (task + 1usize))
                            .checked_div(b_tasks)
                            .unwrap_or(0);
                    for ((&i, &j), &a_ij) in a1_crd[lo..hi]
                        .iter()
                        .zip(&a2_crd[lo..hi])
                        .zip(&a_vals[lo..hi])
                    {
                        let i = i as usize;
                        let j = j as usize;
                        b_vals
                            .set(
                                b_rank[j + (a_rows.max(1) - 1) - i] as usize * a_rows + i,
                                a_ij,
                            );
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: Squeezed { crd: b_crd },
                },
                ::pleach_runtime::tensor::Range,
                ::pleach_runtime::tensor::Offset,
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `j: dense, i: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_csc(
    a: CsrView<'_, f64>,
) -> Result<Csc<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_cols).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_cols + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_cols),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                let lo = seek(
                    a_pos,
                    0,
                    a_rows,
                    (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a_rows,
                    (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                );
                for &j in &a_crd[a_pos[lo]..a_pos[hi]] {
                    let j = j as usize;
                    b_pos[j] += 1;
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_cols);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_cols),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        let span = a_pos[i]..a_pos[i + 1];
                        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let j = j as usize;
                            let b_at = b_pos[j];
                            b_pos[j] = b_at + 1;
                            b_crd.set(b_at, i as u32);
                            b_vals.set(b_at, a_ij);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_cols);
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                ::pleach_runtime::tensor::Dense,
                Compressed {
                    pos: b_pos,
                    crd: b_crd,
                },
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `(j - i): squeezed, i: range, j: offset`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_dia(
    a: CsrView<'_, f64>,
) -> Result<Dia<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Squeezed, Tensor, Work, par_for, seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = a_cols.max(1) + a_rows.max(1) - 1;
    let mut b_rank = vec![0u32; b1_extent];
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries);
    {
        let b_rank = ::pleach_runtime::SharedOutput::new(&mut b_rank);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        for &j in &a_crd[a_pos[i]..a_pos[i + 1]] {
                            let j = j as usize;
                            if b_tasks == 1
                                || b_rank.get(j + (a_rows.max(1) - 1) - i) == 0
                            {
                                b_rank.set(j + (a_rows.max(1) - 1) - i, 1);
                            }
                        }
                    }
                }
            },
        );
    }
    let mut b_crd: Vec<u32> = Vec::new();
    for c in 0..b1_extent {
        if b_rank[c] > 0 {
            b_rank[c] = b_crd.len() as u32;
            b_crd.push(c as u32);
        }
    }
    let b_size = b_crd.len();
    let b_size2 = b_size * a_rows;
    let mut b_vals = vec![0.0; b_size2];
    {
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let b_rank = &b_rank[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        let span = a_pos[i]..a_pos[i + 1];
                        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let j = j as usize;
                            b_vals
                                .set(
                                    b_rank[j + (a_rows.max(1) - 1) - i] as usize * a_rows + i,
                                    a_ij,
                                );
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: Squeezed { crd: b_crd },
                },
                ::pleach_runtime::tensor::Range,
                ::pleach_runtime::tensor::Offset,
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `(#i): sliced, i: dense, j: singleton(padded)`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_ell(
    a: CsrView<'_, f64>,
) -> Result<Ell<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Singleton, Sliced, Tensor, Work, par_for, seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b1_slices = 0usize;
    for i in 0..a_rows {
        b1_slices = b1_slices.max(a_pos[i + 1] - a_pos[i]);
    }
    let b1_size = b1_slices;
    let b2_size = b1_size * a_rows;
    let mut b3_crd = vec![u32::MAX; b2_size];
    let mut b_vals = vec![0.0; b2_size];
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries);
    {
        let b3_crd = ::pleach_runtime::SharedOutput::new(&mut b3_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                let b_vals = b_vals.first(b3_crd.len());
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        let mut b_next = 0usize;
                        let span = a_pos[i]..a_pos[i + 1];
                        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let j = j as usize;
                            b3_crd.set(b_next * a_rows + i, j as u32);
                            b_vals.set(b_next * a_rows + i, a_ij);
                            b_next += 1;
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Sliced { slices: b1_slices },
                ::pleach_runtime::tensor::Dense,
                Singleton { crd: b3_crd },
            ),
        }),
    )
}
/// `j: dense, i: compressed` to `(j - i): squeezed, i: range, j: offset`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csc_to_dia(
    a: CscView<'_, f64>,
) -> Result<Dia<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Squeezed, Tensor, Work, par_for, seek, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = a_cols.max(1) + a_rows.max(1) - 1;
    let mut b_rank = vec![0u32; b1_extent];
    let b_entries = a_pos[a_cols];
    let b_tasks = tasks(b_entries);
    {
        let b_rank = ::pleach_runtime::SharedOutput::new(&mut b_rank);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        for &i in &a_crd[a_pos[j]..a_pos[j + 1]] {
                            let i = i as usize;
                            if b_tasks == 1
                                || b_rank.get(j + (a_rows.max(1) - 1) - i) == 0
                            {
                                b_rank.set(j + (a_rows.max(1) - 1) - i, 1);
                            }
                        }
                    }
                }
            },
        );
    }
    let mut b_crd: Vec<u32> = Vec::new();
    for c in 0..b1_extent {
        if b_rank[c] > 0 {
            b_rank[c] = b_crd.len() as u32;
            b_crd.push(c as u32);
        }
    }
    let b_size = b_crd.len();
    let b_size2 = b_size * a_rows;
    let mut b_vals = vec![0.0; b_size2];
    {
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let b_rank = &b_rank[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = a_pos[j]..a_pos[j + 1];
                        for (&i, &a_ji) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let i = i as usize;
                            b_vals
                                .set(
                                    b_rank[j + (a_rows.max(1) - 1) - i] as usize * a_rows + i,
                                    a_ji,
                                );
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: Squeezed { crd: b_crd },
                },
                ::pleach_runtime::tensor::Range,
                ::pleach_runtime::tensor::Offset,
            ),
        }),
    )
}
/// `j: dense, i: compressed` to `(#i): sliced, i: dense, j: singleton(padded)`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csc_to_ell(
    a: CscView<'_, f64>,
) -> Result<Ell<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Singleton, Sliced, Tensor, Work, each, par_for, seek,
        starts_within, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b1_slices = 0usize;
    let b_entries = a_pos[a_cols];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_count = vec![0usize; b_tasks * a_rows];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_count, 0, a_rows),
        move |block, mut b_count| {
            for task in block {
                let b_count = &mut b_count[task * a_rows..(task + 1) * a_rows];
                let lo = seek(
                    a_pos,
                    0,
                    a_cols,
                    (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a_cols,
                    (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                );
                for &i in &a_crd[a_pos[lo]..a_pos[hi]] {
                    let i = i as usize;
                    b_count[i] += 1;
                }
            }
        },
    );
    let b_most = starts_within(&mut b_count, b_tasks, a_rows);
    b1_slices = b1_slices.max(b_most);
    let b1_size = b1_slices;
    let b2_size = b1_size * a_rows;
    let mut b3_crd = vec![u32::MAX; b2_size];
    let mut b_vals = vec![0.0; b2_size];
    {
        let b3_crd = ::pleach_runtime::SharedOutput::new(&mut b3_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_count, 0, a_rows),
            move |block, mut b_count| {
                let b_vals = b_vals.first(b3_crd.len());
                for task in block {
                    let b_count = &mut b_count[task * a_rows..(task + 1) * a_rows];
                    let lo = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = a_pos[j]..a_pos[j + 1];
                        for (&i, &a_ji) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let i = i as usize;
                            let k = b_count[i];
                            b3_crd.set(k * a_rows + i, j as u32);
                            b_vals.set(k * a_rows + i, a_ji);
                            b_count[i] = k + 1;
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Sliced { slices: b1_slices },
                ::pleach_runtime::tensor::Dense,
                Singleton { crd: b3_crd },
            ),
        }),
    )
}
/// `(i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn bcsr_to_csr(
    a: BcsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let a1_extent = a.levels.0.extent;
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1.level;
    let a3_extent = a.levels.2.extent;
    let a4_extent = a.levels.3.extent;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a_pos[a1_extent];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_rows),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = seek(
                    a_pos,
                    0,
                    a1_extent,
                    (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a1_extent,
                    (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                );
                for c1 in lo..hi {
                    for p2 in a_pos[c1]..a_pos[c1 + 1] {
                        let c2 = a_crd[p2] as usize;
                        for c3 in 0..a3_extent {
                            for c4 in 0..a4_extent {
                                let i = c1 * 4 + c3;
                                let j = c2 * 4 + c4;
                                if i < a_rows && j < a_cols {
                                    if a_vals[(p2 * a3_extent + c3) * a4_extent + c4] != 0.0 {
                                        b_pos[i] += 1;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        a_pos,
                        0,
                        a1_extent,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a1_extent,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for c1 in lo..hi {
                        for p2 in a_pos[c1]..a_pos[c1 + 1] {
                            let c2 = a_crd[p2] as usize;
                            for c3 in 0..a3_extent {
                                for c4 in 0..a4_extent {
                                    let i = c1 * 4 + c3;
                                    let j = c2 * 4 + c4;
                                    if i < a_rows && j < a_cols {
                                        if a_vals[(p2 * a3_extent + c3) * a4_extent + c4] != 0.0 {
                                            let b_at = b_pos[i];
                                            b_pos[i] = b_at + 1;
                                            b_crd.set(b_at, j as u32);
                                            b_vals
                                                .set(b_at, a_vals[(p2 * a3_extent + c3) * a4_extent + c4]);
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `i: compressed(nonunique), j: singleton` to `j: dense, i: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_to_csc(
    a: CooView<'_, f64>,
) -> Result<Csc<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Singleton, Tensor, Work, bounds, each, par_for, starts,
        tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a1_pos[1] - a1_pos[0];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_cols).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_cols + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_cols),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                let lo = a1_pos[0]
                    + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                let hi = a1_pos[0]
                    + (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0);
                for &j in &a2_crd[lo..hi] {
                    let j = j as usize;
                    b_pos[j] += 1;
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_cols);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_cols),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                    let lo = a1_pos[0]
                        + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (b_entries * (task + 1usize))
                            .checked_div(b_tasks)
                            .unwrap_or(0);
                    for ((&i, &j), &a_ij) in a1_crd[lo..hi]
                        .iter()
                        .zip(&a2_crd[lo..hi])
                        .zip(&a_vals[lo..hi])
                    {
                        let i = i as usize;
                        let j = j as usize;
                        let b_at = b_pos[j];
                        b_pos[j] = b_at + 1;
                        b_crd.set(b_at, i as u32);
                        b_vals.set(b_at, a_ij);
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_cols);
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                ::pleach_runtime::tensor::Dense,
                Compressed {
                    pos: b_pos,
                    crd: b_crd,
                },
            ),
        }),
    )
}
/// `i: compressed(nonunique), j: singleton` to `(#i): sliced, i: dense, j: singleton(padded)`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_to_ell(
    a: CooView<'_, f64>,
) -> Result<Ell<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Singleton, Sliced, Tensor, Work, each, par_for,
        starts_within, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b1_slices = 0usize;
    let b_entries = a1_pos[1] - a1_pos[0];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_count = vec![0usize; b_tasks * a_rows];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_count, 0, a_rows),
        move |block, mut b_count| {
            for task in block {
                let b_count = &mut b_count[task * a_rows..(task + 1) * a_rows];
                let lo = a1_pos[0]
                    + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                let hi = a1_pos[0]
                    + (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0);
                for &i in &a1_crd[lo..hi] {
                    let i = i as usize;
                    b_count[i] += 1;
                }
            }
        },
    );
    let b_most = starts_within(&mut b_count, b_tasks, a_rows);
    b1_slices = b1_slices.max(b_most);
    let b1_size = b1_slices;
    let b2_size = b1_size * a_rows;
    let mut b3_crd = vec![u32::MAX; b2_size];
    let mut b_vals = vec![0.0; b2_size];
    {
        let b3_crd = ::pleach_runtime::SharedOutput::new(&mut b3_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_count, 0, a_rows),
            move |block, mut b_count| {
                let b_vals = b_vals.first(b3_crd.len());
                for task in block {
                    let b_count = &mut b_count[task * a_rows..(task + 1) * a_rows];
                    let lo = a1_pos[0]
                        + (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (b_entries * (task + 1usize))
                            .checked_div(b_tasks)
                            .unwrap_or(0);
                    for ((&i, &j), &a_ij) in a1_crd[lo..hi]
                        .iter()
                        .zip(&a2_crd[lo..hi])
                        .zip(&a_vals[lo..hi])
                    {
                        let i = i as usize;
                        let j = j as usize;
                        let k = b_count[i];
                        b3_crd.set(k * a_rows + i, j as u32);
                        b_vals.set(k * a_rows + i, a_ij);
                        b_count[i] = k + 1;
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Sliced { slices: b1_slices },
                ::pleach_runtime::tensor::Dense,
                Singleton { crd: b3_crd },
            ),
        }),
    )
}
/// `i: compressed(nonunique), j: singleton(nonunique), k: singleton` to `i: compressed, j: compressed, k: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo3_to_csf(
    a: Coo3View<'_, f64>,
) -> Result<Csf<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Compressed, Singleton, Tensor};
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let Singleton { crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let b_dim0 = a_dim0;
    let b_dim1 = a_dim1;
    let b_dim2 = a_dim2;
    let mut b1_pos = vec![0usize; 2];
    let mut b1_crd: Vec<u32> = Vec::new();
    let mut b2_pos = vec![0usize; b1_crd.len() + 1];
    let mut b2_crd: Vec<u32> = Vec::new();
    let mut b3_pos = vec![0usize; b2_crd.len() + 1];
    let mut b3_crd: Vec<u32> = Vec::new();
    let mut b_vals: Vec<f64> = Vec::new();
    let span = a1_pos[0]..a1_pos[1];
    for (((&i, &j), &k), &a_ijk) in a1_crd[span.clone()]
        .iter()
        .zip(&a2_crd[span.clone()])
        .zip(&a3_crd[span.clone()])
        .zip(&a_vals[span])
    {
        let i = i as usize;
        let j = j as usize;
        let k = k as usize;
        let last = b1_crd.len().max(1) - 1;
        if b1_pos[1] == 0 || b1_crd[last] as usize != i {
            b1_crd.push(i as u32);
            b1_pos[1] = b1_crd.len();
            b2_pos.resize(b1_crd.len() + 1, 0);
        }
        let last2 = b2_crd.len().max(1) - 1;
        if b2_pos[b1_crd.len() - 1 + 1] == 0 || b2_crd[last2] as usize != j {
            b2_crd.push(j as u32);
            b2_pos[b1_crd.len() - 1 + 1] = b2_crd.len();
            b3_pos.resize(b2_crd.len() + 1, 0);
        }
        let last3 = b3_crd.len().max(1) - 1;
        if b3_pos[b2_crd.len() - 1 + 1] == 0 || b3_crd[last3] as usize != k {
            b3_crd.push(k as u32);
            b3_pos[b2_crd.len() - 1 + 1] = b3_crd.len();
            b_vals.resize(b3_crd.len(), 0.0);
        }
        b_vals[b3_crd.len() - 1] = a_ijk;
    }
    for p in 1..b1_pos.len() {
        b1_pos[p] = b1_pos[p].max(b1_pos[p - 1]);
    }
    for p in 1..b2_pos.len() {
        b2_pos[p] = b2_pos[p].max(b2_pos[p - 1]);
    }
    for p in 1..b3_pos.len() {
        b3_pos[p] = b3_pos[p].max(b3_pos[p - 1]);
    }
    Ok(Tensor {
        shape: [b_dim0, b_dim1, b_dim2],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Compressed {
                pos: b2_pos,
                crd: b2_crd,
            },
            Compressed {
                pos: b3_pos,
                crd: b3_crd,
            },
        ),
    })
}
/// `i: compressed(nonunique), j: singleton(nonunique), k: singleton` to `(let v0 = i / 4 in let v1 = j / 4 in let v2 = k / 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4 | (v0 & 4) << 4 | (v1 & 4) << 5 | (v2 & 4) << 6 | (v0 & 8) << 6 | (v1 & 8) << 7 | (v2 & 8) << 8 | (v0 & 16) << 8 | (v1 & 16) << 9 | (v2 & 16) << 10 | (v0 & 32) << 10 | (v1 & 32) << 11 | (v2 & 32) << 12 | (v0 & 64) << 12 | (v1 & 64) << 13 | (v2 & 64) << 14 | (v0 & 128) << 14 | (v1 & 128) << 15 | (v2 & 128) << 16 | (v0 & 256) << 16 | (v1 & 256) << 17 | (v2 & 256) << 18 | (v0 & 512) << 18 | (v1 & 512) << 19 | (v2 & 512) << 20): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (k / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in let v2 = k % 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4): compressed, (i % 4): singleton, (j % 4): singleton, (k % 4): singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo3_to_hicoo3(
    a: Coo3View<'_, f64>,
) -> Result<Hicoo3<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Singleton, Tensor, prefix_sum,
    };
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let Singleton { crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let b_dim0 = a_dim0;
    let b_dim1 = a_dim1;
    let b_dim2 = a_dim2;
    let mut b_coords0: Vec<usize> = Vec::new();
    let mut b_coords1: Vec<usize> = Vec::new();
    let mut b_coords2: Vec<usize> = Vec::new();
    let mut b_list: Vec<f64> = Vec::new();
    let span = a1_pos[0]..a1_pos[1];
    for (((&i, &j), &k), &a_ijk) in a1_crd[span.clone()]
        .iter()
        .zip(&a2_crd[span.clone()])
        .zip(&a3_crd[span.clone()])
        .zip(&a_vals[span])
    {
        let i = i as usize;
        let j = j as usize;
        let k = k as usize;
        b_coords0.push(i);
        b_coords1.push(j);
        b_coords2.push(k);
        b_list.push(a_ijk);
    }
    let mut b_key0 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (((b_key0_e, &b_coords0_e), &b_coords1_e), &b_coords2_e) in b_key0[span.clone()]
        .iter_mut()
        .zip(&b_coords0[span.clone()])
        .zip(&b_coords1[span.clone()])
        .zip(&b_coords2[span])
    {
        *b_key0_e = (b_coords0_e as i64 / 4i64 & 1i64
            | (b_coords1_e as i64 / 4i64 & 1i64) << 1i64
            | (b_coords2_e as i64 / 4i64 & 1i64) << 2i64
            | (b_coords0_e as i64 / 4i64 & 2i64) << 2i64
            | (b_coords1_e as i64 / 4i64 & 2i64) << 3i64
            | (b_coords2_e as i64 / 4i64 & 2i64) << 4i64
            | (b_coords0_e as i64 / 4i64 & 4i64) << 4i64
            | (b_coords1_e as i64 / 4i64 & 4i64) << 5i64
            | (b_coords2_e as i64 / 4i64 & 4i64) << 6i64
            | (b_coords0_e as i64 / 4i64 & 8i64) << 6i64
            | (b_coords1_e as i64 / 4i64 & 8i64) << 7i64
            | (b_coords2_e as i64 / 4i64 & 8i64) << 8i64
            | (b_coords0_e as i64 / 4i64 & 16i64) << 8i64
            | (b_coords1_e as i64 / 4i64 & 16i64) << 9i64
            | (b_coords2_e as i64 / 4i64 & 16i64) << 10i64
            | (b_coords0_e as i64 / 4i64 & 32i64) << 10i64
            | (b_coords1_e as i64 / 4i64 & 32i64) << 11i64
            | (b_coords2_e as i64 / 4i64 & 32i64) << 12i64
            | (b_coords0_e as i64 / 4i64 & 64i64) << 12i64
            | (b_coords1_e as i64 / 4i64 & 64i64) << 13i64
            | (b_coords2_e as i64 / 4i64 & 64i64) << 14i64
            | (b_coords0_e as i64 / 4i64 & 128i64) << 14i64
            | (b_coords1_e as i64 / 4i64 & 128i64) << 15i64
            | (b_coords2_e as i64 / 4i64 & 128i64) << 16i64
            | (b_coords0_e as i64 / 4i64 & 256i64) << 16i64
            | (b_coords1_e as i64 / 4i64 & 256i64) << 17i64
            | (b_coords2_e as i64 / 4i64 & 256i64) << 18i64
            | (b_coords0_e as i64 / 4i64 & 512i64) << 18i64
            | (b_coords1_e as i64 / 4i64 & 512i64) << 19i64
            | (b_coords2_e as i64 / 4i64 & 512i64) << 20i64) as usize;
    }
    let mut b_key1 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key1_e, &b_coords0_e) in b_key1[span.clone()].iter_mut().zip(&b_coords0[span])
    {
        *b_key1_e = (b_coords0_e as i64 / 4i64) as usize;
    }
    let mut b_key2 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key2_e, &b_coords1_e) in b_key2[span.clone()].iter_mut().zip(&b_coords1[span])
    {
        *b_key2_e = (b_coords1_e as i64 / 4i64) as usize;
    }
    let mut b_key3 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key3_e, &b_coords2_e) in b_key3[span.clone()].iter_mut().zip(&b_coords2[span])
    {
        *b_key3_e = (b_coords2_e as i64 / 4i64) as usize;
    }
    let mut b_key4 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (((b_key4_e, &b_coords0_e), &b_coords1_e), &b_coords2_e) in b_key4[span.clone()]
        .iter_mut()
        .zip(&b_coords0[span.clone()])
        .zip(&b_coords1[span.clone()])
        .zip(&b_coords2[span])
    {
        *b_key4_e = (b_coords0_e as i64 % 4i64 & 1i64
            | (b_coords1_e as i64 % 4i64 & 1i64) << 1i64
            | (b_coords2_e as i64 % 4i64 & 1i64) << 2i64
            | (b_coords0_e as i64 % 4i64 & 2i64) << 2i64
            | (b_coords1_e as i64 % 4i64 & 2i64) << 3i64
            | (b_coords2_e as i64 % 4i64 & 2i64) << 4i64) as usize;
    }
    let mut b_key5 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key5_e, &b_coords0_e) in b_key5[span.clone()].iter_mut().zip(&b_coords0[span])
    {
        *b_key5_e = (b_coords0_e as i64 % 4i64) as usize;
    }
    let mut b_key6 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key6_e, &b_coords1_e) in b_key6[span.clone()].iter_mut().zip(&b_coords1[span])
    {
        *b_key6_e = (b_coords1_e as i64 % 4i64) as usize;
    }
    let mut b_key7 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key7_e, &b_coords2_e) in b_key7[span.clone()].iter_mut().zip(&b_coords2[span])
    {
        *b_key7_e = (b_coords2_e as i64 % 4i64) as usize;
    }
    let mut b_order: Vec<usize> = (0..b_coords0.len()).collect();
    b_order
        .sort_by_key(|&p| (
            b_key0[p],
            b_key1[p],
            b_key2[p],
            b_key3[p],
            b_key4[p],
            b_key5[p],
            b_key6[p],
            b_key7[p],
        ));
    let mut b_sorted0: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted1: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted2: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted3: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted4: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted5: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted6: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted7: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_folded: Vec<f64> = Vec::with_capacity(b_coords0.len());
    for &from in &b_order {
        let last = b_sorted0.len().max(1) - 1;
        if b_sorted0.len() > 0 && b_sorted0[last] == b_key0[from]
            && b_sorted1[last] == b_key1[from] && b_sorted2[last] == b_key2[from]
            && b_sorted3[last] == b_key3[from] && b_sorted4[last] == b_key4[from]
            && b_sorted5[last] == b_key5[from] && b_sorted6[last] == b_key6[from]
            && b_sorted7[last] == b_key7[from]
        {
            b_folded[last] += b_list[from];
        } else {
            b_sorted0.push(b_key0[from]);
            b_sorted1.push(b_key1[from]);
            b_sorted2.push(b_key2[from]);
            b_sorted3.push(b_key3[from]);
            b_sorted4.push(b_key4[from]);
            b_sorted5.push(b_key5[from]);
            b_sorted6.push(b_key6[from]);
            b_sorted7.push(b_key7[from]);
            b_folded.push(b_list[from]);
        }
    }
    let b1_extent = ((a_dim0.max(1) - 1usize) / 4usize).min(1)
        + ((a_dim1.max(1) - 1usize) / 4usize).min(1) * 2
        + ((a_dim2.max(1) - 1usize) / 4usize).min(1) * 4
        + ((a_dim0.max(1) - 1usize) / 4usize / 2usize * 2usize).min(2) * 4
        + ((a_dim1.max(1) - 1usize) / 4usize / 2usize * 2usize).min(2) * 8
        + ((a_dim2.max(1) - 1usize) / 4usize / 2usize * 2usize).min(2) * 16
        + ((a_dim0.max(1) - 1usize) / 4usize / 4usize * 4usize).min(4) * 16
        + ((a_dim1.max(1) - 1usize) / 4usize / 4usize * 4usize).min(4) * 32
        + ((a_dim2.max(1) - 1usize) / 4usize / 4usize * 4usize).min(4) * 64
        + ((a_dim0.max(1) - 1usize) / 4usize / 8usize * 8usize).min(8) * 64
        + ((a_dim1.max(1) - 1usize) / 4usize / 8usize * 8usize).min(8) * 128
        + ((a_dim2.max(1) - 1usize) / 4usize / 8usize * 8usize).min(8) * 256
        + ((a_dim0.max(1) - 1usize) / 4usize / 16usize * 16usize).min(16) * 256
        + ((a_dim1.max(1) - 1usize) / 4usize / 16usize * 16usize).min(16) * 512
        + ((a_dim2.max(1) - 1usize) / 4usize / 16usize * 16usize).min(16) * 1024
        + ((a_dim0.max(1) - 1usize) / 4usize / 32usize * 32usize).min(32) * 1024
        + ((a_dim1.max(1) - 1usize) / 4usize / 32usize * 32usize).min(32) * 2048
        + ((a_dim2.max(1) - 1usize) / 4usize / 32usize * 32usize).min(32) * 4096
        + ((a_dim0.max(1) - 1usize) / 4usize / 64usize * 64usize).min(64) * 4096
        + ((a_dim1.max(1) - 1usize) / 4usize / 64usize * 64usize).min(64) * 8192
        + ((a_dim2.max(1) - 1usize) / 4usize / 64usize * 64usize).min(64) * 16384
        + ((a_dim0.max(1) - 1usize) / 4usize / 128usize * 128usize).min(128) * 16384
        + ((a_dim1.max(1) - 1usize) / 4usize / 128usize * 128usize).min(128) * 32768
        + ((a_dim2.max(1) - 1usize) / 4usize / 128usize * 128usize).min(128) * 65536
        + ((a_dim0.max(1) - 1usize) / 4usize / 256usize * 256usize).min(256) * 65536
        + ((a_dim1.max(1) - 1usize) / 4usize / 256usize * 256usize).min(256) * 131072
        + ((a_dim2.max(1) - 1usize) / 4usize / 256usize * 256usize).min(256) * 262144
        + ((a_dim0.max(1) - 1usize) / 4usize / 512usize * 512usize).min(512) * 262144
        + ((a_dim1.max(1) - 1usize) / 4usize / 512usize * 512usize).min(512) * 524288
        + ((a_dim2.max(1) - 1usize) / 4usize / 512usize * 512usize).min(512) * 1048576
        + 1;
    let mut b1_pos = vec![0usize; 2];
    let mut b1_pos_sum = b1_pos[1];
    for e in 0..b_sorted0.len() {
        if !(e > 0 && b_sorted0[e] == b_sorted0[e - 1]
            && b_sorted1[e] == b_sorted1[e - 1] && b_sorted2[e] == b_sorted2[e - 1]
            && b_sorted3[e] == b_sorted3[e - 1])
        {
            b1_pos_sum += 1;
        }
    }
    b1_pos[1] = b1_pos_sum;
    let mut b1_crd = vec![0u32; b1_pos[1]];
    let mut b1_next = 0usize;
    let b1_size = b1_pos[1];
    let mut b1_positions = vec![0usize; b_sorted0.len()];
    for e in 0..b_sorted0.len() {
        if e > 0 && b_sorted0[e] == b_sorted0[e - 1] && b_sorted1[e] == b_sorted1[e - 1]
            && b_sorted2[e] == b_sorted2[e - 1] && b_sorted3[e] == b_sorted3[e - 1]
        {
            b1_positions[e] = b1_positions[e - 1];
        } else {
            let b1_at = b1_next;
            b1_next += 1;
            b1_crd[b1_at] = b_sorted0[e] as u32;
            b1_positions[e] = b1_at;
        }
    }
    let b2_extent = (a_dim0 + 3) / 4;
    let mut b2_crd = vec![u32::MAX; b1_size];
    let span = 0..b_sorted0.len();
    for (&b1_positions_e, &b_sorted1_e) in b1_positions[span.clone()]
        .iter()
        .zip(&b_sorted1[span])
    {
        b2_crd[b1_positions_e] = b_sorted1_e as u32;
    }
    let b3_extent = (a_dim1 + 3) / 4;
    let mut b3_crd = vec![u32::MAX; b1_size];
    let span = 0..b_sorted0.len();
    for (&b1_positions_e, &b_sorted2_e) in b1_positions[span.clone()]
        .iter()
        .zip(&b_sorted2[span])
    {
        b3_crd[b1_positions_e] = b_sorted2_e as u32;
    }
    let b4_extent = (a_dim2 + 3) / 4;
    let mut b4_crd = vec![u32::MAX; b1_size];
    let span = 0..b_sorted0.len();
    for (&b1_positions_e, &b_sorted3_e) in b1_positions[span.clone()]
        .iter()
        .zip(&b_sorted3[span])
    {
        b4_crd[b1_positions_e] = b_sorted3_e as u32;
    }
    let b5_extent = (a_dim0.max(1) - 1usize).min(1) + (a_dim1.max(1) - 1usize).min(1) * 2
        + (a_dim2.max(1) - 1usize).min(1) * 4
        + ((a_dim0.max(1) - 1usize).min(3) / 2usize * 2usize).min(2) * 4
        + ((a_dim1.max(1) - 1usize).min(3) / 2usize * 2usize).min(2) * 8
        + ((a_dim2.max(1) - 1usize).min(3) / 2usize * 2usize).min(2) * 16 + 1;
    let mut b5_pos = vec![0usize; b1_size + 1];
    for e in 0..b_sorted0.len() {
        if !(e > 0 && b1_positions[e] == b1_positions[e - 1]
            && b_sorted4[e] == b_sorted4[e - 1])
        {
            b5_pos[b1_positions[e] + 1] += 1;
        }
    }
    prefix_sum(&mut b5_pos);
    let mut b5_crd = vec![0u32; b5_pos[b1_size]];
    let b5_size = b5_pos[b1_size];
    let mut b5_positions = vec![0usize; b_sorted0.len()];
    for e in 0..b_sorted0.len() {
        if e > 0 && b1_positions[e] == b1_positions[e - 1]
            && b_sorted4[e] == b_sorted4[e - 1]
        {
            b5_positions[e] = b5_positions[e - 1];
        } else {
            let b5_at = b5_pos[b1_positions[e]];
            b5_pos[b1_positions[e]] = b5_at + 1;
            b5_crd[b5_at] = b_sorted4[e] as u32;
            b5_positions[e] = b5_at;
        }
    }
    for p in 0..b1_size {
        b5_pos[b1_size - p] = b5_pos[b1_size - p - 1];
    }
    b5_pos[0] = 0;
    let b6_extent = 4usize;
    let mut b6_crd = vec![u32::MAX; b5_size];
    let span = 0..b_sorted0.len();
    for (&b5_positions_e, &b_sorted5_e) in b5_positions[span.clone()]
        .iter()
        .zip(&b_sorted5[span])
    {
        b6_crd[b5_positions_e] = b_sorted5_e as u32;
    }
    let b7_extent = 4usize;
    let mut b7_crd = vec![u32::MAX; b5_size];
    let span = 0..b_sorted0.len();
    for (&b5_positions_e, &b_sorted6_e) in b5_positions[span.clone()]
        .iter()
        .zip(&b_sorted6[span])
    {
        b7_crd[b5_positions_e] = b_sorted6_e as u32;
    }
    let b8_extent = 4usize;
    let mut b8_crd = vec![u32::MAX; b5_size];
    let span = 0..b_sorted0.len();
    for (&b5_positions_e, &b_sorted7_e) in b5_positions[span.clone()]
        .iter()
        .zip(&b_sorted7[span])
    {
        b8_crd[b5_positions_e] = b_sorted7_e as u32;
    }
    let mut b_vals = vec![0.0; b5_size];
    let span = 0..b_sorted0.len();
    for (&b5_positions_e, &b_folded_e) in b5_positions[span.clone()]
        .iter()
        .zip(&b_folded[span])
    {
        b_vals[b5_positions_e] = b_folded_e;
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_dim0, b_dim1, b_dim2],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: Compressed {
                        pos: b1_pos,
                        crd: b1_crd,
                    },
                },
                Remapped {
                    extent: b2_extent,
                    level: Singleton { crd: b2_crd },
                },
                Remapped {
                    extent: b3_extent,
                    level: Singleton { crd: b3_crd },
                },
                Remapped {
                    extent: b4_extent,
                    level: Singleton { crd: b4_crd },
                },
                Remapped {
                    extent: b5_extent,
                    level: Compressed {
                        pos: b5_pos,
                        crd: b5_crd,
                    },
                },
                Remapped {
                    extent: b6_extent,
                    level: Singleton { crd: b6_crd },
                },
                Remapped {
                    extent: b7_extent,
                    level: Singleton { crd: b7_crd },
                },
                Remapped {
                    extent: b8_extent,
                    level: Singleton { crd: b8_crd },
                },
            ),
        }),
    )
}
/// `i: compressed(unordered, nonunique), j: singleton(unordered, nonunique)` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_duplicates_to_csr(
    a: CooDuplicatesView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let t1_entries = a1_pos[1] - a1_pos[0];
    let t1_tasks = tasks(t1_entries)
        .min(t1_entries.checked_div(a_cols).unwrap_or(0).max(1));
    let mut t1_pos = vec![0usize; t1_tasks * a_cols + 1];
    par_for(
        Work::over(0..t1_tasks).tasks(),
        each(&mut t1_pos, 1, a_cols),
        move |block, mut t1_pos| {
            for task in block {
                let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                let lo = a1_pos[0]
                    + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                let hi = a1_pos[0]
                    + (t1_entries * (task + 1usize)).checked_div(t1_tasks).unwrap_or(0);
                for &j in &a2_crd[lo..hi] {
                    let j = j as usize;
                    t1_pos[j] += 1;
                }
            }
        },
    );
    let t1_size = starts(&mut t1_pos[1..], t1_tasks, a_cols);
    let mut t1_crd = vec![0u32; t1_size];
    let mut t1_vals = vec![0.0; t1_size];
    {
        let t1_crd = ::pleach_runtime::SharedOutput::new(&mut t1_crd);
        let t1_vals = ::pleach_runtime::SharedOutput::new(&mut t1_vals);
        par_for(
            Work::over(0..t1_tasks).tasks(),
            each(&mut t1_pos, 1, a_cols),
            move |block, mut t1_pos| {
                let t1_vals = t1_vals.first(t1_crd.len());
                for task in block {
                    let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                    let lo = a1_pos[0]
                        + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (t1_entries * (task + 1usize))
                            .checked_div(t1_tasks)
                            .unwrap_or(0);
                    for ((&i, &j), &a_vals_p1) in a1_crd[lo..hi]
                        .iter()
                        .zip(&a2_crd[lo..hi])
                        .zip(&a_vals[lo..hi])
                    {
                        let i = i as usize;
                        let j = j as usize;
                        let t1_at = t1_pos[j];
                        t1_pos[j] = t1_at + 1;
                        t1_crd.set(t1_at, i as u32);
                        t1_vals.set(t1_at, a_vals_p1);
                    }
                }
            },
        );
    }
    bounds(&mut t1_pos, t1_tasks, a_cols);
    let t2_entries = t1_pos[a_cols];
    let t2_tasks = tasks(t2_entries)
        .min(t2_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut t2_pos = vec![0usize; t2_tasks * a_rows + 1];
    {
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        par_for(
            Work::over(0..t2_tasks).tasks(),
            each(&mut t2_pos, 1, a_rows),
            move |block, mut t2_pos| {
                for task in block {
                    let t2_pos = &mut t2_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (t2_entries * task).checked_div(t2_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (t2_entries * (task + 1usize)).checked_div(t2_tasks).unwrap_or(0),
                    );
                    for &i in &t1_crd[t1_pos[lo]..t1_pos[hi]] {
                        let i = i as usize;
                        t2_pos[i] += 1;
                    }
                }
            },
        );
    }
    let t2_size = starts(&mut t2_pos[1..], t2_tasks, a_rows);
    let mut t2_crd = vec![0u32; t2_size];
    let mut t2_vals = vec![0.0; t2_size];
    {
        let t2_crd = ::pleach_runtime::SharedOutput::new(&mut t2_crd);
        let t2_vals = ::pleach_runtime::SharedOutput::new(&mut t2_vals);
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        let t1_vals = &t1_vals[..];
        par_for(
            Work::over(0..t2_tasks).tasks(),
            each(&mut t2_pos, 1, a_rows),
            move |block, mut t2_pos| {
                let t2_vals = t2_vals.first(t2_crd.len());
                for task in block {
                    let t2_pos = &mut t2_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (t2_entries * task).checked_div(t2_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (t2_entries * (task + 1usize)).checked_div(t2_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = t1_pos[j]..t1_pos[j + 1];
                        for (&i, &t1_vals_p2) in t1_crd[span.clone()]
                            .iter()
                            .zip(&t1_vals[span])
                        {
                            let i = i as usize;
                            let t2_at = t2_pos[i];
                            t2_pos[i] = t2_at + 1;
                            t2_crd.set(t2_at, j as u32);
                            t2_vals.set(t2_at, t1_vals_p2);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut t2_pos, t2_tasks, a_rows);
    let mut b_pos = vec![0usize; a_rows + 1];
    let mut b_crd: Vec<u32> = Vec::new();
    let mut b_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let span = t2_pos[i]..t2_pos[i + 1];
        for (&j, &t2_vals_p2) in t2_crd[span.clone()].iter().zip(&t2_vals[span]) {
            let j = j as usize;
            let last = b_crd.len().max(1) - 1;
            if b_pos[i + 1] == 0 || b_crd[last] as usize != j {
                b_crd.push(j as u32);
                b_pos[i + 1] = b_crd.len();
                b_vals.resize(b_crd.len(), 0.0);
            }
            b_vals[b_crd.len() - 1] += t2_vals_p2;
        }
    }
    for p in 1..b_pos.len() {
        b_pos[p] = b_pos[p].max(b_pos[p - 1]);
    }
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `i: compressed(unordered, nonunique), j: singleton(unordered)` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn coo_unsorted_to_csr(
    a: CooUnsortedView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Singleton { crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let t1_entries = a1_pos[1] - a1_pos[0];
    let t1_tasks = tasks(t1_entries)
        .min(t1_entries.checked_div(a_cols).unwrap_or(0).max(1));
    let mut t1_pos = vec![0usize; t1_tasks * a_cols + 1];
    par_for(
        Work::over(0..t1_tasks).tasks(),
        each(&mut t1_pos, 1, a_cols),
        move |block, mut t1_pos| {
            for task in block {
                let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                let lo = a1_pos[0]
                    + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                let hi = a1_pos[0]
                    + (t1_entries * (task + 1usize)).checked_div(t1_tasks).unwrap_or(0);
                for &j in &a2_crd[lo..hi] {
                    let j = j as usize;
                    t1_pos[j] += 1;
                }
            }
        },
    );
    let t1_size = starts(&mut t1_pos[1..], t1_tasks, a_cols);
    let mut t1_crd = vec![0u32; t1_size];
    let mut t1_vals = vec![0.0; t1_size];
    {
        let t1_crd = ::pleach_runtime::SharedOutput::new(&mut t1_crd);
        let t1_vals = ::pleach_runtime::SharedOutput::new(&mut t1_vals);
        par_for(
            Work::over(0..t1_tasks).tasks(),
            each(&mut t1_pos, 1, a_cols),
            move |block, mut t1_pos| {
                let t1_vals = t1_vals.first(t1_crd.len());
                for task in block {
                    let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                    let lo = a1_pos[0]
                        + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (t1_entries * (task + 1usize))
                            .checked_div(t1_tasks)
                            .unwrap_or(0);
                    for ((&i, &j), &a_vals_p1) in a1_crd[lo..hi]
                        .iter()
                        .zip(&a2_crd[lo..hi])
                        .zip(&a_vals[lo..hi])
                    {
                        let i = i as usize;
                        let j = j as usize;
                        let t1_at = t1_pos[j];
                        t1_pos[j] = t1_at + 1;
                        t1_crd.set(t1_at, i as u32);
                        t1_vals.set(t1_at, a_vals_p1);
                    }
                }
            },
        );
    }
    bounds(&mut t1_pos, t1_tasks, a_cols);
    let b_entries = t1_pos[a_cols];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    {
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for &i in &t1_crd[t1_pos[lo]..t1_pos[hi]] {
                        let i = i as usize;
                        b_pos[i] += 1;
                    }
                }
            },
        );
    }
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        let t1_vals = &t1_vals[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = t1_pos[j]..t1_pos[j + 1];
                        for (&i, &t1_vals_p2) in t1_crd[span.clone()]
                            .iter()
                            .zip(&t1_vals[span])
                        {
                            let i = i as usize;
                            let b_at = b_pos[i];
                            b_pos[i] = b_at + 1;
                            b_crd.set(b_at, j as u32);
                            b_vals.set(b_at, t1_vals_p2);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `(i / 256): dense, (j / 256): dense, (i % 256): compressed(nonunique), (j % 256): singleton` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csb_to_csr(
    a: CsbView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, bounds, each, par_for, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let a1_extent = a.levels.0.extent;
    let a2_extent = a.levels.1.extent;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2.level;
    let Singleton { crd: a4_crd } = a.levels.3.level;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_tasks = tasks(a1_extent)
        .min(a1_extent.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_rows),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = (a1_extent * task).checked_div(b_tasks).unwrap_or(0);
                let hi = (a1_extent * (task + 1usize)).checked_div(b_tasks).unwrap_or(0);
                for c1 in lo..hi {
                    for c2 in 0..a2_extent {
                        let span = a3_pos[c1 * a2_extent
                            + c2]..a3_pos[c1 * a2_extent + c2 + 1];
                        for (&c3, &c4) in a3_crd[span.clone()].iter().zip(&a4_crd[span])
                        {
                            let c3 = c3 as usize;
                            let c4 = c4 as usize;
                            let i = c1 * 256 + c3;
                            let j = c2 * 256 + c4;
                            if i < a_rows && j < a_cols {
                                b_pos[i] += 1;
                            }
                        }
                    }
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = (a1_extent * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = (a1_extent * (task + 1usize))
                        .checked_div(b_tasks)
                        .unwrap_or(0);
                    for c1 in lo..hi {
                        for c2 in 0..a2_extent {
                            let span = a3_pos[c1 * a2_extent
                                + c2]..a3_pos[c1 * a2_extent + c2 + 1];
                            for ((&c3, &c4), &a_vals_p3) in a3_crd[span.clone()]
                                .iter()
                                .zip(&a4_crd[span.clone()])
                                .zip(&a_vals[span])
                            {
                                let c3 = c3 as usize;
                                let c4 = c4 as usize;
                                let i = c1 * 256 + c3;
                                let j = c2 * 256 + c4;
                                if i < a_rows && j < a_cols {
                                    let b_at = b_pos[i];
                                    b_pos[i] = b_at + 1;
                                    b_crd.set(b_at, j as u32);
                                    b_vals.set(b_at, a_vals_p3);
                                }
                            }
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `i: compressed, j: compressed, k: compressed` to `i: compressed(nonunique), j: singleton(nonunique), k: singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csf_to_coo3(
    a: CsfView<'_, f64>,
) -> Result<Coo3<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Compressed, Singleton, Tensor, copied};
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let Compressed { pos: a3_pos, crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let b_dim0 = a_dim0;
    let b_dim1 = a_dim1;
    let b_dim2 = a_dim2;
    let b_entries = a3_crd.len();
    let mut b1_pos = vec![0usize; 2];
    let mut b1_crd = vec![0u32; b_entries];
    let mut b2_crd = vec![0u32; b_entries];
    let b3_crd = copied(&a3_crd[..a3_crd.len()]);
    b1_pos[1] = b_entries;
    for p1 in a1_pos[0]..a1_pos[1] {
        let i = a1_crd[p1] as usize;
        for p2 in a2_pos[p1]..a2_pos[p1 + 1] {
            let j = a2_crd[p2] as usize;
            b1_crd[a3_pos[p2]..a3_pos[p2 + 1]].fill(i as u32);
            b2_crd[a3_pos[p2]..a3_pos[p2 + 1]].fill(j as u32);
        }
    }
    let b_vals = copied(&a_vals[..a_vals.len()]);
    Ok(Tensor {
        shape: [b_dim0, b_dim1, b_dim2],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Singleton { crd: b2_crd },
            Singleton { crd: b3_crd },
        ),
    })
}
/// `j: dense, i: compressed` to `i: compressed(nonunique), j: singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csc_to_coo(
    a: CscView<'_, f64>,
) -> Result<Coo<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, bounds, copied, each, par_for, seek,
        segments, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let t1_entries = a_pos[a_cols];
    let t1_tasks = tasks(t1_entries)
        .min(t1_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut t1_pos = vec![0usize; t1_tasks * a_rows + 1];
    par_for(
        Work::over(0..t1_tasks).tasks(),
        each(&mut t1_pos, 1, a_rows),
        move |block, mut t1_pos| {
            for task in block {
                let t1_pos = &mut t1_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = seek(
                    a_pos,
                    0,
                    a_cols,
                    (t1_entries * task).checked_div(t1_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a_cols,
                    (t1_entries * (task + 1usize)).checked_div(t1_tasks).unwrap_or(0),
                );
                for &i in &a_crd[a_pos[lo]..a_pos[hi]] {
                    let i = i as usize;
                    t1_pos[i] += 1;
                }
            }
        },
    );
    let t1_size = starts(&mut t1_pos[1..], t1_tasks, a_rows);
    let mut t1_crd = vec![0u32; t1_size];
    let mut t1_vals = vec![0.0; t1_size];
    {
        let t1_crd = ::pleach_runtime::SharedOutput::new(&mut t1_crd);
        let t1_vals = ::pleach_runtime::SharedOutput::new(&mut t1_vals);
        par_for(
            Work::over(0..t1_tasks).tasks(),
            each(&mut t1_pos, 1, a_rows),
            move |block, mut t1_pos| {
                let t1_vals = t1_vals.first(t1_crd.len());
                for task in block {
                    let t1_pos = &mut t1_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        a_pos,
                        0,
                        a_cols,
                        (t1_entries * task).checked_div(t1_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_cols,
                        (t1_entries * (task + 1usize)).checked_div(t1_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = a_pos[j]..a_pos[j + 1];
                        for (&i, &a_ji) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let i = i as usize;
                            let t1_at = t1_pos[i];
                            t1_pos[i] = t1_at + 1;
                            t1_crd.set(t1_at, j as u32);
                            t1_vals.set(t1_at, a_ji);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut t1_pos, t1_tasks, a_rows);
    let b_entries = t1_crd.len();
    let mut b1_pos = vec![0usize; 2];
    let mut b1_crd = vec![0u32; b_entries];
    let b2_crd = copied(&t1_crd[..t1_crd.len()]);
    b1_pos[1] = b_entries;
    par_for(
        Work::over(0..a_rows).weighted(&t1_pos).light(),
        segments(&mut b1_crd, &t1_pos),
        |block, mut b1_crd| {
            for i in block {
                b1_crd[t1_pos[i]..t1_pos[i + 1]].fill(i as u32);
            }
        },
    );
    let b_vals = copied(&t1_vals[..t1_vals.len()]);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Singleton { crd: b2_crd },
        ),
    })
}
/// `j: dense, i: compressed` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csc_to_csr(
    a: CscView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a_pos[a_cols];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_rows),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = seek(
                    a_pos,
                    0,
                    a_cols,
                    (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a_cols,
                    (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                );
                for &i in &a_crd[a_pos[lo]..a_pos[hi]] {
                    let i = i as usize;
                    b_pos[i] += 1;
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = a_pos[j]..a_pos[j + 1];
                        for (&i, &a_ji) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let i = i as usize;
                            let b_at = b_pos[i];
                            b_pos[i] = b_at + 1;
                            b_crd.set(b_at, j as u32);
                            b_vals.set(b_at, a_ji);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `i: dense, j: compressed` to `(i / 4): dense, (j / 4): compressed, (i % 4): dense, (j % 4): dense`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_bcsr(
    a: CsrView<'_, f64>,
) -> Result<Bcsr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Tensor, Work, par_for, prefix_sum, seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = (a_rows + 3) / 4;
    let b2_extent = (a_cols + 3) / 4;
    let mut b_pos = vec![0usize; b1_extent + 1];
    let mut b_listed = vec![0u32; a_pos[a_rows]];
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries);
    {
        let b_listed = ::pleach_runtime::SharedOutput::new(&mut b_listed);
        let b_pos = ::pleach_runtime::SharedOutput::new(&mut b_pos);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    ) + 3usize) / 4usize * 4usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 3usize) / 4usize * 4usize)
                        .min(a_rows);
                    let mut b_seen = vec![0usize; b2_extent];
                    let mut b_own: Vec<u32> = Vec::new();
                    let mut begin = a_pos[lo];
                    for parent in (lo + 3) / 4..(hi + 3) / 4 {
                        let lo2 = parent * 4;
                        let hi2 = (lo2 + 4usize).min(a_rows);
                        b_own.clear();
                        for &j in &a_crd[a_pos[lo2]..a_pos[hi2]] {
                            let j = j as usize;
                            if b_seen[j / 4] != parent + 1 {
                                b_seen[j / 4] = parent + 1;
                                b_own.push((j / 4usize) as u32);
                            }
                        }
                        b_own.sort_unstable();
                        for e in 0..b_own.len() {
                            b_listed.set(begin + e, b_own[e]);
                        }
                        begin += b_own.len();
                        b_pos.set(parent + 1, b_own.len());
                    }
                }
            },
        );
    }
    prefix_sum(&mut b_pos);
    let mut b_crd = vec![0u32; b_pos[b1_extent]];
    let b_size = b_pos[b1_extent];
    let b3_extent = 4usize;
    let b_size2 = b_size * 4;
    let b4_extent = 4usize;
    let b_size3 = b_size2 * 4;
    let mut b_vals = vec![0.0; b_size3];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let b_pos = &b_pos[..];
        let b_listed = &b_listed[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    ) + 3usize) / 4usize * 4usize)
                        .min(a_rows);
                    let hi = ((seek(
                        a_pos,
                        0usize,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    ) + 3usize) / 4usize * 4usize)
                        .min(a_rows);
                    let mut b_slot = vec![0usize; b2_extent];
                    let mut begin = a_pos[lo];
                    for parent in (lo + 3) / 4..(hi + 3) / 4 {
                        let lo2 = parent * 4;
                        let hi2 = (lo2 + 4usize).min(a_rows);
                        for e in 0..b_pos[parent + 1] - b_pos[parent] {
                            let c = b_listed[begin + e] as usize;
                            let b_at = b_pos[parent] + e;
                            b_crd.set(b_at, c as u32);
                            b_slot[c] = b_at;
                        }
                        begin += b_pos[parent + 1] - b_pos[parent];
                        for i in lo2..hi2 {
                            let span = a_pos[i]..a_pos[i + 1];
                            for (&j, &a_ij) in a_crd[span.clone()]
                                .iter()
                                .zip(&a_vals[span])
                            {
                                let j = j as usize;
                                b_vals.set((b_slot[j / 4] * 4 + i % 4) * 4 + j % 4, a_ij);
                            }
                        }
                    }
                }
            },
        );
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: ::pleach_runtime::tensor::Dense,
                },
                Remapped {
                    extent: b2_extent,
                    level: Compressed {
                        pos: b_pos,
                        crd: b_crd,
                    },
                },
                Remapped {
                    extent: b3_extent,
                    level: ::pleach_runtime::tensor::Dense,
                },
                Remapped {
                    extent: b4_extent,
                    level: ::pleach_runtime::tensor::Dense,
                },
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `i: compressed(nonunique), j: singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_coo(
    a: CsrView<'_, f64>,
) -> Result<Coo<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, copied, par_for, segments,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a_crd.len();
    let mut b1_pos = vec![0usize; 2];
    let mut b1_crd = vec![0u32; b_entries];
    let b2_crd = copied(&a_crd[..a_crd.len()]);
    b1_pos[1] = b_entries;
    par_for(
        Work::over(0..a_rows).weighted(a_pos).light(),
        segments(&mut b1_crd, a_pos),
        move |block, mut b1_crd| {
            for i in block {
                b1_crd[a_pos[i]..a_pos[i + 1]].fill(i as u32);
            }
        },
    );
    let b_vals = copied(&a_vals[..a_vals.len()]);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Singleton { crd: b2_crd },
        ),
    })
}
/// `i: dense, j: compressed` to `(i / 256): dense, (j / 256): dense, (i % 256): compressed(nonunique), (j % 256): singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_csb(
    a: CsrView<'_, f64>,
) -> Result<Csb<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Singleton, Tensor, Work, bounds, each, par_for,
        seek, starts, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b1_extent = (a_rows + 255) / 256;
    let b2_extent = (a_cols + 255) / 256;
    let b2_size = b1_extent * b2_extent;
    let b3_extent = 256usize;
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(b2_size).unwrap_or(0).max(1));
    let mut b3_pos = vec![0usize; b_tasks * b2_size + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b3_pos, 1, b2_size),
        move |block, mut b3_pos| {
            for task in block {
                let b3_pos = &mut b3_pos[task * b2_size + 1..(task + 1) * b2_size + 1];
                let lo = seek(
                    a_pos,
                    0,
                    a_rows,
                    (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                );
                let hi = seek(
                    a_pos,
                    0,
                    a_rows,
                    (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                );
                for i in lo..hi {
                    for &j in &a_crd[a_pos[i]..a_pos[i + 1]] {
                        let j = j as usize;
                        b3_pos[i / 256 * b2_extent + j / 256] += 1;
                    }
                }
            }
        },
    );
    let b3_size = starts(&mut b3_pos[1..], b_tasks, b2_size);
    let mut b3_crd = vec![0u32; b3_size];
    let b4_extent = 256usize;
    let mut b4_crd = vec![u32::MAX; b3_size];
    let mut b_vals = vec![0.0; b3_size];
    {
        let b3_crd = ::pleach_runtime::SharedOutput::new(&mut b3_crd);
        let b4_crd = ::pleach_runtime::SharedOutput::new(&mut b4_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b3_pos, 1, b2_size),
            move |block, mut b3_pos| {
                let b4_crd = b4_crd.first(b3_crd.len());
                let b_vals = b_vals.first(b3_crd.len());
                for task in block {
                    let b3_pos = &mut b3_pos[task * b2_size
                        + 1..(task + 1) * b2_size + 1];
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        let span = a_pos[i]..a_pos[i + 1];
                        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let j = j as usize;
                            let b3_at = b3_pos[i / 256 * b2_extent + j / 256];
                            b3_pos[i / 256 * b2_extent + j / 256] = b3_at + 1;
                            b3_crd.set(b3_at, (i % 256usize) as u32);
                            b4_crd.set(b3_at, (j % 256usize) as u32);
                            b_vals.set(b3_at, a_ij);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b3_pos, b_tasks, b2_size);
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: ::pleach_runtime::tensor::Dense,
                },
                Remapped {
                    extent: b2_extent,
                    level: ::pleach_runtime::tensor::Dense,
                },
                Remapped {
                    extent: b3_extent,
                    level: Compressed {
                        pos: b3_pos,
                        crd: b3_crd,
                    },
                },
                Remapped {
                    extent: b4_extent,
                    level: Singleton { crd: b4_crd },
                },
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `i: compressed, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_dcsr(
    a: CsrView<'_, f64>,
) -> Result<Dcsr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Compressed, Tensor};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b1_pos = vec![0usize; 2];
    let mut b1_crd: Vec<u32> = Vec::new();
    let mut b2_pos = vec![0usize; b1_crd.len() + 1];
    let mut b2_crd: Vec<u32> = Vec::new();
    let mut b_vals: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let span = a_pos[i]..a_pos[i + 1];
        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let j = j as usize;
            let last = b1_crd.len().max(1) - 1;
            if b1_pos[1] == 0 || b1_crd[last] as usize != i {
                b1_crd.push(i as u32);
                b1_pos[1] = b1_crd.len();
                b2_pos.resize(b1_crd.len() + 1, 0);
            }
            let last2 = b2_crd.len().max(1) - 1;
            if b2_pos[b1_crd.len() - 1 + 1] == 0 || b2_crd[last2] as usize != j {
                b2_crd.push(j as u32);
                b2_pos[b1_crd.len() - 1 + 1] = b2_crd.len();
                b_vals.resize(b2_crd.len(), 0.0);
            }
            b_vals[b2_crd.len() - 1] = a_ij;
        }
    }
    for p in 1..b1_pos.len() {
        b1_pos[p] = b1_pos[p].max(b1_pos[p - 1]);
    }
    for p in 1..b2_pos.len() {
        b2_pos[p] = b2_pos[p].max(b2_pos[p - 1]);
    }
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Compressed {
                pos: b2_pos,
                crd: b2_crd,
            },
        ),
    })
}
/// `i: dense, j: compressed` to `(let v0 = i / 4 in let v1 = j / 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2 | (v0 & 4) << 2 | (v1 & 4) << 3 | (v0 & 8) << 3 | (v1 & 8) << 4 | (v0 & 16) << 4 | (v1 & 16) << 5 | (v0 & 32) << 5 | (v1 & 32) << 6 | (v0 & 64) << 6 | (v1 & 64) << 7 | (v0 & 128) << 7 | (v1 & 128) << 8 | (v0 & 256) << 8 | (v1 & 256) << 9 | (v0 & 512) << 9 | (v1 & 512) << 10 | (v0 & 1024) << 10 | (v1 & 1024) << 11 | (v0 & 2048) << 11 | (v1 & 2048) << 12 | (v0 & 4096) << 12 | (v1 & 4096) << 13 | (v0 & 8192) << 13 | (v1 & 8192) << 14): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2): compressed, (i % 4): singleton, (j % 4): singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_hicoo(
    a: CsrView<'_, f64>,
) -> Result<Hicoo<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Arranged, Compressed, Remapped, Singleton, Tensor, prefix_sum,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b_coords0: Vec<usize> = Vec::new();
    let mut b_coords1: Vec<usize> = Vec::new();
    let mut b_list: Vec<f64> = Vec::new();
    for i in 0..a_rows {
        let span = a_pos[i]..a_pos[i + 1];
        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span]) {
            let j = j as usize;
            b_coords0.push(i);
            b_coords1.push(j);
            b_list.push(a_ij);
        }
    }
    let mut b_key0 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for ((b_key0_e, &b_coords0_e), &b_coords1_e) in b_key0[span.clone()]
        .iter_mut()
        .zip(&b_coords0[span.clone()])
        .zip(&b_coords1[span])
    {
        *b_key0_e = (b_coords0_e as i64 / 4i64 & 1i64
            | (b_coords1_e as i64 / 4i64 & 1i64) << 1i64
            | (b_coords0_e as i64 / 4i64 & 2i64) << 1i64
            | (b_coords1_e as i64 / 4i64 & 2i64) << 2i64
            | (b_coords0_e as i64 / 4i64 & 4i64) << 2i64
            | (b_coords1_e as i64 / 4i64 & 4i64) << 3i64
            | (b_coords0_e as i64 / 4i64 & 8i64) << 3i64
            | (b_coords1_e as i64 / 4i64 & 8i64) << 4i64
            | (b_coords0_e as i64 / 4i64 & 16i64) << 4i64
            | (b_coords1_e as i64 / 4i64 & 16i64) << 5i64
            | (b_coords0_e as i64 / 4i64 & 32i64) << 5i64
            | (b_coords1_e as i64 / 4i64 & 32i64) << 6i64
            | (b_coords0_e as i64 / 4i64 & 64i64) << 6i64
            | (b_coords1_e as i64 / 4i64 & 64i64) << 7i64
            | (b_coords0_e as i64 / 4i64 & 128i64) << 7i64
            | (b_coords1_e as i64 / 4i64 & 128i64) << 8i64
            | (b_coords0_e as i64 / 4i64 & 256i64) << 8i64
            | (b_coords1_e as i64 / 4i64 & 256i64) << 9i64
            | (b_coords0_e as i64 / 4i64 & 512i64) << 9i64
            | (b_coords1_e as i64 / 4i64 & 512i64) << 10i64
            | (b_coords0_e as i64 / 4i64 & 1024i64) << 10i64
            | (b_coords1_e as i64 / 4i64 & 1024i64) << 11i64
            | (b_coords0_e as i64 / 4i64 & 2048i64) << 11i64
            | (b_coords1_e as i64 / 4i64 & 2048i64) << 12i64
            | (b_coords0_e as i64 / 4i64 & 4096i64) << 12i64
            | (b_coords1_e as i64 / 4i64 & 4096i64) << 13i64
            | (b_coords0_e as i64 / 4i64 & 8192i64) << 13i64
            | (b_coords1_e as i64 / 4i64 & 8192i64) << 14i64) as usize;
    }
    let mut b_key1 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key1_e, &b_coords0_e) in b_key1[span.clone()].iter_mut().zip(&b_coords0[span])
    {
        *b_key1_e = (b_coords0_e as i64 / 4i64) as usize;
    }
    let mut b_key2 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key2_e, &b_coords1_e) in b_key2[span.clone()].iter_mut().zip(&b_coords1[span])
    {
        *b_key2_e = (b_coords1_e as i64 / 4i64) as usize;
    }
    let mut b_key3 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for ((b_key3_e, &b_coords0_e), &b_coords1_e) in b_key3[span.clone()]
        .iter_mut()
        .zip(&b_coords0[span.clone()])
        .zip(&b_coords1[span])
    {
        *b_key3_e = (b_coords0_e as i64 % 4i64 & 1i64
            | (b_coords1_e as i64 % 4i64 & 1i64) << 1i64
            | (b_coords0_e as i64 % 4i64 & 2i64) << 1i64
            | (b_coords1_e as i64 % 4i64 & 2i64) << 2i64) as usize;
    }
    let mut b_key4 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key4_e, &b_coords0_e) in b_key4[span.clone()].iter_mut().zip(&b_coords0[span])
    {
        *b_key4_e = (b_coords0_e as i64 % 4i64) as usize;
    }
    let mut b_key5 = vec![0usize; b_coords0.len()];
    let span = 0..b_coords0.len();
    for (b_key5_e, &b_coords1_e) in b_key5[span.clone()].iter_mut().zip(&b_coords1[span])
    {
        *b_key5_e = (b_coords1_e as i64 % 4i64) as usize;
    }
    let mut b_order: Vec<usize> = (0..b_coords0.len()).collect();
    b_order
        .sort_by_key(|&p| (
            b_key0[p],
            b_key1[p],
            b_key2[p],
            b_key3[p],
            b_key4[p],
            b_key5[p],
        ));
    let mut b_sorted0: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted1: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted2: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted3: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted4: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted5: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_folded: Vec<f64> = Vec::with_capacity(b_coords0.len());
    for &from in &b_order {
        let last = b_sorted0.len().max(1) - 1;
        if b_sorted0.len() > 0 && b_sorted0[last] == b_key0[from]
            && b_sorted1[last] == b_key1[from] && b_sorted2[last] == b_key2[from]
            && b_sorted3[last] == b_key3[from] && b_sorted4[last] == b_key4[from]
            && b_sorted5[last] == b_key5[from]
        {
            b_folded[last] += b_list[from];
        } else {
            b_sorted0.push(b_key0[from]);
            b_sorted1.push(b_key1[from]);
            b_sorted2.push(b_key2[from]);
            b_sorted3.push(b_key3[from]);
            b_sorted4.push(b_key4[from]);
            b_sorted5.push(b_key5[from]);
            b_folded.push(b_list[from]);
        }
    }
    let b1_extent = ((a_rows.max(1) - 1usize) / 4usize).min(1)
        + ((a_cols.max(1) - 1usize) / 4usize).min(1) * 2
        + ((a_rows.max(1) - 1usize) / 4usize / 2usize * 2usize).min(2) * 2
        + ((a_cols.max(1) - 1usize) / 4usize / 2usize * 2usize).min(2) * 4
        + ((a_rows.max(1) - 1usize) / 4usize / 4usize * 4usize).min(4) * 4
        + ((a_cols.max(1) - 1usize) / 4usize / 4usize * 4usize).min(4) * 8
        + ((a_rows.max(1) - 1usize) / 4usize / 8usize * 8usize).min(8) * 8
        + ((a_cols.max(1) - 1usize) / 4usize / 8usize * 8usize).min(8) * 16
        + ((a_rows.max(1) - 1usize) / 4usize / 16usize * 16usize).min(16) * 16
        + ((a_cols.max(1) - 1usize) / 4usize / 16usize * 16usize).min(16) * 32
        + ((a_rows.max(1) - 1usize) / 4usize / 32usize * 32usize).min(32) * 32
        + ((a_cols.max(1) - 1usize) / 4usize / 32usize * 32usize).min(32) * 64
        + ((a_rows.max(1) - 1usize) / 4usize / 64usize * 64usize).min(64) * 64
        + ((a_cols.max(1) - 1usize) / 4usize / 64usize * 64usize).min(64) * 128
        + ((a_rows.max(1) - 1usize) / 4usize / 128usize * 128usize).min(128) * 128
        + ((a_cols.max(1) - 1usize) / 4usize / 128usize * 128usize).min(128) * 256
        + ((a_rows.max(1) - 1usize) / 4usize / 256usize * 256usize).min(256) * 256
        + ((a_cols.max(1) - 1usize) / 4usize / 256usize * 256usize).min(256) * 512
        + ((a_rows.max(1) - 1usize) / 4usize / 512usize * 512usize).min(512) * 512
        + ((a_cols.max(1) - 1usize) / 4usize / 512usize * 512usize).min(512) * 1024
        + ((a_rows.max(1) - 1usize) / 4usize / 1024usize * 1024usize).min(1024) * 1024
        + ((a_cols.max(1) - 1usize) / 4usize / 1024usize * 1024usize).min(1024) * 2048
        + ((a_rows.max(1) - 1usize) / 4usize / 2048usize * 2048usize).min(2048) * 2048
        + ((a_cols.max(1) - 1usize) / 4usize / 2048usize * 2048usize).min(2048) * 4096
        + ((a_rows.max(1) - 1usize) / 4usize / 4096usize * 4096usize).min(4096) * 4096
        + ((a_cols.max(1) - 1usize) / 4usize / 4096usize * 4096usize).min(4096) * 8192
        + ((a_rows.max(1) - 1usize) / 4usize / 8192usize * 8192usize).min(8192) * 8192
        + ((a_cols.max(1) - 1usize) / 4usize / 8192usize * 8192usize).min(8192) * 16384
        + 1;
    let mut b1_pos = vec![0usize; 2];
    let mut b1_pos_sum = b1_pos[1];
    for e in 0..b_sorted0.len() {
        if !(e > 0 && b_sorted0[e] == b_sorted0[e - 1]
            && b_sorted1[e] == b_sorted1[e - 1] && b_sorted2[e] == b_sorted2[e - 1])
        {
            b1_pos_sum += 1;
        }
    }
    b1_pos[1] = b1_pos_sum;
    let mut b1_crd = vec![0u32; b1_pos[1]];
    let mut b1_next = 0usize;
    let b1_size = b1_pos[1];
    let mut b1_positions = vec![0usize; b_sorted0.len()];
    for e in 0..b_sorted0.len() {
        if e > 0 && b_sorted0[e] == b_sorted0[e - 1] && b_sorted1[e] == b_sorted1[e - 1]
            && b_sorted2[e] == b_sorted2[e - 1]
        {
            b1_positions[e] = b1_positions[e - 1];
        } else {
            let b1_at = b1_next;
            b1_next += 1;
            b1_crd[b1_at] = b_sorted0[e] as u32;
            b1_positions[e] = b1_at;
        }
    }
    let b2_extent = (a_rows + 3) / 4;
    let mut b2_crd = vec![u32::MAX; b1_size];
    let span = 0..b_sorted0.len();
    for (&b1_positions_e, &b_sorted1_e) in b1_positions[span.clone()]
        .iter()
        .zip(&b_sorted1[span])
    {
        b2_crd[b1_positions_e] = b_sorted1_e as u32;
    }
    let b3_extent = (a_cols + 3) / 4;
    let mut b3_crd = vec![u32::MAX; b1_size];
    let span = 0..b_sorted0.len();
    for (&b1_positions_e, &b_sorted2_e) in b1_positions[span.clone()]
        .iter()
        .zip(&b_sorted2[span])
    {
        b3_crd[b1_positions_e] = b_sorted2_e as u32;
    }
    let b4_extent = (a_rows.max(1) - 1usize).min(1) + (a_cols.max(1) - 1usize).min(1) * 2
        + ((a_rows.max(1) - 1usize).min(3) / 2usize * 2usize).min(2) * 2
        + ((a_cols.max(1) - 1usize).min(3) / 2usize * 2usize).min(2) * 4 + 1;
    let mut b4_pos = vec![0usize; b1_size + 1];
    for e in 0..b_sorted0.len() {
        if !(e > 0 && b1_positions[e] == b1_positions[e - 1]
            && b_sorted3[e] == b_sorted3[e - 1])
        {
            b4_pos[b1_positions[e] + 1] += 1;
        }
    }
    prefix_sum(&mut b4_pos);
    let mut b4_crd = vec![0u32; b4_pos[b1_size]];
    let b4_size = b4_pos[b1_size];
    let mut b4_positions = vec![0usize; b_sorted0.len()];
    for e in 0..b_sorted0.len() {
        if e > 0 && b1_positions[e] == b1_positions[e - 1]
            && b_sorted3[e] == b_sorted3[e - 1]
        {
            b4_positions[e] = b4_positions[e - 1];
        } else {
            let b4_at = b4_pos[b1_positions[e]];
            b4_pos[b1_positions[e]] = b4_at + 1;
            b4_crd[b4_at] = b_sorted3[e] as u32;
            b4_positions[e] = b4_at;
        }
    }
    for p in 0..b1_size {
        b4_pos[b1_size - p] = b4_pos[b1_size - p - 1];
    }
    b4_pos[0] = 0;
    let b5_extent = 4usize;
    let mut b5_crd = vec![u32::MAX; b4_size];
    let span = 0..b_sorted0.len();
    for (&b4_positions_e, &b_sorted4_e) in b4_positions[span.clone()]
        .iter()
        .zip(&b_sorted4[span])
    {
        b5_crd[b4_positions_e] = b_sorted4_e as u32;
    }
    let b6_extent = 4usize;
    let mut b6_crd = vec![u32::MAX; b4_size];
    let span = 0..b_sorted0.len();
    for (&b4_positions_e, &b_sorted5_e) in b4_positions[span.clone()]
        .iter()
        .zip(&b_sorted5[span])
    {
        b6_crd[b4_positions_e] = b_sorted5_e as u32;
    }
    let mut b_vals = vec![0.0; b4_size];
    let span = 0..b_sorted0.len();
    for (&b4_positions_e, &b_folded_e) in b4_positions[span.clone()]
        .iter()
        .zip(&b_folded[span])
    {
        b_vals[b4_positions_e] = b_folded_e;
    }
    Ok(
        Arranged::new(Tensor {
            shape: [b_rows, b_cols],
            vals: b_vals,
            levels: (
                Remapped {
                    extent: b1_extent,
                    level: Compressed {
                        pos: b1_pos,
                        crd: b1_crd,
                    },
                },
                Remapped {
                    extent: b2_extent,
                    level: Singleton { crd: b2_crd },
                },
                Remapped {
                    extent: b3_extent,
                    level: Singleton { crd: b3_crd },
                },
                Remapped {
                    extent: b4_extent,
                    level: Compressed {
                        pos: b4_pos,
                        crd: b4_crd,
                    },
                },
                Remapped {
                    extent: b5_extent,
                    level: Singleton { crd: b5_crd },
                },
                Remapped {
                    extent: b6_extent,
                    level: Singleton { crd: b6_crd },
                },
            ),
        }),
    )
}
/// `i: dense, j: compressed` to `i: dense, j: banded`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn csr_to_skyline(
    a: CsrView<'_, f64>,
) -> Result<Skyline<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Banded, Compressed, Tensor, Work, par_for, prefix_sum, seek, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a_pos, crd: a_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b_pos = vec![0usize; a_rows + 1];
    let mut b_first = vec![0u32; a_rows];
    for i in 0..a_rows {
        let mut b_first_i = b_first[i];
        let mut b_pos_sum = b_pos[i + 1];
        for &j in &a_crd[a_pos[i]..a_pos[i + 1]] {
            let j = j as usize;
            b_first_i = b_first_i.max((a_cols - j) as u32);
            b_pos_sum = b_pos_sum.max(j + 1);
        }
        b_first[i] = b_first_i;
        b_pos[i + 1] = b_pos_sum;
    }
    for p in 0..a_rows {
        if b_pos[p + 1] > 0 {
            let lo = a_cols - b_first[p] as usize;
            b_first[p] = lo as u32;
            b_pos[p + 1] = b_pos[p + 1] - lo;
        }
    }
    prefix_sum(&mut b_pos);
    let b_size = b_pos[a_rows];
    let mut b_vals = vec![0.0; b_size];
    let b_entries = a_pos[a_rows];
    let b_tasks = tasks(b_entries);
    {
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let b_pos = &b_pos[..];
        let b_first = &b_first[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        a_pos,
                        0,
                        a_rows,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for i in lo..hi {
                        let span = a_pos[i]..a_pos[i + 1];
                        for (&j, &a_ij) in a_crd[span.clone()].iter().zip(&a_vals[span])
                        {
                            let j = j as usize;
                            b_vals.set(b_pos[i] + (j - b_first[i] as usize), a_ij);
                        }
                    }
                }
            },
        );
    }
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Banded {
                pos: b_pos,
                first: b_first,
            },
        ),
    })
}
/// `i: compressed, j: compressed` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn dcsr_to_csr(
    a: DcsrView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Compressed, Tensor, copied};
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: a1_crd } = a.levels.0;
    let Compressed { pos: a2_pos, crd: a2_crd } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b_pos = vec![0usize; a_rows + 1];
    let b_crd = copied(&a2_crd[..a2_crd.len()]);
    for p1 in a1_pos[0]..a1_pos[1] {
        let i = a1_crd[p1] as usize;
        b_pos[i + 1] = a2_pos[p1 + 1];
    }
    let mut end = 0usize;
    for b_pos_p in &mut b_pos[1..a_rows + 1] {
        end = end.max(*b_pos_p);
        *b_pos_p = end;
    }
    let b_vals = copied(&a_vals[..a_vals.len()]);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `(j - i): squeezed, i: range, j: offset` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn dia_to_csr(
    a: DiaView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Squeezed, Tensor, Work, bounds, each, par_for, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Squeezed { crd: a_crd } = a.levels.0.level;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_entries = a_crd.len();
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_rows),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                let hi = (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0);
                for p1 in lo..hi {
                    let c1 = a_crd[p1] as usize;
                    for (&a_vals_i, b_pos_i) in a_vals[p1 * a_rows
                            + ((a_rows.max(1) - 1usize).max(c1)
                                - c1)..p1 * a_rows
                            + a_rows
                                .min((a_cols + (a_rows.max(1) - 1usize)).max(c1) - c1)]
                        .iter()
                        .zip(
                            &mut b_pos[(a_rows.max(1) - 1usize).max(c1)
                                - c1..a_rows
                                .min((a_cols + (a_rows.max(1) - 1usize)).max(c1) - c1)],
                        )
                    {
                        if a_vals_i != 0.0 {
                            *b_pos_i += 1;
                        }
                    }
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = (b_entries * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = (b_entries * (task + 1usize))
                        .checked_div(b_tasks)
                        .unwrap_or(0);
                    for p1 in lo..hi {
                        let c1 = a_crd[p1] as usize;
                        for i in (a_rows.max(1) - 1usize).max(c1)
                            - c1..a_rows
                            .min((a_cols + (a_rows.max(1) - 1usize)).max(c1) - c1)
                        {
                            let j = i + c1 - (a_rows.max(1) - 1);
                            if a_vals[p1 * a_rows + i] != 0.0 {
                                let b_at = b_pos[i];
                                b_pos[i] = b_at + 1;
                                b_crd.set(b_at, j as u32);
                                b_vals.set(b_at, a_vals[p1 * a_rows + i]);
                            }
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `(#i): sliced, i: dense, j: singleton(padded)` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn ell_to_csr(
    a: EllView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Sliced, Tensor, Work, bounds, each, par_for, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Sliced { slices: a1_slices } = a.levels.0;
    let Singleton { crd: a3_crd } = a.levels.2;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let b_tasks = tasks(a1_slices)
        .min(a1_slices.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    par_for(
        Work::over(0..b_tasks).tasks(),
        each(&mut b_pos, 1, a_rows),
        move |block, mut b_pos| {
            for task in block {
                let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                let lo = (a1_slices * task).checked_div(b_tasks).unwrap_or(0);
                let hi = (a1_slices * (task + 1usize)).checked_div(b_tasks).unwrap_or(0);
                for c1 in lo..hi {
                    for (&a3_crd_i, b_pos_i) in a3_crd[c1 * a_rows..c1 * a_rows + a_rows]
                        .iter()
                        .zip(&mut b_pos[0..a_rows])
                    {
                        if a3_crd_i != u32::MAX {
                            *b_pos_i += 1;
                        }
                    }
                }
            }
        },
    );
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = (a1_slices * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = (a1_slices * (task + 1usize))
                        .checked_div(b_tasks)
                        .unwrap_or(0);
                    for c1 in lo..hi {
                        for ((&a3_crd_i, b_pos_i), &a_vals_i) in a3_crd[c1
                                * a_rows..c1 * a_rows + a_rows]
                            .iter()
                            .zip(&mut b_pos[0..a_rows])
                            .zip(&a_vals[c1 * a_rows..c1 * a_rows + a_rows])
                        {
                            if a3_crd_i != u32::MAX {
                                let j = a3_crd_i as usize;
                                let b_at = *b_pos_i;
                                *b_pos_i = b_at + 1;
                                b_crd.set(b_at, j as u32);
                                b_vals.set(b_at, a_vals_i);
                            }
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `(let v0 = i / 4 in let v1 = j / 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2 | (v0 & 4) << 2 | (v1 & 4) << 3 | (v0 & 8) << 3 | (v1 & 8) << 4 | (v0 & 16) << 4 | (v1 & 16) << 5 | (v0 & 32) << 5 | (v1 & 32) << 6 | (v0 & 64) << 6 | (v1 & 64) << 7 | (v0 & 128) << 7 | (v1 & 128) << 8 | (v0 & 256) << 8 | (v1 & 256) << 9 | (v0 & 512) << 9 | (v1 & 512) << 10 | (v0 & 1024) << 10 | (v1 & 1024) << 11 | (v0 & 2048) << 11 | (v1 & 2048) << 12 | (v0 & 4096) << 12 | (v1 & 4096) << 13 | (v0 & 8192) << 13 | (v1 & 8192) << 14): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in v0 & 1 | (v1 & 1) << 1 | (v0 & 2) << 1 | (v1 & 2) << 2): compressed, (i % 4): singleton, (j % 4): singleton` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn hicoo_to_csr(
    a: HicooView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Compressed, Singleton, Tensor, Work, bounds, each, par_for, seek, starts, tasks,
    };
    let a = a.tensor;
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Compressed { pos: a1_pos, crd: _ } = a.levels.0.level;
    let Singleton { crd: a2_crd } = a.levels.1.level;
    let Singleton { crd: a3_crd } = a.levels.2.level;
    let Compressed { pos: a4_pos, crd: _ } = a.levels.3.level;
    let Singleton { crd: a5_crd } = a.levels.4.level;
    let Singleton { crd: a6_crd } = a.levels.5.level;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let t1_entries = a1_pos[1] - a1_pos[0];
    let t1_tasks = tasks(t1_entries)
        .min(t1_entries.checked_div(a_cols).unwrap_or(0).max(1));
    let mut t1_pos = vec![0usize; t1_tasks * a_cols + 1];
    par_for(
        Work::over(0..t1_tasks).tasks(),
        each(&mut t1_pos, 1, a_cols),
        move |block, mut t1_pos| {
            for task in block {
                let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                let lo = a1_pos[0]
                    + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                let hi = a1_pos[0]
                    + (t1_entries * (task + 1usize)).checked_div(t1_tasks).unwrap_or(0);
                for p1 in lo..hi {
                    let c2 = a2_crd[p1] as usize;
                    let c3 = a3_crd[p1] as usize;
                    let span = a4_pos[p1]..a4_pos[p1 + 1];
                    for (&c5, &c6) in a5_crd[span.clone()].iter().zip(&a6_crd[span]) {
                        let c5 = c5 as usize;
                        let c6 = c6 as usize;
                        let i = c2 * 4 + c5;
                        let j = c3 * 4 + c6;
                        if i < a_rows && j < a_cols {
                            t1_pos[j] += 1;
                        }
                    }
                }
            }
        },
    );
    let t1_size = starts(&mut t1_pos[1..], t1_tasks, a_cols);
    let mut t1_crd = vec![0u32; t1_size];
    let mut t1_vals = vec![0.0; t1_size];
    {
        let t1_crd = ::pleach_runtime::SharedOutput::new(&mut t1_crd);
        let t1_vals = ::pleach_runtime::SharedOutput::new(&mut t1_vals);
        par_for(
            Work::over(0..t1_tasks).tasks(),
            each(&mut t1_pos, 1, a_cols),
            move |block, mut t1_pos| {
                let t1_vals = t1_vals.first(t1_crd.len());
                for task in block {
                    let t1_pos = &mut t1_pos[task * a_cols + 1..(task + 1) * a_cols + 1];
                    let lo = a1_pos[0]
                        + (t1_entries * task).checked_div(t1_tasks).unwrap_or(0);
                    let hi = a1_pos[0]
                        + (t1_entries * (task + 1usize))
                            .checked_div(t1_tasks)
                            .unwrap_or(0);
                    for p1 in lo..hi {
                        let c2 = a2_crd[p1] as usize;
                        let c3 = a3_crd[p1] as usize;
                        let span = a4_pos[p1]..a4_pos[p1 + 1];
                        for ((&c5, &c6), &a_vals_p4) in a5_crd[span.clone()]
                            .iter()
                            .zip(&a6_crd[span.clone()])
                            .zip(&a_vals[span])
                        {
                            let c5 = c5 as usize;
                            let c6 = c6 as usize;
                            let i = c2 * 4 + c5;
                            let j = c3 * 4 + c6;
                            if i < a_rows && j < a_cols {
                                let t1_at = t1_pos[j];
                                t1_pos[j] = t1_at + 1;
                                t1_crd.set(t1_at, i as u32);
                                t1_vals.set(t1_at, a_vals_p4);
                            }
                        }
                    }
                }
            },
        );
    }
    bounds(&mut t1_pos, t1_tasks, a_cols);
    let b_entries = t1_pos[a_cols];
    let b_tasks = tasks(b_entries)
        .min(b_entries.checked_div(a_rows).unwrap_or(0).max(1));
    let mut b_pos = vec![0usize; b_tasks * a_rows + 1];
    {
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for &i in &t1_crd[t1_pos[lo]..t1_pos[hi]] {
                        let i = i as usize;
                        b_pos[i] += 1;
                    }
                }
            },
        );
    }
    let b_size = starts(&mut b_pos[1..], b_tasks, a_rows);
    let mut b_crd = vec![0u32; b_size];
    let mut b_vals = vec![0.0; b_size];
    {
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        let t1_pos = &t1_pos[..];
        let t1_crd = &t1_crd[..];
        let t1_vals = &t1_vals[..];
        par_for(
            Work::over(0..b_tasks).tasks(),
            each(&mut b_pos, 1, a_rows),
            move |block, mut b_pos| {
                let b_vals = b_vals.first(b_crd.len());
                for task in block {
                    let b_pos = &mut b_pos[task * a_rows + 1..(task + 1) * a_rows + 1];
                    let lo = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * task).checked_div(b_tasks).unwrap_or(0),
                    );
                    let hi = seek(
                        t1_pos,
                        0,
                        a_cols,
                        (b_entries * (task + 1usize)).checked_div(b_tasks).unwrap_or(0),
                    );
                    for j in lo..hi {
                        let span = t1_pos[j]..t1_pos[j + 1];
                        for (&i, &t1_vals_p2) in t1_crd[span.clone()]
                            .iter()
                            .zip(&t1_vals[span])
                        {
                            let i = i as usize;
                            let b_at = b_pos[i];
                            b_pos[i] = b_at + 1;
                            b_crd.set(b_at, j as u32);
                            b_vals.set(b_at, t1_vals_p2);
                        }
                    }
                }
            },
        );
    }
    bounds(&mut b_pos, b_tasks, a_rows);
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
/// `(let v0 = i / 4 in let v1 = j / 4 in let v2 = k / 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4 | (v0 & 4) << 4 | (v1 & 4) << 5 | (v2 & 4) << 6 | (v0 & 8) << 6 | (v1 & 8) << 7 | (v2 & 8) << 8 | (v0 & 16) << 8 | (v1 & 16) << 9 | (v2 & 16) << 10 | (v0 & 32) << 10 | (v1 & 32) << 11 | (v2 & 32) << 12 | (v0 & 64) << 12 | (v1 & 64) << 13 | (v2 & 64) << 14 | (v0 & 128) << 14 | (v1 & 128) << 15 | (v2 & 128) << 16 | (v0 & 256) << 16 | (v1 & 256) << 17 | (v2 & 256) << 18 | (v0 & 512) << 18 | (v1 & 512) << 19 | (v2 & 512) << 20): compressed(nonunique), (i / 4): singleton, (j / 4): singleton, (k / 4): singleton, (let v0 = i % 4 in let v1 = j % 4 in let v2 = k % 4 in v0 & 1 | (v1 & 1) << 1 | (v2 & 1) << 2 | (v0 & 2) << 2 | (v1 & 2) << 3 | (v2 & 2) << 4): compressed, (i % 4): singleton, (j % 4): singleton, (k % 4): singleton` to `i: compressed(nonunique), j: singleton(nonunique), k: singleton`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn hicoo3_to_coo3(
    a: Hicoo3View<'_, f64>,
) -> Result<Coo3<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{Compressed, Singleton, Tensor};
    let a = a.tensor;
    let (a_dim0, a_dim1, a_dim2) = (a.shape[0], a.shape[1], a.shape[2]);
    let Compressed { pos: a1_pos, crd: _ } = a.levels.0.level;
    let Singleton { crd: a2_crd } = a.levels.1.level;
    let Singleton { crd: a3_crd } = a.levels.2.level;
    let Singleton { crd: a4_crd } = a.levels.3.level;
    let Compressed { pos: a5_pos, crd: _ } = a.levels.4.level;
    let Singleton { crd: a6_crd } = a.levels.5.level;
    let Singleton { crd: a7_crd } = a.levels.6.level;
    let Singleton { crd: a8_crd } = a.levels.7.level;
    let a_vals = a.vals;
    let b_dim0 = a_dim0;
    let b_dim1 = a_dim1;
    let b_dim2 = a_dim2;
    let mut b_coords0: Vec<usize> = Vec::new();
    let mut b_coords1: Vec<usize> = Vec::new();
    let mut b_coords2: Vec<usize> = Vec::new();
    let mut b_list: Vec<f64> = Vec::new();
    for p1 in a1_pos[0]..a1_pos[1] {
        let c2 = a2_crd[p1] as usize;
        let c3 = a3_crd[p1] as usize;
        let c4 = a4_crd[p1] as usize;
        let span = a5_pos[p1]..a5_pos[p1 + 1];
        for (((&c6, &c7), &c8), &a_vals_p5) in a6_crd[span.clone()]
            .iter()
            .zip(&a7_crd[span.clone()])
            .zip(&a8_crd[span.clone()])
            .zip(&a_vals[span])
        {
            let c6 = c6 as usize;
            let c7 = c7 as usize;
            let c8 = c8 as usize;
            let i = c2 * 4 + c6;
            let j = c3 * 4 + c7;
            let k = c4 * 4 + c8;
            if i < a_dim0 && j < a_dim1 && k < a_dim2 {
                b_coords0.push(i);
                b_coords1.push(j);
                b_coords2.push(k);
                b_list.push(a_vals_p5);
            }
        }
    }
    let mut b_order: Vec<usize> = (0..b_coords0.len()).collect();
    b_order.sort_by_key(|&p| (b_coords0[p], b_coords1[p], b_coords2[p]));
    let mut b_sorted0: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted1: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_sorted2: Vec<usize> = Vec::with_capacity(b_coords0.len());
    let mut b_folded: Vec<f64> = Vec::with_capacity(b_coords0.len());
    for &from in &b_order {
        let last = b_sorted0.len().max(1) - 1;
        if b_sorted0.len() > 0 && b_sorted0[last] == b_coords0[from]
            && b_sorted1[last] == b_coords1[from] && b_sorted2[last] == b_coords2[from]
        {
            b_folded[last] += b_list[from];
        } else {
            b_sorted0.push(b_coords0[from]);
            b_sorted1.push(b_coords1[from]);
            b_sorted2.push(b_coords2[from]);
            b_folded.push(b_list[from]);
        }
    }
    let mut b_ends = vec![0usize; 2];
    b_ends[1] = b_sorted0.len();
    let mut b1_pos = vec![0usize; 2];
    let mut b1_pos_sum = b1_pos[1];
    for _p1 in b_ends[0]..b_ends[1] {
        b1_pos_sum += 1;
    }
    b1_pos[1] = b1_pos_sum;
    let mut b1_crd = vec![0u32; b1_pos[1]];
    let b1_size = b1_pos[1];
    let mut b2_crd = vec![u32::MAX; b1_size];
    let mut b3_crd = vec![u32::MAX; b1_size];
    let mut b_vals = vec![0.0; b1_size];
    let mut b1_next = 0usize;
    let span = b_ends[0]..b_ends[1];
    for (((&i, &j), &k), &b_folded_p1) in b_sorted0[span.clone()]
        .iter()
        .zip(&b_sorted1[span.clone()])
        .zip(&b_sorted2[span.clone()])
        .zip(&b_folded[span])
    {
        let b1_at = b1_next;
        b1_next += 1;
        b1_crd[b1_at] = i as u32;
        b2_crd[b1_at] = j as u32;
        b3_crd[b1_at] = k as u32;
        b_vals[b1_at] = b_folded_p1;
    }
    Ok(Tensor {
        shape: [b_dim0, b_dim1, b_dim2],
        vals: b_vals,
        levels: (
            Compressed {
                pos: b1_pos,
                crd: b1_crd,
            },
            Singleton { crd: b2_crd },
            Singleton { crd: b3_crd },
        ),
    })
}
/// `i: dense, j: banded` to `i: dense, j: compressed`
///
/// # Errors
///
/// None: there is nothing to disagree.
#[allow(clippy::all)]
pub fn skyline_to_csr(
    a: SkylineView<'_, f64>,
) -> Result<Csr<f64>, ::pleach_runtime::kernel::ShapeError> {
    use ::pleach_runtime::kernel::{
        Banded, Compressed, Tensor, Work, par_for, prefix_sum, tasks,
    };
    let (a_rows, a_cols) = (a.shape[0], a.shape[1]);
    let Banded { pos: a_pos, first: a_first } = a.levels.1;
    let a_vals = a.vals;
    let b_rows = a_rows;
    let b_cols = a_cols;
    let mut b_pos = vec![0usize; a_rows + 1];
    for i in 0..a_rows {
        let mut b_pos_sum = b_pos[i + 1];
        for j in a_first[i] as usize..a_first[i] as usize + (a_pos[i + 1] - a_pos[i]) {
            if a_vals[a_pos[i] + (j - a_first[i] as usize)] != 0.0 {
                b_pos_sum += 1;
            }
        }
        b_pos[i + 1] = b_pos_sum;
    }
    prefix_sum(&mut b_pos);
    let mut b_crd = vec![0u32; b_pos[a_rows]];
    let b_size = b_pos[a_rows];
    let mut b_vals = vec![0.0; b_size];
    let b_tasks = tasks(a_rows);
    {
        let b_pos = ::pleach_runtime::SharedOutput::new(&mut b_pos);
        let b_crd = ::pleach_runtime::SharedOutput::new(&mut b_crd);
        let b_vals = ::pleach_runtime::SharedOutput::new(&mut b_vals);
        par_for(
            Work::over(0..b_tasks).tasks(),
            (),
            move |block, ()| {
                for task in block {
                    let lo = (a_rows * task).checked_div(b_tasks).unwrap_or(0);
                    let hi = (a_rows * (task + 1usize))
                        .checked_div(b_tasks)
                        .unwrap_or(0);
                    for i in lo..hi {
                        for j in a_first[i]
                            as usize..a_first[i] as usize + (a_pos[i + 1] - a_pos[i])
                        {
                            if a_vals[a_pos[i] + (j - a_first[i] as usize)] != 0.0 {
                                let b_at = b_pos.get(i);
                                b_pos.set(i, b_at + 1);
                                b_crd.set(b_at, j as u32);
                                b_vals
                                    .set(b_at, a_vals[a_pos[i] + (j - a_first[i] as usize)]);
                            }
                        }
                    }
                }
            },
        );
    }
    for p in 0..a_rows {
        b_pos[a_rows - p] = b_pos[a_rows - p - 1];
    }
    b_pos[0] = 0;
    Ok(Tensor {
        shape: [b_rows, b_cols],
        vals: b_vals,
        levels: (
            ::pleach_runtime::tensor::Dense,
            Compressed {
                pos: b_pos,
                crd: b_crd,
            },
        ),
    })
}
