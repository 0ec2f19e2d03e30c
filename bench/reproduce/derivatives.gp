# Draws Figures 2 to 7 of Singh, Russell and Wensing (2022) from the data of corio_derivatives_bench:
#
#   gnuplot -e "folder='...'" derivatives.gp
#
# adds fig2_chain .. fig7_routes, errors and by_compiler to the folder, each as .svg and .png.

if (!exists("folder")) folder = "."
load folder."/fits.gp"
load system("dirname '".ARG0."'")."/../../examples/support/figures.gp"

# Colours stand for algorithms, points for mechanisms: filled circles for chains, squares and triangles for trees.
set style data linespoints

file(key) = folder."/".key.".dat"
keys = "chain tree2 tree4"
point(key) = key eq "chain" ? 7 : key eq "tree2" ? 5 : 9
name(key) = key eq "chain" ? "chain" : key eq "tree2" ? "branching 2" : "branching 4"
colour_of(key) = key eq "chain" ? blue : key eq "tree2" ? green : purple

over_N = "set xlabel 'degrees of freedom N'; set logscale x; set xtics (2, 4, 8, 16, 32, 64, 128); set xrange [1.8:145]"
times = over_N."; set logscale y; set ylabel 'time per evaluation [µs]'; set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, ".\
  "200, 500, 1000, 2000, 5000)"

