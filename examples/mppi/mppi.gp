# Draws the data of the example mppi in the current folder, as a figure and an animation.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  eval figure(i, "mppi", 1000, 900)
  set multiplot layout 3,1 title "An arm of seven that is too weak to lift itself swings up and balances" font ",16" \
      margins 0.1,0.97,0.085,0.93 spacing 0,0.06
  set format x ""
  set xlabel ""; set ylabel "height of the hand [m]"
  set yrange [-1.5:1.5]
  plot "motion.dat" using 1:2 with lines ls 1 notitle
  eval above
  set ylabel "torque [N m]"; set yrange [-42:42]
  plot for [k = 1:4] "motion.dat" using 1:(column(5 + k)) with lines ls k title sprintf("joint %d", k)
  set format x "%g"
  set ylabel "time of an update [ms]"; set xlabel seconds; set yrange [0:*]
  plot "motion.dat" using 1:4 with points pt 7 ps 0.4 lc rgb blue title "update", 20 with lines ls 20 title "real time"
  unset multiplot
}

stats "postures.dat" nooutput
set terminal gif animate delay 4 size 500,500
set output "mppi.gif"
set xrange [-1.5:1.5]; set yrange [-1.5:1.5]; set size ratio -1
unset xlabel; unset ylabel; unset key
do for [i = 0:STATS_blocks - 2] { plot "postures.dat" index i using 1:3 with linespoints pt 7 lw 3 lc rgb blue notitle }
