//! The tray's icon: a ring that fills with the progress.

/// The side of the icon in pixels: twice 32, so that it is crisp at 32 and smooth at 22.
pub(crate) const SIDE: u32 = 64;

const OUTER: f64 = 29.0;
const INNER: f64 = 18.0;
const DOT: f64 = 10.0;

/// A colour that is visible on a light and on a dark panel.
type Colour = [u8; 3];
const WORK: Colour = [0x5b, 0x8a, 0xf5];
const NEEDS: Colour = [0xe2, 0x9a, 0x1f];
const REST: Colour = [0x8c, 0x91, 0x9c];
const BLACK: Colour = [0, 0, 0];

/// The content of the icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ring {
    /// The progress in steps of two per cent; none while no session runs.
    step: Option<u8>,
    /// Something needs the user: shown in amber, and with a dot in the middle for people who cannot tell the colours.
    needs: bool,
}

impl Ring {
    pub(crate) fn new(fraction: Option<f64>, needs: bool) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 50")]
        let step = fraction.map(|fraction| (fraction.clamp(0.0, 1.0) * 50.0).round() as u8);
        Self { step, needs }
    }

    /// The pixels in red, green, blue and alpha. A template is black, for systems that colour it themselves.
    pub(crate) fn draw(self, template: bool) -> Vec<u8> {
        let full = if self.needs {
            NEEDS
        } else if self.step.is_some() {
            WORK
        } else {
            REST
        };
        let (full, rest) = if template { (BLACK, BLACK) } else { (full, REST) };
        let share = self.step.map_or(1.0, |step| f64::from(step) / 50.0);
        let middle = f64::from(SIDE) / 2.0;
        let mut pixels = Vec::with_capacity((SIDE * SIDE * 4) as usize);
        for row in 0..SIDE {
            for column in 0..SIDE {
                let (x, y) = (f64::from(column) + 0.5 - middle, f64::from(row) + 0.5 - middle);
                let away = x.hypot(y);
                let ring = cover(OUTER - away).min(cover(away - INNER));
                let dot = if self.needs { cover(DOT - away) } else { 0.0 };
                // From the top, clockwise.
                let turn = x.atan2(-y).rem_euclid(std::f64::consts::TAU);
                let past = (share * std::f64::consts::TAU - turn) * away;
                let filled = if share >= 1.0 { 1.0 } else { cover(past) };
                let alpha = (ring * (0.4 + 0.6 * filled)).max(dot);
                let colour = if dot > 0.0 { full } else { mix(rest, full, filled) };
                pixels.extend(colour);
                pixels.push(byte(alpha));
            }
        }
        pixels
    }
}

/// The covered share of a pixel whose middle is this far inside an edge.
fn cover(inside: f64) -> f64 {
    (inside + 0.5).clamp(0.0, 1.0)
}

fn mix(from: Colour, to: Colour, share: f64) -> Colour {
    std::array::from_fn(|at| byte((f64::from(from[at]) * (1.0 - share) + f64::from(to[at]) * share) / 255.0))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 255")]
fn byte(share: f64) -> u8 {
    (share * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::{NEEDS, REST, Ring, SIDE, WORK};
    use rstest::rstest;

    fn at(pixels: &[u8], x: u32, y: u32) -> ([u8; 3], u8) {
        let start = ((y * SIDE + x) * 4) as usize;
        ([pixels[start], pixels[start + 1], pixels[start + 2]], pixels[start + 3])
    }

    /// A point on the right, lower, left and upper side of the ring, away from its start.
    const SIDES: [(u32, u32); 4] = [(55, 33), (31, 55), (8, 31), (27, 8)];

    #[rstest]
    #[case(Some(0.0), [REST, REST, REST, REST])]
    #[case(Some(0.5), [WORK, REST, REST, REST])]
    #[case(Some(0.6), [WORK, WORK, REST, REST])]
    #[case(Some(0.8), [WORK, WORK, WORK, REST])]
    #[case(Some(1.0), [WORK, WORK, WORK, WORK])]
    #[case(None, [REST, REST, REST, REST])]
    fn it_fills_from_the_top_clockwise(#[case] fraction: Option<f64>, #[case] colours: [[u8; 3]; 4]) {
        let pixels = Ring::new(fraction, false).draw(false);
        assert_eq!(SIDES.map(|(x, y)| at(&pixels, x, y).0), colours);
        assert_eq!(at(&pixels, 32, 32).1, 0, "it is open in the middle");
        assert_eq!(at(&pixels, 0, 0).1, 0);
    }

    #[test]
    fn what_needs_the_user_has_a_colour_and_a_shape() {
        let pixels = Ring::new(Some(0.6), true).draw(false);
        assert_eq!(at(&pixels, 55, 33), (NEEDS, 255));
        assert_eq!(at(&pixels, 32, 32), (NEEDS, 255));
        let template = Ring::new(Some(0.6), true).draw(true);
        assert!(template.chunks(4).all(|pixel| pixel[..3] == [0, 0, 0]));
        assert_eq!(at(&template, 32, 32).1, 255);
    }

    #[test]
    fn small_progress_needs_no_new_icon() {
        assert_eq!(Ring::new(Some(0.500), false), Ring::new(Some(0.501), false));
        assert_ne!(Ring::new(Some(0.50), false), Ring::new(Some(0.55), false));
    }
}
