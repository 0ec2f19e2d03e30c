# What corio_compare wrote into a folder, drawn:
#
#   gnuplot -e "folder='...'" compare.gp
#
# adds <mechanism>.svg and .png: how many times a library's time is that of corio, per algorithm.

if (!exists("folder")) folder = "."
load folder."/index.gp"

# One colour and point per library, in the order of the data.
set style line 1 lc rgb "#1f5fa8" lw 2 pt 7 ps 1.25
set style line 2 lc rgb "#c8540a" lw 2 pt 5 ps 1.15
set style line 3 lc rgb "#2f8f4e" lw 2 pt 9 ps 1.35
set style line 4 lc rgb "#8a4fa3" lw 2 pt 11 ps 1.35
set style line 5 lc rgb "#8c7a1f" lw 2 pt 13 ps 1.45
set style line 8 lc rgb "#202020" lw 4
set style line 9 lc rgb "#202020" lw 1.6
set style line 10 lc rgb "#dcdcdc" lw 0.8

set encoding utf8
set logscale x
set format x "%g"
set xtics (0.25, 0.5, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
set border 1 lw 1.2
set tics nomirror out scale 0.7
set ytics scale 0
set grid xtics ytics ls 10
set xlabel "time of a library / time of corio"
set key outside right top Left reverse samplen 1.2 spacing 1.25

type(i) = i == 1 ? "svg" : "png"
cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
terminal(i) = i == 1 ? "svg size 860,520 font 'Helvetica,15' background rgb 'white'" : \
              cairo ? "pngcairo size 1720,1040 font 'Helvetica,15' fontscale 2 linewidth 2 pointscale 2" : \
                      "png size 1720,1040 giant"

file(key) = folder."/".key.".dat"
row(i) = -i  # the first algorithm on top
# Columns: title, corio, target, then time, ratio and spread of each library.
ratio(l) = 5 + 3 * (l - 1)

do for [i = 1:2] {
  eval "set terminal ".terminal(i)." noenhanced"
  do for [key in keys] {
    set output folder."/".key.".".type(i)
    set title value("title_".key)
    set yrange [row(rows) + 0.4 : 0.6]
    set xrange [0.85 * value("low_".key) : 1.3 * value("high_".key)]
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead ls 9
    plot file(key) using 3:(row($0) - 0.3):(0):(0.6) with vectors nohead ls 8 \
           title value("aims_".key) ? "target" : "", \
         for [l in value("columns_".key)] file(key) using (column(ratio(int(l)))):(row($0)):ytic(1) \
           with points ls int(l) title word(peers, int(l)), \
         NaN with lines ls 9 title "corio"
  }
}
