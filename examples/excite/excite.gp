# Draws the data of the example excite in the current folder: the motion of each joint, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"
set datafile separator ","
columns = system("head -n 1 motion.csv | tr ',' ' '")
n = (words(columns) - 1) / 3
joint(k) = substr(word(columns, k + 1), 3, -1)

do for [i = 1:2] {
  eval figure(i, "motion", 1000, 860)
  set multiplot layout 3,1 title "A motion that tells the most about inertial parameters" font ",16" \
      margins 0.08,0.8,0.08,0.92 spacing 0,0.03
  set autoscale xfix
  set key at graph 1.02, graph 1 left top vertical maxrows 20 Left reverse samplen 1.4 noenhanced
  do for [part = 0:2] {
    set format x (part == 2 ? "%g" : "")
    set xlabel (part == 2 ? seconds : "")
    set ylabel (part == 0 ? "position [rad]" : part == 1 ? "speed [rad/s]" : "acceleration [rad/s^2]") noenhanced
    if (part > 0) { unset key }
    plot for [k = 1:n] "motion.csv" using 1:(column(1 + part * n + k)) skip 1 with lines ls (k - 1) % 12 + 1 title joint(k)
  }
  unset multiplot
}
