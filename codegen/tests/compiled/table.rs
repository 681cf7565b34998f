programs! {
    random_0_f64 0 f64;
    random_1_u64 1 u64;
    random_2_u32 2 u32;
    random_3_i64 3 i64;
    random_4_u32 4 u32;
    random_5_i32 5 i32;
    random_6_i32 6 i32;
    random_7_i64 7 i64;
}
