# Figures of what the example space_manipulator wrote into the current folder: joints and hand, as .svg and .png.

blue = "#1f5fa8"; orange = "#c8540a"; green = "#2a8a63"
set style line 1 lc rgb blue lw 2
set style line 2 lc rgb orange lw 2
set style line 3 lc rgb green lw 2
set style line 10 lc rgb "#dcdcdc" lw 0.8
set encoding utf8
set grid xtics ytics ls 10
set border 3 lw 1.2
set tics nomirror out scale 0.7

cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
terminal(i, w, h) = \
  i == 1 ? sprintf("svg size %d,%d font 'Helvetica,14' background rgb 'white'", w, h) : \
  cairo ? sprintf("pngcairo size %d,%d font 'Helvetica,14' fontscale 2 linewidth 2", 2 * w, 2 * h) : \
          sprintf("png size %d,%d giant", 2 * w, 2 * h)
type(i) = i == 1 ? "svg" : "png"

do for [i = 1:2] {
  eval "set terminal ".terminal(i, 1000, 820)
  set xrange [0:8]
  set xlabel "time (s)"

  set output "joints.".type(i)
  set multiplot layout 2,2 title "Joints under passivity-based control, the satellite adrift" font ",16" \
    margins 0.1,0.97,0.1,0.87 spacing 0.13,0.19
  set key bottom right samplen 2
  set title "Errors of the joints"
  set ylabel "error (rad)" offset 1
  plot for [j = 1:7] "joints.dat" using 1:(column(j + 1)) with lines lw 2 title sprintf("joint %d", j)
  set key top right
  set title "V = s^T Λ s / 2"
  set ylabel "V (J)" offset 0
  set yrange [0:3]
  plot "joints.dat" using 1:9 with lines ls 1 title "V", "" using 1:10 with lines ls 2 title "V + losses"
  unset key
  set autoscale y
  set title "Turn of the satellite"
  set ylabel "turn (deg)"
  plot "joints.dat" using 1:($13 * 180 / pi) with lines ls 3
  set title "Change of the momentum"
  set ylabel "change (10^{-12} N s, N m s)"
  plot "joints.dat" using 1:($11 * 1e12) with lines ls 2
  unset multiplot

  set output "hand.".type(i)
  set multiplot layout 2,2 title "Hand under operational space control, the satellite adrift" font ",16" \
    margins 0.1,0.97,0.1,0.87 spacing 0.13,0.19
  unset key
  set title "Arm every 2 s, and path of the hand"
  set size ratio -1
  set xrange [-0.9:0.9]; set yrange [-0.15:1.05]; set xtics 0.3
  set xlabel "y (m)"; set ylabel "z (m)"
  plot "posture.dat" with linespoints ls 1 lw 1 pt 7 ps 0.3, "hand.dat" using 3:4 with lines ls 2
  set size noratio
  set xrange [0:8]; set autoscale y; set xtics autofreq
  set xlabel "time (s)"
  set title "Error of the hand"
  set ylabel "error (mm)"
  plot "hand.dat" using 1:($8 * 1000) with lines ls 1
  set title "Turn of the satellite"
  set ylabel "turn (deg)"
  plot "hand.dat" using 1:($12 * 180 / pi) with lines ls 3
  set title "Torques of the joints"
  set ylabel "torque (N m)"
  plot for [j = 13:19] "hand.dat" using 1:(column(j)) with lines lw 2
  unset multiplot
}
