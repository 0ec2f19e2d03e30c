# Draws the data of the example adaptation_gains in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"
stats "chosen.dat" using 1 name "chosen" nooutput

do for [i = 1:2] {
  eval figure(i, "adaptation_gains", 1300, 800)
  eval four("An arm adapts to a load of 2 kg, with gains from too small to too large")
  set xlabel seconds; set xrange [0:8]; set xtics 2
  set title "Mass of the flange, as believed"
  set ylabel "mass [kg]"
  set yrange [0:6]
  plot "run1000.dat" using 1:3 with lines ls 2 title "10 times the rule", "run3.dat" using 1:3 with lines ls 3 title "0.03 times", \
       "run100.dat" using 1:3 with lines ls 1 title "the rule", 2.8 with lines ls 20 title "true"
  set title "Tracking error"
  set ylabel "|e| [rad]"
  set logscale y; set format y "10^{%L}"; set yrange [1e-4:0.3]
  plot "run1000.dat" using 1:2 with lines ls 2 title "10 times", "run3.dat" using 1:2 with lines ls 3 title "0.03 times", \
       "run100.dat" using 1:2 with lines ls 1 title "the rule"
  set xlabel "gain [1/J]"; set logscale x; set xtics auto; set autoscale x; set format x "%g"
  set arrow 1 from chosen_max, graph 0 to chosen_max, graph 1 nohead ls 20
  set title "Root mean square of the error"
  set ylabel "[rad]"
  plot "sweep.dat" using 1:2 with linespoints ls 1 title "first second", "" using 1:3 with linespoints ls 2 title "last two", \
       NaN with lines ls 20 title "the rule"
  set title "Time to find the mass, and its noise"
  set ylabel "[s], [kg]"
  set yrange [1e-2:20]
  plot "sweep.dat" using 1:4 with linespoints ls 1 title "time to 10 %", "" using 1:5 with linespoints ls 2 title "noise", \
       NaN with lines ls 20 title "the rule"
  unset arrow; unset logscale; unset format
  unset multiplot
}
