# Draws the data of the example closing_loops in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "closing_loops", 1300, 800)
  eval four("A five-bar linkage from a stranger's file")
  set title "The left crank turns, the right one is held"
  set xlabel "x [m]"; set ylabel "z [m]"
  set size ratio -1; set xrange [-0.5:0.5]; set yrange [-0.05:0.65]; set xtics 0.25
  plot "postures.dat" using 1:2 with linespoints ls 1 title "closed", \
       "" using 1:(int(column(0)) % 5 == 2 ? $2 : NaN) with points ls 2 title "tip"
  set size noratio; set autoscale xy; set xtics auto
  set title "Gap that is left"
  set xlabel "left crank [rad]"; set ylabel "gap [m]"
  set xrange [*:*] reverse
  set logscale y; set format y "10^{%L}"
  plot "gaps.dat" using 1:2 with lines ls 1 title "assemble", 1.5e-6 with lines ls 20 title "tolerance"
  unset logscale y; set format y; set xrange [0:1] noreverse
  set title "Thrown: the cranks, and where speeds change"
  set xlabel seconds; set ylabel "angle [rad]"
  plot "thrown.dat" using 1:2 with lines ls 1 title "left crank", "" using 1:3 with lines ls 3 title "right crank", \
       "changes.dat" using 1:2 with points ls 2 title "other speeds"
  set title "Change of the energy"
  set ylabel "energy [mJ]"
  plot "thrown.dat" using 1:(1e3 * $4) with lines ls 1 notitle
  unset multiplot
}
