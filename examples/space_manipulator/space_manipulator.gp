# Draws the data of the example space_manipulator in the current folder: joints and hand, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"
joint(j) = sprintf("joint %d", j)

do for [i = 1:2] {
  set xrange [0:8]
  set xlabel seconds

  eval figure(i, "joints", 1300, 800)
  eval four("Joints under passivity-based control, the satellite adrift")
  set title "Errors of the joints"
  set ylabel "error [rad]"
  plot for [j = 1:7] "joints.dat" using 1:(column(j + 1)) with lines ls j title joint(j)
  set title "V = s^T Λ s / 2"
  set ylabel "V [J]"
  set yrange [0:3]
  plot "joints.dat" using 1:9 with lines ls 1 title "V", "" using 1:10 with lines ls 2 title "V + losses"
  set autoscale y
  set title "Turn of the satellite"
  set ylabel "turn [deg]"
  plot "joints.dat" using 1:($13 * 180 / pi) with lines ls 3 notitle
  set title "Change of the momentum"
  set ylabel "change [10^{-12} N s, N m s]"
  plot "joints.dat" using 1:($11 * 1e12) with lines ls 2 notitle
  unset multiplot

  eval figure(i, "hand", 1300, 800)
  eval four("Hand under operational space control, the satellite adrift")
  set title "Seen along x"
  set size ratio -1
  set xrange [-0.9:0.9]; set yrange [-0.15:1.05]; set xtics 0.3
  set xlabel "y [m]"; set ylabel "z [m]"
  plot "posture.dat" with linespoints ls 1 lw 1 pt 7 ps 0.3 title "arm every 2 s", \
       "hand.dat" using 3:4 with lines ls 2 title "path of the hand"
  set size noratio
  set xrange [0:8]; set autoscale y; set xtics autofreq
  set xlabel seconds
  set title "Error of the hand"
  set ylabel "error [mm]"
  plot "hand.dat" using 1:($8 * 1000) with lines ls 1 notitle
  set title "Turn of the satellite"
  set ylabel "turn [deg]"
  plot "hand.dat" using 1:($12 * 180 / pi) with lines ls 3 notitle
  set title "Torques of the joints"
  set ylabel "torque [N m]"
  plot for [j = 1:7] "hand.dat" using 1:(column(12 + j)) with lines ls j title joint(j)
  unset multiplot
}
