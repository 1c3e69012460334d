//! Pictures of figures that depend on something: lines on two logarithmic axes.

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (860, 420);
/// The width of what has the names of the lines.
const NAMES: i32 = 330;
const FONT: (&str, u32) = ("sans-serif", 15);
/// The colours of the lines, which those who see no red or green can tell apart, too.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(0, 0, 0),
];

/// Lines that have the same axes.
pub(crate) struct Picture {
    /// The name of its file.
    pub(crate) file: &'static str,
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A name, and what was measured.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Picture {
    /// Draws it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let file = folder.join(self.file);
        let area = SVGBackend::new(&file, SIZE).into_drawing_area();
        self.draw(&area).map_err(|error| anyhow!("{error}")).with_context(|| format!("{} cannot be drawn", self.file))
    }

    fn draw<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>> {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let (x, y) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
        area.fill(&WHITE)?;
        let (left, right) = area.split_horizontally(SIZE.0.cast_signed() - NAMES);
        let mut chart = ChartBuilder::on(&left)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .margin_right(36)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
        let number = |value: &f64| if *value < 1.0 { format!("{value}") } else { grouped(*value) };
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_desc_style(FONT)
            .label_style(FONT)
            .light_line_style(RGBColor(236, 236, 236))
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .draw()?;
        for ((line, colour), at) in self.lines.iter().zip(COLOURS.iter().cycle()).zip(0..) {
            let style = colour.stroke_width(2);
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style).point_size(3))?;
            let y = 60 + 26 * at;
            right.draw(&PathElement::new([(0, y), (24, y)], style))?;
            right.draw(&Text::new(line.name.as_str(), (32, y - 8), FONT))?;
        }
        area.present()
    }
}

/// The powers of ten around values.
fn decades(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let least = values.clone().fold(f64::MAX, f64::min).max(1e-6);
    let most = values.fold(f64::MIN, f64::max).max(least);
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    (10_f64.powf(low), 10_f64.powf(high.max(low + 1.0)))
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}
