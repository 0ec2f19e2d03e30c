# Draws the data of the example collision_detection in the current folder: residuals and links, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"
pale = "#f6dcc8"
set datafile separator ","

# Columns: time, residuals r_JOINT, thresholds of them.
columns = system("head -n 1 residuals.csv | tr ',' ' '")
n = (words(columns) - 1) / 2
joint(k) = substr(word(columns, k + 1), 3, -1)
pushed = system("wc -l < pushes.csv") > 1
found = system("wc -l < found.csv") > 1
in_row1(file, column) = real(system(sprintf("sed -n 2p %s | cut -d, -f%d", file, column)))
# The numbers of pushes and collisions in the log.
between = "using (($1+$2)/2)"
box = "with boxxyerror fs solid noborder lc rgb pale title"
pushed_times = !pushed ? "" : "'pushes.csv' ".between.":(0):1:2:(-top):(top) skip 1 ".box." '',"
pushed_links = !pushed ? "" : ", 'pushes.csv' ".between.":3:1:2:($3-0.4):($3+0.4) skip 1 ".box." ''"
found_links = !found ? "" : ", 'found.csv' using 1:2 skip 1 with points pt 7 ps 0.4 lc rgb blue title ''"

last(column) = real(system(sprintf("tail -n 1 residuals.csv | cut -d, -f%d", column)))
# The place of the label at y, far enough from another label at zero or below.
apart(y, top) = y > 0.35 * top ? y : 0.35 * top

do for [i = 1:2] {
  # ---- Residuals, a row per joint, with labels at the ends of the curves
  eval figure(i, "residuals", 1000, 110 + 130 * n)
  set multiplot layout n,1 title "Residuals of the momentum observer, in N m" font ",16" \
      margins 0.06,0.89,75.0 / (110 + 130 * n),1 - 50.0 / (110 + 130 * n) spacing 0,0.02
  set autoscale xfix
  unset grid; set grid ytics ls 22
  unset key
  do for [k = 1:n] {
    set format x (k == n ? "%g" : "")
    set xlabel (k == n ? seconds : "")
    set label 1 joint(k) at graph 0.01, graph 0.9 noenhanced
    set yrange [*:*]
    stats "residuals.csv" using k+1 skip 1 nooutput
    top = 1.1 * (STATS_max > -STATS_min ? STATS_max : -STATS_min)
    stats "residuals.csv" using k+1+n skip 1 nooutput
    if (1.1 * STATS_max > top) { top = 1.1 * STATS_max }
    set yrange [-top:top]
    set ytics -tic(top), tic(top), tic(top)
    bound = last(k + 1 + n); end = last(k + 1)
    set label 2 "threshold" at graph 1.01, first apart(bound, top) tc rgb orange
    set label 3 "residual" at graph 1.01, first (end > 0.35 * bound ? 0 : end) tc rgb blue
    if (pushed && k == 1) { set label 4 "pushes" at first in_row1("pushes.csv", 1), graph 1.09 center tc rgb orange }
    if (k > 1) { unset label 4 }
    plot @pushed_times \
         "residuals.csv" using 1:k+1+n skip 1 with lines lw 1.2 lc rgb orange, \
         "" using 1:(-column(k+1+n)) skip 1 with lines lw 1.2 lc rgb orange, \
         "" using 1:k+1 skip 1 with lines lw 1.4 lc rgb blue
  }
  unset multiplot
  unset label

  # ---- Links pushed and found
  eval figure(i, "links", 1000, 420)
  set title (pushed ? "Links that were pushed, and found" : "Links that something pushed") font ",16"
  set xlabel seconds
  stats "residuals.csv" using 1 skip 1 nooutput
  set xrange [STATS_min:STATS_max]
  stats "bodies.csv" using 1 skip 1 nooutput
  bodies = int(STATS_max) + 1
  set yrange [-0.6:bodies - 0.4]
  set ytics () noenhanced
  set grid xtics ytics ls 22
  # A label is beside the first push, and one beside the first collision.
  if (pushed) { set label 1 "pushed" at in_row1("pushes.csv", 1), in_row1("pushes.csv", 3) + 0.55 tc rgb orange }
  if (found) { set label 2 "found" at in_row1("found.csv", 1), in_row1("found.csv", 2) - 0.52 tc rgb blue }
  set lmargin 16; set rmargin at screen 0.86
  plot "bodies.csv" using (0):1:ytic(2) skip 1 with dots lc rgb "white" notitle @pushed_links @found_links
  unset title
  unset label
  unset lmargin; unset rmargin
  set output
}
