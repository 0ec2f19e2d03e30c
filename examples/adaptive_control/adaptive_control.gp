# Figure of what the example adaptive_control wrote into the current folder, as .svg and .png.

set style line 1 lc rgb "#707070" lw 2
set style line 2 lc rgb "#c8540a" lw 2
set style line 3 lc rgb "#1f5fa8" lw 2
set style line 4 lc rgb "#2a8a63" lw 1.5 dt 2
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
  set output "adaptive_control.".type(i)
  set multiplot layout 2,2 title "An arm takes up 2 kg after 5 s" font ",16" \
    margins 0.1,0.97,0.09,0.89 spacing 0.13,0.16
  set xlabel "time (s)"; set xrange [0:20]; set samples 2001
  set title "Tracking error"
  set ylabel "|e| (rad)" offset 1
  set logscale y; set yrange [1e-5:10]; set format y "10^{%L}"
  set key top left
  plot "fixed.dat" using 1:2 with lines ls 1 title "no adaptation", \
       "euclidean.dat" using 1:2 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:2 with lines ls 3 title "natural"
  unset logscale y; unset format y; set autoscale y
  set title "Mass of the flange"
  set ylabel "mass (kg)" offset 1
  set key top right
  plot (x < 5 ? 0.8 : 2.8) with lines ls 4 title "true", \
       "euclidean.dat" using 1:3 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:3 with lines ls 3 title "natural"
  set title "Lyapunov function, over its value at 5 s"
  set ylabel "V(t) / V(5 s)" offset 1
  set key top right
  stats "euclidean.dat" using (abs($1 - 5) < 1e-6 ? $4 : NaN) name "euclidean" nooutput
  stats "natural.dat" using (abs($1 - 5) < 1e-6 ? $4 : NaN) name "natural" nooutput
  set yrange [0:1.1]
  plot "euclidean.dat" using 1:($4 / euclidean_max) with lines ls 2 title "euclidean", \
       "natural.dat" using 1:($4 / natural_max) with lines ls 3 title "natural"
  set autoscale y
  set title "Smallest eigenvalue, pseudo-inertia"
  set ylabel "eigenvalue (kg m^2)" offset 0
  set key bottom right
  plot 0 with lines ls 4 title "no body below", \
       "euclidean.dat" using 1:5 with lines ls 2 title "euclidean", \
       "natural.dat" using 1:5 with lines ls 3 title "natural"
  unset multiplot
}
