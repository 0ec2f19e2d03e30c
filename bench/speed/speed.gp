# What corio_bench --report=folder wrote, drawn:
#
#   gnuplot -e "folder='...'" speed.gp
#
# adds growth.svg and .png, times of chains against their length, and peak.svg and .png, shares of the processor's peak.

if (!exists("folder")) folder = "."
load folder."/index.gp"

array color[12] = ["#1f5fa8", "#c8540a", "#2f8f4e", "#8a4fa3", "#8c7a1f", "#b8336a", "#17869c", "#6b4c35", "#808080", \
                   "#0b3d2e", "#d49a00", "#4a4ae0"]
array point[12] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 7, 5]

set encoding utf8
set border 3 lw 1.2
set tics nomirror out scale 0.7
set style line 10 lc rgb "#dcdcdc" lw 0.8

type(i) = i == 1 ? "svg" : "png"
cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
terminal(i, w, h) = i == 1 ? sprintf("svg size %d,%d font 'Helvetica,14' background rgb 'white'", w, h) : \
    cairo ? sprintf("pngcairo size %d,%d font 'Helvetica,14' fontscale 1.6 linewidth 1.6 pointscale 1.6", 1.6 * w, 1.6 * h) : \
            sprintf("png size %d,%d large", 1.6 * w, 1.6 * h)

if (parts > 0) {
  set logscale xy
  set format y "%g"
  set xtics (7, 10, 20, 50, 100)
  set xrange [6 : 120]
  set grid xtics ytics ls 10
  set key at graph 1.04, graph 1 left top Left reverse samplen 1.5 spacing 1.15 font ",12"
  set xlabel "joints" offset 0, 0.5
  set ylabel "time [us]" offset 1
  do for [i = 1:2] {
    lines = (parts + 1) / 2
    eval "set terminal ".terminal(i, 1500, 340 * lines)." noenhanced"
    set output folder."/growth.".type(i)
    # Panels of one size, each with its key beside it.
    set multiplot layout lines, 2 margins 0.055, 0.78, 0.2 / lines, 1 - 0.14 / lines spacing 0.29, 0.34 / lines
    do for [p = 1:parts] {
      set title value(sprintf("title_%d", p)).", chains"
      plot for [c = 1:value(sprintf("columns_%d", p))] sprintf("%s/growth_%d.dat", folder, p) \
               using 1:(column(c + 1)) with linespoints lc rgb color[c] pt point[c] ps 0.9 lw 1.8 title columnheader(c + 1)
    }
    unset multiplot
    unset output
  }
  unset logscale
}

if (rows > 0) {
  # Each algorithm has a row, and in it one bar per robot.
  height = 0.8 / robots
  row(r, c) = -r + 0.4 - (c - 0.5) * height
  set xrange [0 : *]
  set yrange [-rows + 0.4 : 0.6]
  set xtics auto
  set format x "%g"
  set ytics scale 0
  unset grid
  set grid xtics ls 10
  set key inside right bottom Left reverse samplen 1.5 spacing 1.2 width 0
  set style fill solid noborder
  unset ylabel
  set xlabel "share of this processor's peak [%]"
  set title sprintf("Loops that only multiply and add: dashed, in vectors of\ncorio's width, %.0f %%; dotted, one number at a time, %.0f %%", \
                    block_share, scalar_share)
  set arrow 1 from block_share, graph 0 to block_share, graph 1 nohead lc rgb "#202020" lw 1.2 dt 2
  set arrow 2 from scalar_share, graph 0 to scalar_share, graph 1 nohead lc rgb "#707070" lw 1.2 dt 3
  do for [i = 1:2] {
    eval "set terminal ".terminal(i, 1100, 130 + 26 * rows)." noenhanced"
    set output folder."/peak.".type(i)
    plot for [c = 1:robots] folder."/peak.dat" \
             using (column(c + 1) / 2):(row($0, c)):(column(c + 1) / 2):(height / 2) \
             with boxxyerror lc rgb color[c] title columnheader(c + 1), \
         folder."/peak.dat" skip 1 using (0):(-$0):ytic(1) with points pt -2 notitle
    unset output
  }
}
