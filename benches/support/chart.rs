//! A line chart as SVG: both axes linear from 0, a line per series, its name at its end.

use std::fmt::Write as _;

pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) x_label: &'static str,
    pub(crate) y_label: &'static str,
    pub(crate) series: Vec<Series>,
}

/// A line through points, in the units of the axes.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

const COLOURS: [&str; 3] = ["#d62728", "#1f77b4", "#2ca02c"];

/// Numbers on an axis.
const STEPS: u32 = 5;

impl Chart {
    /// Returns the picture.
    pub(crate) fn to_svg(&self) -> String {
        let points = self.series.iter().flat_map(|series| &series.points);
        let most = |value: fn(&(f64, f64)) -> f64| {
            let highest = points.clone().map(value).fold(1.0, f64::max);
            // A multiple of the steps.
            (highest / f64::from(STEPS)).ceil() * f64::from(STEPS)
        };
        let (width, height) = (most(|point| point.0), most(|point| point.1));
        let x = |value: f64| LEFT + value / width * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / height * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        for step in 0..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (column, row) = (x(part * width), y(part * height));
            line(
                &mut svg,
                "#dddddd",
                &[(column, TOP), (column, HEIGHT - BOTTOM)],
            );
            line(&mut svg, "#dddddd", &[(LEFT, row), (WIDTH - RIGHT, row)]);
            let (below, beside) = (HEIGHT - BOTTOM + 18.0, LEFT - 8.0);
            let number = (part * width).to_string();
            text(&mut svg, (column, below), "text-anchor=\"middle\"", &number);
            let number = (part * height).to_string();
            text(
                &mut svg,
                (beside, row + 4.0),
                "text-anchor=\"end\"",
                &number,
            );
        }
        for (series, colour) in self.series.iter().zip(COLOURS) {
            let points: Vec<_> = series.points.iter().map(|(a, b)| (x(*a), y(*b))).collect();
            line(&mut svg, colour, &points);
            if let Some((last, row)) = points.last() {
                let place = (last + 8.0, row + 4.0);
                text(&mut svg, place, &format!("fill=\"{colour}\""), series.name);
            }
        }
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        let centred = "text-anchor=\"middle\"";
        text(&mut svg, (middle, 26.0), centred, self.title);
        text(&mut svg, (middle, HEIGHT - 16.0), centred, self.x_label);
        let upright = format!("{centred} transform=\"rotate(-90 18 {})\"", HEIGHT / 2.0);
        text(&mut svg, (18.0, HEIGHT / 2.0), &upright, self.y_label);
        svg.push_str("</svg>\n");
        svg
    }
}

fn line(svg: &mut String, colour: &str, points: &[(f64, f64)]) {
    let points: Vec<_> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let points = points.join(" ");
    let written = writeln!(
        svg,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
    );
    written.expect("a string takes everything");
}

fn text(svg: &mut String, (x, y): (f64, f64), style: &str, text: &str) {
    let written = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>");
    written.expect("a string takes everything");
}
