# Draws the data of the example adaptive_control in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "adaptive_control", 1300, 800)
  eval four("An arm takes up 2 kg after 5 s")
  set xlabel seconds; set xrange [0:20]; set samples 2001
  set title "Tracking error"
  set ylabel "|e| [rad]"
  set logscale y; set yrange [1e-5:1]; set format y "10^{%L}"
  plot "euclidean.dat" using 1:2 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:2 with lines ls 1 title "natural", \
       "fixed.dat" using 1:2 with lines ls 12 title "no adaptation"
  unset logscale y; unset format y; set autoscale y
  # The axis is logarithmic, since the natural metric measures ratios.
  set title "Mass of the flange, as believed"
  set ylabel "mass [kg]"
  set logscale y 2; set yrange [0.5:16]; set ytics (0.5, 1, 2, 4, 8, 16)
  stats "natural.dat" using 1:3 name "mass" nooutput
  set label 1 sprintf("%.1f kg for less than 0.1 s: in ratios an\nerror as large as %.1f kg would be", mass_max_y, \
                      2.8**2 / mass_max_y) at 6, 11 tc rgb blue font ",12"
  plot "euclidean.dat" using 1:3 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:3 with lines ls 1 title "natural", \
       (x < 5 ? 0.8 : 2.8) with lines ls 20 title "true"
  unset label 1; unset logscale y; set ytics auto
  set title "Lyapunov function, over its value at 5 s"
  set ylabel "V(t) / V(5 s)"
  stats "euclidean.dat" using (abs($1 - 5) < 1e-6 ? $4 : NaN) name "euclidean" nooutput
  stats "natural.dat" using (abs($1 - 5) < 1e-6 ? $4 : NaN) name "natural" nooutput
  set yrange [0:1.1]
  plot "euclidean.dat" using 1:($4 / euclidean_max) with lines ls 2 title "euclidean", \
       "natural.dat" using 1:($4 / natural_max) with lines ls 1 title "natural"
  set autoscale y
  set title "Smallest eigenvalue of its pseudo-inertia"
  set ylabel "eigenvalue [kg m^2]"
  plot "euclidean.dat" using 1:5 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:5 with lines ls 1 title "natural", \
       0 with lines ls 20 title "limit"
  unset multiplot
}
