# Draws the data of the example ilqr in the current folder: convergence, cart_pole, arm and quadruped, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"
set style line 3 lc rgb blue lw 2 dt (6,4) pt 6 ps 0.6
set style line 4 lc rgb orange lw 2 dt (6,4) pt 4 ps 0.6
set style line 5 lc rgb green lw 2 pt 9 ps 0.6
array file[5] = ["cart_pole_ilqr.dat", "arm_ilqr.dat", "cart_pole_ddp.dat", "arm_ddp.dat", "quadruped_ilqr.dat"]
array name[5] = ["cart, iLQR", "arm, iLQR", "cart, DDP", "arm, DDP", "quadruped, iLQR"]

do for [i = 1:2] {
  eval figure(i, "convergence", 1300, 440)
  set autoscale xfix
  eval two("Convergence of iterative LQR and of DDP")
  set logscale y
  set format y "10^{%T}"
  set xlabel "iteration"
  set title "Cost above that of the last iteration"
  set ylabel "difference of costs"
  plot for [k = 1:5] file[k] using 1:($3 > 0 ? $3 : NaN) with linespoints ls k title name[k]
  set title "Gradient: largest entry of Q_u"
  set ylabel "gradient [1/N], arm [1/(N m)]"
  plot for [k = 1:5] file[k] using 1:4 with linespoints ls k title name[k]
  unset multiplot
  unset title

  eval figure(i, "cart_pole", 720, 700)
  set autoscale xfix
  set multiplot layout 3,1 title "Cart-pole: swing-up" font ",16" margins 0.14,0.96,0.11,0.93 spacing 0,0.04
  set xlabel ""
  set format x ""
  set ylabel "cart [m]"
  plot "cart_pole.dat" using 1:2 with lines ls 1 notitle
  set ylabel "pole, 0 upright [rad]"
  set ytics ("0" 0, "π/2" pi / 2, "π" pi, "3π/2" 1.5 * pi)
  set yrange [-0.1 * pi:1.5 * pi]
  plot "cart_pole.dat" using 1:3 with lines ls 1 notitle
  set ytics autofreq
  set yrange [*:*]
  set format x "%g"
  set xlabel seconds
  set ylabel "force [N]"
  plot "cart_pole.dat" using 1:6 with steps ls 2 notitle
  unset multiplot

  eval figure(i, "arm", 880, 800)
  set autoscale xfix
  set multiplot layout 3,1 title "Arm of seven joints: reaching a point" font ",16" margins 0.12,0.97,0.1,0.88 \
      spacing 0,0.06
  eval above
  set xlabel ""
  set format x ""
  set ylabel "joint angles [rad]"
  plot for [k = 1:7] "arm.dat" using 1:1+k with lines lc rgb colour[k] lw 2 title sprintf("joint %d", k)
  set ylabel "joint torques [N m]"
  plot for [k = 1:7] "arm.dat" using 1:10+k with steps lc rgb colour[k] lw 2 notitle
  set format x "%g"
  set xlabel seconds
  set ylabel "hand to target"
  plot "arm.dat" using 1:9 with lines ls 1 title "distance [m]", "arm.dat" using 1:10 with lines ls 2 title "speed [m/s]"
  unset multiplot

  eval figure(i, "quadruped", 880, 600)
  set autoscale xfix
  set multiplot layout 2,1 title "Quadruped on four feet: the trunk to a pose" font ",16" margins 0.12,0.97,0.13,0.88 \
      spacing 0,0.06
  eval above
  set xlabel ""
  set format x ""
  set ylabel "trunk to goal [rad, m]"
  plot "quadruped.dat" using 1:3 with lines ls 1 title "pitch", "" using 1:7 with lines ls 2 title "height"
  set format x "%g"
  set xlabel seconds
  set ylabel "torques of the legs [N m]"
  plot for [k = 1:12] "quadruped.dat" using 1:7+k with steps lc rgb colour[(k - 1) % 3 + 1] lw 1.5 \
      title (k == 1 ? "hip" : k == 2 ? "thigh" : k == 3 ? "shank" : "")
  unset multiplot
  set output
}
