# Figures of what the example bullet_bridge wrote into the current folder: track, fly and swing, as .svg and .png.

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
above(x, least) = x > least ? x : least

do for [i = 1:2] {
  do for [name in "track fly"] {
    eval "set terminal ".terminal(i, 1000, 720)
    set output name.".".type(i)
    what = name eq "track" ? "A chain in Bullet" : "A humanoid in free flight in Bullet"
    set multiplot layout 2,2 title what." under computed torque" font ",16" margins 0.12,0.97,0.1,0.88 spacing 0.15,0.17
    set xlabel "time (s)"
    set title "Largest error of a joint"
    set ylabel "error (rad)"
    set logscale y; set format y "10^{%L}"
    unset key
    plot name.".dat" using 1:(above($2, 1e-8)) with lines ls 1
    set title "How far Bullet's joints give way"
    set ylabel "gap (m), slip (m/s)"
    set key bottom right
    plot name.".dat" using 1:(above($3, 1e-9)) with lines ls 1 title "gap", \
         "" using 1:(above($5, 1e-9)) with lines ls 2 title "slip"
    unset logscale; set format y
    if (name eq "track") {
      set title "Energy"
      set ylabel "energy (J)"
      set key top right
      plot name.".dat" using 1:6 with lines ls 1 title "kinetic", "" using 1:7 with lines ls 2 title "potential"
    } else {
      set title "Change of the angular momentum"
      set ylabel "change (kg m²/s)"
      unset key
      plot name.".dat" using 1:9 with lines ls 3
    }
    set title "Energy that is not from the motors"
    set ylabel "energy (J)"
    unset key
    plot name.".dat" using 1:8 with lines ls 3
    unset multiplot
  }

  eval "set terminal ".terminal(i, 900, 400)
  set output "swing.".type(i)
  set multiplot layout 1,2 title "Five free seconds of the chain" font ",16" margins 0.1,0.97,0.17,0.78 spacing 0.15,0
  set title "Change of the energy"
  set ylabel "change (J)"
  set key top left samplen 1
  set yrange [-0.2:0.3]
  plot "swing.dat" using 1:8 with lines ls 2 title "Bullet, body by body", \
       "swing_generalized.dat" using 1:2 with lines ls 1 title "generalized coordinates"
  set autoscale y
  set title "Widest gap of a joint"
  set ylabel "gap (mm)"
  unset key
  plot "swing.dat" using 1:($3 * 1e3) with lines ls 2
  unset multiplot
}
