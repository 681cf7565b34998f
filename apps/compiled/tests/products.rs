//! Products of a matrix and a vector are the same in all formats.

use pleach::Csr;
use pleach_compiled::products::product;

const FORMATS: [&str; 9] = ["csr", "csc", "dcsr", "coo", "dia", "ell", "bcsr<2, 2>", "bcsr", "skyline"];

#[test]
fn products_in_all_formats_are_equal() {
    let entries = (0..40u32).flat_map(|i| (0..i % 5).map(move |k| (i, (i * 3 + k * 7) % 31, f64::from(i + k))));
    for csr in [Csr::from_entries(40, 31, entries).unwrap(), Csr::empty(3, 0).unwrap(), Csr::empty(0, 3).unwrap()] {
        let x: Vec<f64> = (0..csr.num_cols()).map(|j| j as f64).collect();
        let want: Vec<f64> =
            (0..csr.num_rows()).map(|i| csr.row(i).iter().map(|(j, value)| value * x[j as usize]).sum()).collect();
        for format in FORMATS {
            let (mut y, mut calls) = (vec![f64::NAN; csr.num_rows()], 0);
            let is_compiled = product(&csr, format, &mut y, &x, &mut |product| {
                product().unwrap();
                calls += 1;
            });
            assert!(is_compiled, "{format} is compiled");
            assert_eq!((&y, calls), (&want, 1), "{format}");
        }
        assert!(!product(&csr, "dok", &mut [], &x, &mut |_| panic!("nothing is compiled for it")));
    }
}
