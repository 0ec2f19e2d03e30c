# Figure of what the example quadruped_stance wrote into the current folder, as .svg and .png.

blue = "#1f5fa8"; orange = "#c8540a"; green = "#2a8a63"; purple = "#7b4fa3"
set style line 1 lc rgb blue lw 2
set style line 2 lc rgb orange lw 2
set style line 3 lc rgb green lw 2
set style line 4 lc rgb purple lw 2
set style line 9 lc rgb "black" lw 1 dt 2
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
  set output "stance.".type(i)
  set multiplot layout 2,2 title "Sway, bow and twist on four feet" font ",16" \
    margins 0.1,0.97,0.1,0.87 spacing 0.13,0.19
  set xrange [0:9]
  set xtics 3
  set xlabel "time (s)"
  set key top right samplen 2 maxrows 3
  set yrange [-0.35:0.7]
  set title "Motion of the trunk, dashed: wanted"
  set ylabel "shift (m), turn (rad)"
  plot "stance.dat" using 1:3 with lines ls 1 title "shift in y", "" using 1:6 with lines ls 2 title "turn about y", \
       "" using 1:7 with lines ls 3 title "turn about z", "" using 1:9 with lines ls 9 notitle, \
       "" using 1:12 with lines ls 9 notitle, "" using 1:13 with lines ls 9 notitle
  set yrange [0:220]
  set title "Errors"
  set ylabel "error (10^{-6} m, 10^{-6} rad)"
  plot "stance.dat" using 1:($14 * 1e6) with lines ls 1 title "shift", \
       "" using 1:($15 * 1e6) with lines ls 2 title "turn", \
       "" using 1:($16 * 1e6) with lines ls 3 title "drift of a foot"
  feet = "front_left front_right rear_left rear_right"
  set title "Vertical forces on the feet"
  set ylabel "force (N)"
  set yrange [0:200]
  set key maxrows 2
  plot for [k = 1:4] "stance.dat" using 1:(column(16 + k)) with lines ls k \
       title system("echo ".word(feet, k)." | tr _ ' '")
  set title "Horizontal over vertical force"
  set ylabel "share"
  set yrange [0:*]
  unset key
  plot for [k = 1:4] "stance.dat" using 1:(column(20 + k)) with lines ls k
  unset multiplot
}
