package io.backstep.saga.benchmarks;

import java.util.Locale;
import java.util.Map;

/** A bar chart in SVG: one bar for each name, longest value across the whole width. */
final class Chart {
    private static final int LEFT = 110;
    private static final int WIDTH = 480;
    private static final int RIGHT = 90;
    private static final int ROW = 26;
    private static final int TOP = 40;
    private static final int BAR = 16;

    private Chart() {}

    /**
     * Draws it.
     *
     * @param title stands above
     * @param values what is shown, in order
     * @param ours the name whose bar is of another colour
     * @return the SVG
     */
    static String of(String title, Map<String, Double> values, String ours) {
        double most =
                values.values().stream().mapToDouble(Double::doubleValue).max().orElse(1);
        StringBuilder svg = new StringBuilder();
        int height = TOP + ROW * values.size() + 10;
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">",
                LEFT + WIDTH + RIGHT,
                height);
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>");
        add(svg, "<text x=\"10\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>", title);
        int y = TOP;
        for (Map.Entry<String, Double> entry : values.entrySet()) {
            double width = most > 0 ? WIDTH * entry.getValue() / most : 0;
            String colour = entry.getKey().equals(ours) ? "#1f6feb" : "#8c959f";
            add(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LEFT - 8, y + 13, entry.getKey());
            add(svg, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", LEFT, y, width, BAR, colour);
            add(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>", LEFT + width + 6, y + 13, number(entry.getValue()));
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    /** Three digits that tell something. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
