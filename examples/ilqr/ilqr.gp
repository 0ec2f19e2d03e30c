# Figures of what the example ilqr wrote into the current folder: convergence, cart_pole and arm, as .svg and .png.

blue = "#1f5fa8"; orange = "#c8540a"
set style line 1 lc rgb blue lw 2 pt 7 ps 0.5
set style line 2 lc rgb orange lw 2 pt 5 ps 0.5
set style line 3 lc rgb blue lw 2 dt (6,4) pt 6 ps 0.6
set style line 4 lc rgb orange lw 2 dt (6,4) pt 4 ps 0.6
set style line 10 lc rgb "#dcdcdc" lw 0.8
# The arm's joints from the shoulder to the flange.
array joint[7] = ["#1f5fa8", "#4c9bd6", "#2a8a63", "#8a9a1e", "#d99a0b", "#c8540a", "#8e2f6b"]

array file[4] = ["cart_pole_ilqr.dat", "arm_ilqr.dat", "cart_pole_ddp.dat", "arm_ddp.dat"]
array name[4] = ["cart-pole, iLQR", "arm, iLQR", "cart-pole, DDP", "arm, DDP"]

set encoding utf8
set grid xtics ytics ls 10
set border 3 lw 1.2
set tics nomirror out scale 0.7

cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
terminal(i, w, h) = \
  i == 1 ? sprintf("svg size %d,%d font 'Helvetica,14' background rgb 'white'", w, h) : \
  cairo ? sprintf("pngcairo size %d,%d font 'Helvetica,14' fontscale 2 linewidth 2 pointscale 2", 2 * w, 2 * h) : \
          sprintf("png size %d,%d giant", 2 * w, 2 * h)
type(i) = i == 1 ? "svg" : "png"

set autoscale xfix

do for [i = 1:2] {
  eval "set terminal ".terminal(i, 900, 420)
  set output "convergence.".type(i)
  set multiplot layout 1,2 title "Convergence of iterative LQR and of DDP" font ",16" margins 0.11,0.98,0.14,0.82 spacing 0.13,0
  set logscale y
  unset mytics
  set format y "10^{%T}"
  set xlabel "iteration"
  unset key
  set title "Cost above that of the last iteration"
  set ylabel "difference of costs (no unit)"
  plot for [k = 1:4] file[k] using 1:($3 > 0 ? $3 : NaN) with linespoints ls k title name[k]
  set key default top right samplen 1.6 spacing 1.15 width -3
  set title "Gradient: largest entry of Q_u"
  set ylabel "gradient [1/N], for the arm [1/(N m)]"
  plot for [k = 1:4] file[k] using 1:4 with linespoints ls k title name[k]
  unset multiplot
  unset logscale y
  set format y "%g"
  unset title

  eval "set terminal ".terminal(i, 720, 700)
  set output "cart_pole.".type(i)
  set multiplot layout 3,1 title "Cart-pole: swing-up" font ",16" margins 0.14,0.96,0.09,0.93 spacing 0,0.04
  set xlabel ""
  set format x ""
  set ylabel "place of the cart [m]"
  plot "cart_pole.dat" using 1:2 with lines ls 1 notitle
  set ylabel "pole from upright [rad]"
  set ytics ("0" 0, "π/2" pi / 2, "π" pi, "3π/2" 1.5 * pi)
  set yrange [-0.1 * pi:1.5 * pi]
  plot "cart_pole.dat" using 1:3 with lines ls 1 notitle
  set ytics autofreq
  set yrange [*:*]
  set format x "%g"
  set xlabel "time [s]"
  set ylabel "force on the cart [N]"
  plot "cart_pole.dat" using 1:6 with steps ls 2 notitle
  unset multiplot

  eval "set terminal ".terminal(i, 800, 800)
  set output "arm.".type(i)
  set multiplot layout 3,1 title "Arm of seven joints: reaching a point" font ",16" margins 0.12,0.82,0.08,0.93 \
      spacing 0,0.04
  set key at screen 0.84, graph 0.97 left top reverse Left
  set xlabel ""
  set format x ""
  set ylabel "joint angles [rad]"
  plot for [k = 1:7] "arm.dat" using 1:1+k with lines lc rgb joint[k] lw 2 title sprintf("joint %d", k)
  set ylabel "joint torques [N m]"
  plot for [k = 1:7] "arm.dat" using 1:10+k with steps lc rgb joint[k] lw 2 title sprintf("joint %d", k)
  set format x "%g"
  set xlabel "time [s]"
  set ylabel "hand to target [m], [m/s]"
  plot "arm.dat" using 1:9 with lines ls 1 title "distance", "arm.dat" using 1:10 with lines ls 2 title "speed"
  unset multiplot
  set output
}
