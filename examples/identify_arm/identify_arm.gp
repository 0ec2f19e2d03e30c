# Figures of what the example identify_arm wrote into the current folder: torques, parameters and convergence, as .svg
# and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

array joint[7] = ["shoulder yaw", "shoulder pitch", "upper arm roll", "elbow", "forearm roll", "wrist pitch", "flange roll"]

do for [i = 1:2] {
  # ---- Torques of the other trajectory, a row per joint: what was measured and predicted, and the errors
  eval figure(i, "torques", 1000, 1150)
  set multiplot layout 7,2 rowsfirst title "Torques of a trajectory that was not identified from, in N m" font ",16" \
      margins 0.1,0.98,0.06,0.92 spacing 0.08,0.022
  set autoscale xfix
  do for [k = 1:7] {
    set format x (k == 7 ? "%g" : "")
    set xlabel (k == 7 ? seconds : "")
    m = 2 + 4 * (k - 1)
    set ylabel joint[k]
    if (k == 1) {
      eval above
    } else {
      unset key
    }
    set yrange [*:*]
    stats "torques.dat" using m nooutput
    top = 1.1 * larger(STATS_min, STATS_max)
    stats "torques.dat" using (column(m+3)+column(m+1)) nooutput
    top = larger(top, 1.1 * larger(STATS_min, STATS_max))
    set yrange [-top:top]
    set ytics -tic(top), tic(top), tic(top)
    plot "torques.dat" using 1:m with points pt 7 ps 0.25 lc rgb gray title "measured", \
         "" using 1:(column(m+3)+column(m+1)) with lines lw 1.6 lc rgb orange title "drawings", \
         "" using 1:(column(m+3)+column(m+2)) with lines lw 1.6 lc rgb blue title "identified"
    set ylabel ""
    if (k == 1) { set label 1 "errors of both predictions" at graph 0.02, graph 1.14 left }
    set yrange [*:*]
    stats "torques.dat" using m+1 nooutput
    top = 1.1 * larger(STATS_min, STATS_max)
    set yrange [-top:top]
    set ytics -tic(top), tic(top), tic(top)
    plot "torques.dat" using 1:m+1 with lines lw 1.6 lc rgb orange notitle, \
         "" using 1:m+2 with lines lw 1.6 lc rgb blue notitle
    unset label 1
  }
  unset multiplot
  set yrange [*:*]
  set ytics autofreq

  # ---- Base parameters: kg m, kg m^2, and those of the joints
  eval figure(i, "parameters", 1500, 800)
  set multiplot layout 2,1 title "Base parameters: errors of the estimates" font ",16" margins 0.07,0.98,0.27,0.9 spacing 0,0.05
  stats "parameters.dat" using 1 nooutput
  set xrange [0.3:STATS_max + 0.7]
  set format x ""
  set xlabel ""
  set xtics 1 rotate by 90 right noenhanced font ",11"
  set logscale y
  set format y "10^{%T}"
  set ylabel "error [SI units]"
  eval above
  plot "parameters.dat" using 1:6:(0.35) with xerrorbars pt -1 lw 3 lc rgb "#a9c4e4" title "standard deviation", \
       "" using 1:(abs($4-$3)) with points pt 9 ps 0.8 lc rgb orange title "drawings", \
       "" using 1:(abs($5-$3)) with points pt 7 ps 0.7 lc rgb blue title "least squares", \
       "" using 1:(abs($7-$3)) with points pt 6 ps 0.8 lw 1.5 lc rgb green title "consistent"
  unset logscale y
  set format y "%g"
  set ylabel "error / standard deviation,\nleast squares"
  set yrange [-4:4]
  unset key
  plot "parameters.dat" using 1:(($5-$3)/$6):(1):xtic(2) with yerrorbars pt 7 ps 0.7 lw 1.4 lc rgb blue notitle, \
       0 with lines ls 20 dt 1 notitle
  unset multiplot
  set xtics autofreq norotate center enhanced font ",14"
  set xrange [*:*]
  set yrange [*:*]

  # ---- Convergence
  eval figure(i, "convergence", 1000, 460)
  eval outside
  set autoscale xfix
  set logscale xy
  set format y "10^{%T}"
  set xlabel "time on the trajectory [s]"
  set ylabel "error / noise of a measured torque"
  set title "Error of the torques predicted for another trajectory" font ",16"
  set yrange [:1000]
  plot "convergence.dat" using 1:2 with lines ls 2 title "drawings", \
       "" using 1:3 with linespoints ls 1 ps 0.5 title "least squares", \
       "" using 1:4 with lines ls 1 dt (6,4) title "as expected", \
       "" using 1:5 with linespoints ls 3 pt 6 ps 0.6 title "consistent"
  unset title
  set output
}
