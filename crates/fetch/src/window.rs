//! How many exchanges with one host a crawl should have under way: one at first, one more with each
//! quick answer, half after trouble, and from then on slowly up again (the congestion window of
//! TCP, RFC 5681). Time and counting only; nothing here waits.

use std::time::Duration;

use crate::sign::Sign;

/// An answer that takes longer says that the host has enough to do.
const QUICK: Duration = Duration::from_millis(1500);

/// The window of one host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    size: f64,
    /// Up to here it grows by one an answer, beyond by one a round.
    threshold: f64,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            size: 1.0,
            threshold: f64::INFINITY,
        }
    }
}

impl Window {
    /// Exchanges that may be under way, of at most `places`.
    pub(crate) fn size(&self, places: usize) -> usize {
        // Never negative nor beyond `places`: the conversion is exact enough.
        (self.size as usize).clamp(1, places.max(1))
    }

    /// Takes note of how an exchange went.
    pub(crate) fn learn(&mut self, sign: Sign, places: usize) {
        match sign {
            Sign::Answered(after) if after <= QUICK => {
                let step = if self.size < self.threshold {
                    1.0
                } else {
                    1.0 / self.size
                };
                self.size = (self.size + step).min(places.max(1) as f64);
            }
            Sign::Answered(_) | Sign::Alive | Sign::Nothing => {}
            Sign::Strained | Sign::Failing => {
                self.size = (self.size / 2.0).max(1.0);
                self.threshold = self.size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(signs: &[(Sign, u32)]) -> usize {
        let mut window = Window::default();
        for (sign, times) in signs {
            for _ in 0..*times {
                window.learn(*sign, 32);
            }
        }
        window.size(32)
    }

    #[test]
    fn it_opens_with_quick_answers_and_halves_on_trouble() {
        let quick = Sign::Answered(Duration::from_millis(50));
        let slow = Sign::Answered(Duration::from_secs(5));
        assert_eq!(after(&[]), 1);
        assert_eq!(after(&[(quick, 7)]), 8);
        assert_eq!(after(&[(quick, 100)]), 32);
        assert_eq!(after(&[(quick, 7), (slow, 100)]), 8);
        assert_eq!(after(&[(quick, 100), (Sign::Strained, 1)]), 16);
        assert_eq!(after(&[(quick, 100), (Sign::Strained, 1), (quick, 20)]), 17);
        assert_eq!(after(&[(quick, 100), (Sign::Strained, 20)]), 1);
    }
}
