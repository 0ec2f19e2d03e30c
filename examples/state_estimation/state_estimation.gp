# Draws the data of the example state_estimation in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "state_estimation", 1300, 800)
  eval four("A tumbling satellite with an arm estimates its state")
  set xrange [0:8]; set xtics 2
  set xlabel seconds
  set title "Attitude about z"
  set ylabel "error [rad]"
  set yrange [-0.05:0.05]
  plot "errors.dat" using 1:2 with lines ls 1 title "error", "" using 1:3 with lines ls 20 title "3 {/Symbol s}", \
       "" using 1:(-$3) with lines ls 20 notitle
  set title "Angular velocity about y"
  set ylabel "error [rad/s]"
  set yrange [-0.1:0.1]
  plot "errors.dat" using 1:4 with lines ls 1 title "error", "" using 1:5 with lines ls 20 title "3 {/Symbol s}", \
       "" using 1:(-$5) with lines ls 20 notitle
  set title "Speed of joint 1"
  set ylabel "error [rad/s]"
  plot "errors.dat" using 1:6 with lines ls 1 title "error", "" using 1:7 with lines ls 20 title "3 {/Symbol s}", \
       "" using 1:(-$7) with lines ls 20 notitle
  set title "Errors by their covariance, mean of the runs"
  set ylabel "e^T P^{-1} e"
  set yrange [0:100]
  plot "squares.dat" using 1:3 with lines ls 2 title "vector space", \
       "" using 1:2 with lines ls 1 title "manifold", 20 with lines ls 20 title "expected"
  unset multiplot
}
