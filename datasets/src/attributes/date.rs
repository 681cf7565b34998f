//! Dates and times of tables as texts (ISO 8601): `2020-02-29`, `2020-09-13T12:26:40.123Z`.

/// How a column counts from the beginning of 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Days.
    Days,
    /// Parts of a second, so many in each; and whether they are those of UTC, and not of a clock on a wall somewhere.
    Parts {
        /// How many a second has: a power of ten.
        of_second: i64,
        /// Whether the time is that of UTC.
        utc: bool,
    },
}

const DAY: i64 = 24 * 60 * 60;

impl Clock {
    /// What it shows at a count.
    pub(crate) fn show(self, count: i64) -> String {
        let Clock::Parts { of_second, utc } = self else { return date(count) };
        let (seconds, part) = (count.div_euclid(of_second), count.rem_euclid(of_second));
        let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let mut text = format!("{}T{:02}:{:02}:{:02}", date(day), second / 3600, second / 60 % 60, second % 60);
        if part > 0 {
            let digits = of_second.ilog10() as usize;
            text += format!(".{part:0digits$}").trim_end_matches('0');
        }
        if utc { text + "Z" } else { text }
    }
}

/// A day of the Gregorian calendar. Four centuries have 146,097 days; years are counted from March, so that the day that only some have is their last.
fn date(day: i64) -> String {
    const CENTURIES: i64 = 146_097;
    // From the first of March of the year 0.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(CENTURIES), day.rem_euclid(CENTURIES));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", year + era * 400 + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Python's `datetime` shows them.
    #[test]
    fn clocks_show_known_times() {
        let days = [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (18_321, "2020-02-29"),
            (18_322, "2020-03-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (-719_162, "0001-01-01"),
            (2_932_896, "9999-12-31"),
        ];
        for (count, text) in days {
            assert_eq!(Clock::Days.show(count), text);
        }
        let parts = |of_second, utc, count: i64| Clock::Parts { of_second, utc }.show(count);
        assert_eq!(parts(1, true, 1_600_000_000), "2020-09-13T12:26:40Z");
        assert_eq!(parts(1000, false, 1_600_000_000_120), "2020-09-13T12:26:40.12");
        assert_eq!(parts(1_000_000_000, false, 1_600_000_000_000_000_001), "2020-09-13T12:26:40.000000001");
        assert_eq!(parts(1_000_000, false, -1), "1969-12-31T23:59:59.999999");
        // Nothing overflows.
        for count in [i64::MIN, i64::MAX] {
            assert!(parts(1, false, count).contains('T'));
        }
    }
}
