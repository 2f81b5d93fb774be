//! A line chart as SVG: both axes logarithmic, a line per series, its name at its end.

use std::fmt::Write;

/// What is drawn.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: &'static str,
    pub(crate) y_label: &'static str,
    pub(crate) series: Vec<Series>,
}

/// A line through points, in the units of the axes.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// Room for numbers and names around the lines.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;
const LINE_HEIGHT: f64 = 14.0;

/// How text lies at its place.
const MIDDLE: &str = "text-anchor=\"middle\"";
const END: &str = "text-anchor=\"end\"";

const COLOURS: [&str; 6] = [
    "#7f7f7f", "#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b",
];

/// The exponents of ten between which an axis runs, and where they lie in the picture.
struct Axis {
    first: f64,
    last: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64> + Clone, start: f64, end: f64) -> Self {
        let first = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
        let last = values.fold(0.0, f64::max).log10().ceil();
        let last = last.max(first + 1.0);
        Self {
            first,
            last,
            start,
            end,
        }
    }

    fn position(&self, value: f64) -> f64 {
        let share = (value.log10() - self.first) / (self.last - self.first);
        self.start + share * (self.end - self.start)
    }

    /// Every power of ten on the axis, and where it lies.
    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> {
        let exponents = std::iter::successors(Some(self.first), |exponent| Some(exponent + 1.0));
        let powers = exponents
            .take_while(|exponent| *exponent <= self.last)
            .map(|exponent| 10_f64.powf(exponent));
        powers.map(|power| (power, self.position(power)))
    }
}

impl Chart {
    pub(crate) fn to_svg(&self) -> String {
        let points = self.series.iter().flat_map(|series| &series.points);
        let x_axis = Axis::around(points.clone().map(|point| point.0), LEFT, WIDTH - RIGHT);
        let y_axis = Axis::around(points.map(|point| point.1), HEIGHT - BOTTOM, TOP);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        self.write_labels(&mut svg);
        write_grid(&mut svg, &x_axis, &y_axis);
        for (series, colour) in self.series.iter().zip(COLOURS) {
            series.draw(&mut svg, &x_axis, &y_axis, colour);
        }
        self.write_names(&mut svg, &y_axis);
        svg.push_str("</svg>\n");
        svg
    }

    fn write_labels(&self, svg: &mut String) {
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let upright = (TOP + HEIGHT - BOTTOM) / 2.0;
        let title = format!("{MIDDLE} font-size=\"15\"");
        text(svg, (middle, 24.0), &title, &self.title);
        text(svg, (middle, HEIGHT - 16.0), MIDDLE, self.x_label);
        let turned = format!("{MIDDLE} transform=\"rotate(-90 18 {upright})\"");
        text(svg, (18.0, upright), &turned, self.y_label);
    }

    /// The name of each series beside its last point, below another's name if they would meet.
    fn write_names(&self, svg: &mut String, y_axis: &Axis) {
        let series = self.series.iter().zip(COLOURS);
        let names = series.filter_map(|(series, colour)| {
            let (_, value) = series.points.last()?;
            Some((y_axis.position(*value) + 4.0, colour, &series.name))
        });
        let mut names: Vec<_> = names.collect();
        names.sort_by(|upper, lower| upper.0.total_cmp(&lower.0));
        let mut free = TOP;
        for (y, colour, name) in names {
            let y = y.max(free);
            free = y + LINE_HEIGHT;
            let colour = format!("fill=\"{colour}\"");
            text(svg, (WIDTH - RIGHT + 8.0, y), &colour, name);
        }
    }
}

impl Series {
    fn draw(&self, svg: &mut String, x_axis: &Axis, y_axis: &Axis, colour: &str) {
        let place = |point: &(f64, f64)| (x_axis.position(point.0), y_axis.position(point.1));
        let mut path = String::new();
        for (x, y) in self.points.iter().map(place) {
            write!(path, "{x:.1},{y:.1} ").expect("a string takes everything");
            writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"
            )
            .expect("a string takes everything");
        }
        let path = path.trim_end();
        writeln!(
            svg,
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        )
        .expect("a string takes everything");
    }
}

/// A thin line for every power of ten.
fn write_grid(svg: &mut String, x_axis: &Axis, y_axis: &Axis) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (power, x) in x_axis.ticks() {
        line(svg, (x, TOP), (x, bottom));
        text(svg, (x, bottom + 18.0), MIDDLE, &count(power));
    }
    for (power, y) in y_axis.ticks() {
        line(svg, (LEFT, y), (right, y));
        text(svg, (LEFT - 8.0, y + 4.0), END, &time(power));
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#dddddd\"/>"
    )
    .expect("a string takes everything");
}

fn text(svg: &mut String, at: (f64, f64), attributes: &str, words: &str) {
    let (x, y) = at;
    writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{words}</text>"
    )
    .expect("a string takes everything");
}

fn count(number: f64) -> String {
    if number >= 1e3 {
        format!("{} 000", number / 1e3)
    } else {
        number.to_string()
    }
}

/// Microseconds in the unit that suits them.
fn time(microseconds: f64) -> String {
    if microseconds < 1.0 {
        format!("{:.0} ns", microseconds * 1e3)
    } else if microseconds < 1e3 {
        format!("{microseconds:.0} µs")
    } else if microseconds < 1e6 {
        format!("{:.0} ms", microseconds / 1e3)
    } else {
        format!("{:.0} s", microseconds / 1e6)
    }
}
