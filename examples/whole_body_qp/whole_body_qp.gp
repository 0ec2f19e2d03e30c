# Draws the data of the example whole_body_qp in the current folder, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "whole_body_qp", 1300, 800)
  eval four("A humanoid sways, faster and faster")
  set xrange [0:2.5]; set xtics 0.5
  set xlabel seconds
  set title "Centre of mass"
  set ylabel "y [m]"
  plot "free.dat" using 1:3 with lines ls 2 title "without cones", "cones.dat" using 1:3 with lines ls 1 title "with cones", \
       "" using 1:2 with lines ls 20 title "desired"
  set title "Vertical force on a foot, with cones"
  set ylabel "force [N]"
  plot "cones.dat" using 1:4 with lines ls 1 title "left", "" using 1:5 with lines ls 3 title "right"
  set title "Least vertical force at a corner of a foot"
  set ylabel "force [N]"
  plot "free.dat" using 1:6 with lines ls 2 title "without cones", "cones.dat" using 1:6 with lines ls 1 title "with cones", \
       5 with lines ls 20 title "least allowed"
  set title "Horizontal over vertical force at a corner, at most"
  set ylabel "share"
  set yrange [0:1]
  plot "free.dat" using 1:7 with lines ls 2 title "without cones", "cones.dat" using 1:7 with lines ls 1 title "with cones", \
       0.5 with lines ls 20 title "friction"
  unset multiplot
}
