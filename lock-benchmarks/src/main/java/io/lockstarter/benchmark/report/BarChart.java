// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a plain bar chart as SVG, in colors that can be read on light and on dark paper.
 */
final class BarChart {

	private static final int LEFT = 300;

	private static final int BARS = 400;

	private static final int WIDTH = LEFT + BARS + 110;

	private static final int TOP = 40;

	private static final int STEP = 26;

	private static final int BAR = 16;

	private static final int TICKS = 4;

	private static final String STYLE = """
			text { font: 13px system-ui, sans-serif; fill: #57606a }
			.title { font-weight: 600; fill: #24292f }
			.bar { fill: #8c959f }
			.ours { fill: #0969da }
			.grid { stroke: #8c959f; stroke-opacity: .35 }
			@media (prefers-color-scheme: dark) {
			  text { fill: #9da7b3 }
			  .title { fill: #e6edf3 }
			  .bar { fill: #6e7681 }
			  .ours { fill: #4493f8 }
			}
			""";

	private final String title;

	private final String axis;

	private final List<Bar> bars = new ArrayList<>();

	BarChart(String title, String axis) {
		this.title = title;
		this.axis = axis;
	}

	void add(String label, double value, String text, boolean ours) {
		this.bars.add(new Bar(label, value, text, ours));
	}

	boolean isEmpty() {
		return this.bars.isEmpty();
	}

	String svg() {
		int bottom = TOP + STEP * this.bars.size();
		double tick = tick();
		StringBuilder svg = new StringBuilder();
		line(svg,
				"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
						+ "role=\"img\" aria-label=\"%s\">",
				WIDTH, bottom + 50, WIDTH, bottom + 50, escape(this.title));
		line(svg, "<style>\n%s</style>", STYLE);
		line(svg, "<text class=\"title\" x=\"8\" y=\"20\">%s</text>", escape(this.title));
		for (int i = 0; i <= TICKS; i++) {
			double x = LEFT + (double) BARS * i / TICKS;
			line(svg, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, TOP - 6, x, bottom);
			line(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", x, bottom + 18, number(tick * i));
		}
		line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", LEFT + BARS / 2, bottom + 40,
				escape(this.axis));
		for (int i = 0; i < this.bars.size(); i++) {
			draw(svg, this.bars.get(i), TOP + STEP * i, tick * TICKS);
		}
		return svg.append("</svg>\n").toString();
	}

	private void draw(StringBuilder svg, Bar bar, int y, double scale) {
		double length = Math.max(1, BARS * bar.value / scale);
		line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LEFT - 8, y + 13, escape(bar.label));
		line(svg, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", bar.ours ? "ours" : "bar",
				LEFT, y, length, BAR);
		line(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>", LEFT + length + 6, y + 13, escape(bar.text));
	}

	/**
	 * Return a round number, of which {@value #TICKS} reach beyond the longest bar.
	 */
	private double tick() {
		double least = this.bars.stream().mapToDouble(Bar::value).max().orElse(1) / TICKS;
		double power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-3))));
		for (double factor : new double[] { 1, 2, 2.5, 5 }) {
			if (factor * power >= least) {
				return factor * power;
			}
		}
		return 10 * power;
	}

	private static void line(StringBuilder svg, String format, Object... values) {
		svg.append(String.format(Locale.ROOT, format, values)).append('\n');
	}

	private static String number(double value) {
		return String.format(Locale.ROOT, (value == Math.rint(value)) ? "%,.0f" : "%,.2f", value);
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
	}

	private record Bar(String label, double value, String text, boolean ours) {

	}

}
