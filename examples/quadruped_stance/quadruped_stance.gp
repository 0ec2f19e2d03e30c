# Draws the data of the example quadruped_stance in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "stance", 1300, 800)
  eval four("Sway, bow and twist on four feet")
  set xrange [0:9]; set xtics 3
  set xlabel seconds
  set title "Motion of the trunk"
  set ylabel "shift [m], turn [rad]"
  plot "stance.dat" using 1:3 with lines ls 1 title "shift in y", "" using 1:6 with lines ls 2 title "turn about y", \
       "" using 1:7 with lines ls 3 title "turn about z", "" using 1:9 with lines ls 20 title "wanted", \
       "" using 1:12 with lines ls 20 notitle, "" using 1:13 with lines ls 20 notitle
  set title "Errors"
  set ylabel "error [m], [rad]"
  set logscale y; set format y "10^{%L}"; set yrange [1e-10:1e-3]
  plot "stance.dat" using 1:14 with lines ls 1 title "shift", "" using 1:15 with lines ls 2 title "turn", \
       "" using 1:16 with lines ls 3 title "drift of a foot"
  unset logscale y; set format y; set autoscale y
  array foot[4] = ["front left", "front right", "rear left", "rear right"]
  set title "Vertical forces on the feet"
  set ylabel "force [N]"
  set yrange [0:*]
  plot for [k = 1:4] "stance.dat" using 1:(column(16 + k)) with lines ls k title foot[k]
  set title "Horizontal over vertical force"
  set ylabel "share"
  plot for [k = 1:4] "stance.dat" using 1:(column(20 + k)) with lines ls k title foot[k]
  unset multiplot
}
