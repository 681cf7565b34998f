//! One file out of a `.tar.gz`.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::error::Error;
use crate::write::Aside;

/// Copies the file called `wanted` in the archive to `place`, in whatever folder of the archive it is. Nothing else is unpacked, and
/// no path of the archive is believed.
pub(super) fn unpack(archive: &Path, wanted: &str, place: &Path, limit: u64) -> Result<(), Error> {
    let damaged = |error: io::Error| match error.raw_os_error() {
        None => Error::Compressed { path: archive.to_owned(), reason: format!("is damaged: {error}") },
        Some(_) => Error::io(archive, error),
    };
    let file = File::open(archive).map_err(|e| Error::io(archive, e))?;
    let plain = flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 18, file));
    let mut tar = tar::Archive::new(plain);
    for entry in tar.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let is_wanted = entry.path().is_ok_and(|path| path.file_name().is_some_and(|name| name == wanted));
        if !is_wanted || !entry.header().entry_type().is_file() {
            continue;
        }
        if entry.size() > limit {
            let reason = format!("holds {wanted} of {} bytes, expected at most {limit}", entry.size());
            return Err(Error::Compressed { path: archive.to_owned(), reason });
        }
        let mut aside = Aside::create(place)?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            let got = match entry.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => got,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(damaged(e)),
            };
            io::Write::write_all(&mut aside, &buffer[..got]).map_err(|e| Error::io(place, e))?;
        }
        return aside.finish();
    }
    Err(Error::Compressed { path: archive.to_owned(), reason: format!("holds no file called {wanted}") })
}
