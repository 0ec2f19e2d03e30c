# The look of all figures: those of the examples, and those of the reports in bench. A script begins with
#
#   load system("dirname '".ARG0."'")."/../support/figures.gp"
#
# and draws every figure twice, as name.svg, and as name.png of twice the size:
#
#   do for [i = 1:2] {
#     eval figure(i, "name", width, height)
#     ...
#   }
#
# Units stand in square brackets, legends outside of the curves.

set encoding utf8
array colour[12] = ["#1f5fa8", "#c8540a", "#2a8a63", "#7b4fa3", "#b08a00", "#3aa0c8", "#a83265", "#6b4c35", "#0b3d2e", \
                    "#4a4ae0", "#d49a00", "#808080"]
array mark[12] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 7, 5]
do for [k = 1:12] { set style line k lc rgb colour[k] lw 2 pt mark[k] ps 0.9 }
blue = colour[1]; orange = colour[2]; green = colour[3]; purple = colour[4]; gray = "#808080"
set style line 20 lc rgb "black" lw 1.2 dt (6,4)  # true or desired values, and bounds
set style line 21 lc rgb gray lw 1.6 dt (2,4)
set style line 22 lc rgb "#dcdcdc" lw 0.8

set border 3 lw 1.2
set tics nomirror out scale 0.7
set grid xtics ytics ls 22
seconds = "time [s]"
# Legends: below a panel of a multiplot, below a plot of its own, and above a wide panel.
below = "set key at graph 0.5, graph -0.33 center top horizontal maxrows 1 Left reverse samplen 1.2 width -1 font ',12'"
outside = "set bmargin 6; set key below center horizontal Left reverse samplen 1.6 font ',12'"
above = "set key at graph 0, graph 1.05 left bottom vertical maxrows 1 Left reverse samplen 1.2 width -1 font ',12'"

cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
# Begins with axes without settings.
fresh = "set autoscale; unset logscale; set format; set xtics autofreq; set ytics autofreq; unset label; set bmargin; ".below
figure(i, name, w, h) = sprintf(fresh."; set terminal %s; set output '%s.%s'", \
  i == 1 ? sprintf("svg size %d,%d font 'Helvetica,14' background rgb 'white'", w, h) : \
  cairo ? sprintf("pngcairo size %d,%d font 'Helvetica,14' fontscale 2 linewidth 2 pointscale 2", 2 * w, 2 * h) : \
          sprintf("png size %d,%d giant", 2 * w, 2 * h), name, i == 1 ? "svg" : "png")
# Begins four panels under one title in 1300 x 800, or two panels in 1300 x 440.
four(title) = 'set multiplot layout 2,2 title "'.title.'" font ",16" margins 0.08,0.98,0.14,0.9 spacing 0.1,0.22'
two(title) = 'set multiplot layout 1,2 title "'.title.'" font ",16" margins 0.08,0.98,0.29,0.81 spacing 0.1,0'

# The distance of tics: the largest of 1, 2, 5 times a power of ten that is below x.
power(x) = 10**floor(log10(x))
tic(x) = power(x) * (x >= 5 * power(x) ? 5 : x >= 2 * power(x) ? 2 : 1)
larger(x, y) = abs(x) > abs(y) ? abs(x) : abs(y)
