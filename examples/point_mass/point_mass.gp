# Figure of what the example point_mass wrote into the current folder, as .svg and .png: figures 4 to 7 of Wensing and
# Slotine.

set style line 1 lc rgb "#1f5fa8" lw 2
set style line 2 lc rgb "#c8540a" lw 1.6
set style line 3 lc rgb "#2a8a63" lw 1.2
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
file(i) = sprintf("kappa_%d.dat", i == 1 ? 0 : i == 2 ? 1 : 10)
name(i) = i == 1 ? "no torsion" : i == 2 ? "κ = 1" : "κ = 10"

do for [i = 1:2] {
  eval "set terminal ".terminal(i, 1000, 1200)
  set output "point_mass.".type(i)
  set multiplot layout 3,2 title "A point mass tracks a line, C = κ [v]×" font ",16" \
    margins 0.1,0.97,0.06,0.91 spacing 0.13,0.12
  do for [k = 1:3] {
    set title "Error, ".name(k)
    set xlabel "time (s)"; set ylabel "error (m)" offset 1
    set xrange [0:10]; set yrange [-2.2:1.8]
    set key bottom right
    plot file(k) using 1:5 with lines ls 1 title "along the line", "" using 1:6 with lines ls 2 title "across, y", \
         "" using 1:7 with lines ls 3 title "across, z"
  }
  set title "Path across the line, seen along it"
  set xlabel "y (m)"; set ylabel "z (m)" offset 1
  set xrange [-0.2:1.6]; set yrange [-0.5:0.3]; set key top right
  plot for [k = 1:3] file(k) using 6:7 with lines ls k title name(k)
  set title "Spectrum of the force across the line"
  set xlabel "frequency (Hz)"; set ylabel "energy (N^2 s^2)" offset 1
  set logscale y; set format y "10^{%L}"
  set xrange [0:25]; set yrange [1e-3:1e7]
  plot for [k = 1:3] file(k).".spectrum" using 1:2 with lines ls k title name(k)
  set title "Lyapunov function"
  set xlabel "time (s)"; set ylabel "V (J)" offset 1
  set xrange [0:10]; set yrange [1e-4:1e3]
  plot for [k = 1:3] file(k) using 1:8 with lines ls k lw (k == 1 ? 5 : k == 2 ? 3 : 1) title name(k)
  unset logscale y; set format y
  unset multiplot
}
