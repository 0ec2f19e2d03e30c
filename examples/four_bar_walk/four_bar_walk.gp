# Figures of what the example four_bar_walk wrote into the current folder: walk and swing, as .svg and .png, and the
# animation walk.gif.

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

# Row k of posture.dat: hip, knee, foot; hip, end of the crank, end of the rod, knee.
leg(k) = sprintf("< awk 'NR == %d { print $1, $2; print $3, $4; print $5, $6 }' posture.dat", k)
linkage(k) = sprintf("< awk 'NR == %d { print $7, $8; print $9, $10; print $11, $12; print $3, $4 }' posture.dat", k)

do for [i = 1:2] {
  eval "set terminal ".terminal(i, 1000, 820)
  set output "walk.".type(i)
  set multiplot layout 2,2 title "A leg with a four-bar knee under computed torque" font ",16" margins 0.1,0.97,0.1,0.87 spacing 0.13,0.19
  set key bottom right
  set title "Postures of one step"
  set xlabel "x (m)"; set ylabel "z (m)" offset 1
  set size ratio -1
  set xrange [-0.75:0.75]; set yrange [0:1.1]; set xtics 0.5
  plot for [k = 1:40:4] leg(k) with lines ls 1 lw 1 notitle, for [k = 1:40:4] linkage(k) with lines ls 2 lw 1 notitle
  set size noratio
  set autoscale; set xtics autofreq
  set xrange [0:3.2]
  set title "Errors of the independent joints"
  set xlabel "time (s)"; set ylabel "error (rad; m)" offset 0
  plot "walk.dat" using 1:3 with lines ls 1 title "hip", "" using 1:4 with lines ls 2 title "crank", \
       "" using 1:2 with lines ls 3 title "trunk"
  set title "Torques of the drives"
  set ylabel "torque (N m)"
  set key top right
  set yrange [-10:12]
  plot "walk.dat" using 1:6 with lines ls 1 title "hip", "" using 1:7 with lines ls 2 title "crank"
  set title "Force in the pin of the linkage"
  set autoscale y
  set ylabel "force (N)"
  plot "walk.dat" using 1:8 with lines ls 2 notitle
  unset multiplot

  eval "set terminal ".terminal(i, 900, 400)
  set output "swing.".type(i)
  set multiplot layout 1,2 title "Ten free seconds" font ",16" margins 0.11,0.97,0.19,0.78 spacing 0.16,0
  unset key
  set autoscale; set xrange [0:10]
  set title "Kinetic energy"
  set ylabel "energy (J)"
  plot "swing.dat" using 1:2 with lines ls 1
  set title "Change of kinetic and potential energy"
  set ylabel "change (J)"
  set format y "%.0e"
  plot "swing.dat" using 1:4 with lines ls 2
  set format y
  set autoscale
  unset multiplot
}

if (strstrt(GPVAL_TERMINALS, " gif ") > 0 || strstrt(GPVAL_TERMINALS, "gif ") == 1) {
  set terminal gif animate delay 2 loop 0 size 420,520
  set output "walk.gif"
  set size ratio -1
  set xrange [-0.5:0.5]; set yrange [0:1.15]
  set title "Two steps"; set xlabel "x (m)"; set ylabel "z (m)"
  do for [k = 41:120] {
    plot leg(k) with linespoints ls 1 lw 3 pt 7 notitle, linkage(k) with linespoints ls 2 lw 2 pt 7 notitle
  }
}
