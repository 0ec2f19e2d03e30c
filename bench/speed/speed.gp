# Draws the data that corio_bench --report=folder wrote:
#
#   gnuplot -e "folder='...'" speed.gp
#
# adds growth.svg and .png, times of chains against their length, and peak.svg and .png, shares of the processor's peak.

if (!exists("folder")) folder = "."
load folder."/index.gp"
load system("dirname '".ARG0."'")."/../../examples/support/figures.gp"

if (parts > 0) {
  set xlabel "joints" offset 0, 0.5
  set ylabel "time [µs]" offset 1
  do for [i = 1:2] {
    lines = (parts + 1) / 2
    eval figure(i, folder."/growth", 1600, 340 * lines)
    set termoption noenhanced
    set logscale xy
    set xtics (7, 10, 20, 50, 100)
    set xrange [6 : 120]
    # Panels of one size, each with its key beside it.
    set multiplot layout lines, 2 margins 0.08, 0.8, 0.2 / lines, 1 - 0.14 / lines spacing 0.3, 0.34 / lines
    do for [p = 1:parts] {
      set title value(sprintf("title_%d", p)).", chains"
      plot for [c = 1:value(sprintf("columns_%d", p))] sprintf("%s/growth_%d.dat", folder, p) \
               using 1:(column(c + 1)) with linespoints ls c title columnheader(c + 1)
    }
    unset multiplot
    unset output
  }
}

if (rows > 0) {
  # Each algorithm has a row, and in it one bar per robot.
  height = 0.8 / robots
  row(r, c) = -r + 0.4 - (c - 0.5) * height
  set style fill solid noborder
  unset ylabel
  set xlabel "share of this processor's peak [%]"
  set title sprintf("Loops that only multiply and add: dashed, in vectors of\ncorio's width, %.0f %%; dotted, one number at a time, %.0f %%", \
                    block_share, scalar_share)
  set arrow 1 from block_share, graph 0 to block_share, graph 1 nohead front lc rgb "#202020" lw 1.2 dt 2
  set arrow 2 from scalar_share, graph 0 to scalar_share, graph 1 nohead front lc rgb "#202020" lw 1.2 dt 3
  do for [i = 1:2] {
    eval figure(i, folder."/peak", 1250, 130 + 26 * rows)
    set termoption noenhanced
    eval outside
    set xrange [0 : *]
    set yrange [-rows + 0.4 : 0.6]
    set ytics scale 0
    unset grid
    set grid xtics ls 22
    plot for [c = 1:robots] folder."/peak.dat" \
             using (column(c + 1) / 2):(row($0, c)):(column(c + 1) / 2):(height / 2) \
             with boxxyerror lc rgb colour[c] title columnheader(c + 1), \
         folder."/peak.dat" skip 1 using (0):(-$0):ytic(1) with points pt -2 notitle
    unset output
  }
}