do for [i = 1:2] {
  eval figure(i, folder."/fig2_chain", 1000, 560)
  eval outside
  eval times
  set title "Derivatives of inverse and forward dynamics of serial chains"
  set yrange [0.25:4000]
  plot file("chain") using 1:7 lc rgb purple lw 2 pt 8 ps 1 title "forward: ABACR", \
       file("chain") using 1:6 lc rgb orange lw 2 pt 4 ps 1 title "forward: FDCR", \
       file("chain") using 1:5 lc rgb blue lw 2 pt 6 ps 1 title "forward: FDSVA", \
       file("chain") using 1:3 lc rgb orange lw 2 pt 5 ps 0.9 title "inverse: RNEACR", \
       file("chain") using 1:2 lc rgb blue lw 2 pt 7 ps 1 title "inverse: IDSVA"

  eval figure(i, folder."/fig4_trees", 1000, 560)
  eval outside
  eval times
  set title "Inverse dynamics derivatives of trees"
  set yrange [0.2:2000]
  plot for [k in keys] file(k) using 1:3 lc rgb orange lw 2 pt point(k) ps 0.9 title "RNEACR, ".name(k), \
       for [j = 1:3 * pinocchio] file(word(keys, j)) using 1:10 lc rgb gray lw 2 pt point(word(keys, j)) ps 0.9 \
         title "Pinocchio, ".name(word(keys, j)), \
       for [k in keys] file(k) using 1:2 lc rgb blue lw 2 pt point(k) ps 0.9 title "IDSVA, ".name(k)

  eval figure(i, folder."/fig6_forward", 1000, 560)
  eval outside
  eval times
  set title "Forward dynamics derivatives of chains and trees"
  set yrange [0.4:5000]
  plot for [k in "chain tree4"] file(k) using 1:7 lc rgb purple lw 2 pt point(k) ps 0.9 title "ABACR, ".name(k), \
       for [k in "chain tree4"] file(k) using 1:6 lc rgb orange lw 2 pt point(k) ps 0.9 title "FDCR, ".name(k), \
       for [j = 1:3 * pinocchio:2] file(word(keys, j)) using 1:11 lc rgb gray lw 2 pt point(word(keys, j)) ps 0.9 \
         title "Pinocchio, ".name(word(keys, j)), \
       for [k in "chain tree4"] file(k) using 1:5 lc rgb blue lw 2 pt point(k) ps 0.9 title "FDSVA, ".name(k)

  eval figure(i, folder."/errors", 1000, 560)
  eval outside
  eval times
  set title "Errors of the forward dynamics derivatives of chains"
  set ylabel "rms relative error"
  set yrange [1e-16:1e-2]
  set ytics (1e-15, 1e-12, 1e-9, 1e-6, 1e-3)
  set format y "10^{%L}"
  colour(m) = word(blue." ".orange." ".purple." ".green." ".gray, m + 1)
  label(m) = m == 3 ? "forward differences" : m == 4 ? "central differences" : word("FDSVA FDCR ABACR", m + 1)
  law(m) = value(sprintf("error%d_order", m))
  plot for [m in "3 4 2 1 0"] file("errors") using 1:(column(m + 2)) with points lc rgb colour(m) pt 7 ps 0.9 notitle, \
       for [m in "3 4 2 1 0"] value("error".m."_scale") * x**law(m + 0) with lines lc rgb colour(m) lw 2 notitle, \
       for [m in "3 4 2 1 0"] NaN with linespoints lc rgb colour(m) lw 2 pt 7 ps 0.9 \
         title label(m + 0).sprintf(", slope %.2f", law(m + 0))

  eval figure(i, folder."/fig3_frames", 1000, 560)
  eval outside
  eval over_N
  set title "IDSVA in the axes of the bodies against world axes"
  set ylabel "time in body axes / time in world axes"
  set yrange [0:*]
  plot 1 with lines ls 21 notitle, \
       for [k in keys] file(k) using 1:($4 / $2) lc rgb colour_of(k) lw 2 pt point(k) ps 1 title name(k)

  eval figure(i, folder."/fig7_routes", 1000, 560)
  eval outside
  eval over_N
  set title "Forward dynamics derivatives: two ways to multiply by M^{-1}"
  set ylabel "time by products (DMM) / by sweeps (AZA)"
  set yrange [0:*]
  plot 1 with lines ls 21 notitle, \
       for [k in keys] file(k) using 1:($8 / $9) lc rgb colour_of(k) lw 2 pt point(k) ps 1 title name(k)

  unset logscale x
  set autoscale
  eval figure(i, folder."/fig5_robots", 1000, 560)
  eval outside
  set title "Inverse dynamics derivatives of robots"
  set xlabel ""
  set ylabel "time per evaluation [µs]"
  set ytics auto
  set xtics auto rotate by -20 scale 0
  set yrange [0:*]
  set style fill solid 0.9 border rgb "white"
  set style data histogram
  set style histogram cluster gap 1
  who(c) = word("IDSVA RNEACR Pinocchio", c - 1)
  plot for [c = 2:3 + pinocchio] file("robots") using (column(c)):xtic(1) \
    lc rgb word(blue." ".orange." ".gray, c - 1) title who(c)
  set style data linespoints
  set xtics norotate

  if (compilers > 0) {
    eval figure(i, folder."/by_compiler", 1200, 560)
    eval outside
    stats file("by_compiler") using 12 name "high" nooutput
    set title "Inverse dynamics derivatives of robots with a floating base, by compiler"
    set xlabel ""
    set ylabel "time per evaluation [µs]"
    set xrange [-0.6:17.8]
    set yrange [0:1.1 * high_max]
    set xtics ("biped, 26" 2, "quadruped, 26" 6.6, "humanoid, 36" 11.2, "humanoid, 50" 15.8) scale 0
    set boxwidth 0.42
    shade(c) = word("#9fbfe0 #1f5fa8 #a5cfa0 #3a7d34", c + 1)
    dark(c) = word("#eec39f #c8540a #d9c2e6 #7a4a9e", c + 1)
    compiler(c) = value(sprintf("compiler%d", c))
    plot for [c = 0:compilers - 1] for [r = 0:3] file("by_compiler") every ::c::c \
           using (4.6 * r + c + 0.0):(column(2 + 3 * r)) with boxes lc rgb shade(c) \
           title r == 0 ? "IDSVA, ".compiler(c) : "", \
         for [c = 0:compilers - 1] for [r = 0:3] file("by_compiler") every ::c::c \
           using (4.6 * r + c + 0.44):(column(3 + 3 * r)) with boxes lc rgb dark(c) \
           title r == 0 ? "RNEACR, ".compiler(c) : ""
    set boxwidth
  }
}
