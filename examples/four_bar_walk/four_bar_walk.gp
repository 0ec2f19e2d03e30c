# Draws the data of the example four_bar_walk in the current folder: walk and swing, as .svg and .png, and the animation
# walk.gif.

load system("dirname '".ARG0."'")."/../support/figures.gp"

# Row k of posture.dat: hip, knee, foot; hip, end of the crank, end of the rod, knee.
leg(k) = sprintf("< awk 'NR == %d { print $1, $2; print $3, $4; print $5, $6 }' posture.dat", k)
linkage(k) = sprintf("< awk 'NR == %d { print $7, $8; print $9, $10; print $11, $12; print $3, $4 }' posture.dat", k)

do for [i = 1:2] {
  eval figure(i, "walk", 1300, 800)
  eval four("A leg with a four-bar knee under computed torque")
  set title "Postures of one step"
  set xlabel "x [m]"; set ylabel "z [m]"
  set size ratio -1
  set xrange [-0.75:0.75]; set yrange [0:1.1]; set xtics 0.5
  plot for [k = 1:40:4] leg(k) with lines ls 1 lw 1 title k == 1 ? "leg" : "", \
       for [k = 1:40:4] linkage(k) with lines ls 2 lw 1 title k == 1 ? "linkage" : ""
  set size noratio
  set autoscale; set xtics autofreq
  set xrange [0:3.2]
  set xlabel seconds
  set title "Errors of the independent joints"
  set ylabel "error [rad], [m]"
  plot "walk.dat" using 1:3 with lines ls 1 title "hip", "" using 1:4 with lines ls 2 title "crank", \
       "" using 1:2 with lines ls 3 title "trunk"
  set title "Torques of the drives"
  set ylabel "torque [N m]"
  plot "walk.dat" using 1:6 with lines ls 1 title "hip", "" using 1:7 with lines ls 2 title "crank"
  set title "Force in the pin of the linkage"
  set ylabel "force [N]"
  plot "walk.dat" using 1:8 with lines ls 2 notitle
  unset multiplot

  eval figure(i, "swing", 1300, 440)
  eval two("Ten free seconds")." margins 0.07,0.98,0.165,0.79 spacing 0.1,0"  # no legends
  set autoscale; set xrange [0:10]
  set title "Kinetic energy"
  set ylabel "energy [J]"
  plot "swing.dat" using 1:2 with lines ls 1 notitle
  set title "Change of kinetic and potential energy"
  set ylabel "change [10^{-12} J]"
  plot "swing.dat" using 1:($4 * 1e12) with lines ls 2 notitle
  set autoscale
  unset multiplot
}

if (strstrt(GPVAL_TERMINALS, " gif ") > 0 || strstrt(GPVAL_TERMINALS, "gif ") == 1) {
  set terminal gif animate delay 2 loop 0 size 420,520
  set output "walk.gif"
  set size ratio -1
  set xrange [-0.5:0.5]; set yrange [0:1.15]
  set title "Two steps"; set xlabel "x [m]"; set ylabel "z [m]"
  do for [k = 41:120] {
    plot leg(k) with linespoints ls 1 lw 3 pt 7 notitle, linkage(k) with linespoints ls 2 lw 2 pt 7 notitle
  }
}
