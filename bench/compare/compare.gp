# Draws the data that corio_compare wrote into a folder:
#
#   gnuplot -e "folder='...'" compare.gp
#
# adds <mechanism>.svg and .png, the time of each library relative to that of corio for each algorithm.

if (!exists("folder")) folder = "."
load folder."/index.gp"
load system("dirname '".ARG0."'")."/../../examples/support/figures.gp"

# One colour and point per library, in the order of the data.
set style line 9 lc rgb "#202020" lw 1.6
set xlabel "time of a library / time of corio"

file(key) = folder."/".key.".dat"
row(i) = -i  # the first algorithm on top
# Columns: title, corio, then time, ratio and spread of each library.
ratio(l) = 4 + 3 * (l - 1)

do for [i = 1:2] {
  do for [key in keys] {
    eval figure(i, folder."/".key, 860, 760)
    set termoption noenhanced
    eval outside
    set key width -2  # six libraries in one row
    set logscale x
    set format x "%g"
    set xtics (0.25, 0.5, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
    set border 1
    set ytics scale 0
    set title value("title_".key)
    set yrange [row(rows) + 0.4 : 0.6]
    set xrange [0.85 * value("low_".key) : 1.3 * value("high_".key)]
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead ls 9
    plot for [l in value("columns_".key)] file(key) using (column(ratio(int(l)))):(row($0)):ytic(1) \
           with points ls int(l) title word(peers, int(l)), \
         NaN with lines ls 9 title "corio"
  }
}
