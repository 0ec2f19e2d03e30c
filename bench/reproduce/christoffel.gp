# Draws Figures 2 to 4 of Echeandia and Wensing (2021) from the data that corio_christoffel_bench wrote into a folder:
#
#   gnuplot -e "folder='...'" christoffel.gp
#
# adds serial_chain, binary_tree and legged to the folder, each as .svg and .png.

if (!exists("folder")) folder = "."
load folder."/fits.gp"
load system("dirname '".ARG0."'")."/../../examples/support/figures.gp"

# Colours stand for algorithms; in the last figure filled and open points stand for the two robots.
set style line 3 lc rgb blue lw 2 pt 6 ps 1.1
set style line 4 lc rgb orange lw 2 pt 4 ps 1.0
set style line 8 lc rgb gray lw 1.6 dt (9,6)
set ylabel "time per evaluation [µs]"
set samples 400
micro = "set logscale xy; set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)"

file(key) = folder."/".key.".dat"
get(key, name) = value(key."_".name)
# The fitted line, over the range of the fit.
in_range(key, x) = x >= get(key, "from") && x <= get(key, "to")
fitted(key, a, x) = in_range(key, x) ? get(key, a."_scale") * x**get(key, a."_order") : NaN
slope(key, a) = sprintf("slope %.2f", get(key, a."_order"))
# A law of cost, scaled to one at the end of the range, displaced from the curve by a factor.
reference(key, a, factor, law, x) = in_range(key, x) ? factor * fitted(key, a, get(key, "to")) * law : NaN

do for [i = 1:2] {
  do for [key in "serial_chain binary_tree"] {
    chain = key eq "serial_chain"
    to = get(key, "to")
    eval figure(i, folder."/".key, 1000, 560)
    eval outside
    eval micro
    set xlabel "degrees of freedom"
    set title "C and Christoffel symbols, ".(chain ? "serial chains" : "binary trees")." of revolute joints"
    set xtics (5, 10, 15, 20, 30, 40, 60, 80, 100)
    set xrange [4.5:1.12 * to]
    stats file(key) using 4 name "high" nooutput
    stats file(key) using 3 name "low" nooutput
    set yrange [0.6 * low_min : 3 * high_max]
    # Growth of n d and n d^2.
    law(x, power) = (x / to) * (chain ? x / to : log(x) / log(to))**power
    plot file(key) using 1:4 with points ls 2 notitle, fitted(key, "symbols", x) with lines ls 2 notitle, \
         file(key) using 1:3 with points ls 1 notitle, fitted(key, "coriolis", x) with lines ls 1 notitle, \
         NaN with linespoints ls 2 title "symbols, ".slope(key, "symbols"), \
         reference(key, "symbols", 2.2, law(x, 2), x) with lines ls 8 title chain ? "order n³" : "order n (log n)²", \
         NaN with linespoints ls 1 title "C, ".slope(key, "coriolis"), \
         reference(key, "coriolis", 0.6, law(x, 1), x) with lines ls 21 title chain ? "order n²" : "order n log n"
  }

  eval figure(i, folder."/legged", 1000, 560)
  eval outside
  eval micro
  set title "C and Christoffel symbols, floating base with legs"
  set xlabel "joint degrees of freedom (without the six of the base)"
  set xtics (4, 8, 12, 16, 20, 28, 40)
  set xrange [3.7:44]
  stats file("biped") using 4 name "high" nooutput
  stats file("biped") using 3 name "low" nooutput
  set yrange [0.7 * low_min : 2 * high_max]
  style(a, key) = (a eq "symbols" ? 2 : 1) + (key eq "biped" ? 0 : 2)
  plot for [a in "symbols coriolis"] for [key in "biped quadruped"] \
         file(key) using 1:(a eq "symbols" ? $4 : $3) with points ls style(a, key) notitle, \
       for [a in "symbols coriolis"] for [key in "biped quadruped"] \
         fitted(key, a, x) with lines ls style(a, key) notitle, \
       for [a in "symbols coriolis"] for [key in "biped quadruped"] NaN with linespoints ls style(a, key) \
         title (a eq "symbols" ? "symbols, " : "C, ").key.", ".slope(key, a)
}
