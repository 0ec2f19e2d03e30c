# Draws the data of the example point_mass in the current folder, as .svg and .png, like figures 4 to 7 of Wensing and
# Slotine, whose masses, gains, start and path are not known.

load system("dirname '".ARG0."'")."/../support/figures.gp"

file(k) = sprintf("kappa_%d.dat", k == 1 ? 0 : k == 2 ? 1 : 10)
name(k) = k == 1 ? "no torsion" : k == 2 ? "κ = 1" : "κ = 10"

do for [i = 1:2] {
  eval figure(i, "point_mass", 1300, 1200)
  set multiplot layout 3,2 title "A point mass tracks a line, C = κ [v]×\n".\
    "{/*0.75 All numbers but κ are assumed, as those of the paper are lost: 1 kg, believed to be 1.2 kg; λ = 1/s, K_D = 1 kg/s;}\n".\
    "{/*0.75 x_d = (5 t - cos 2t) m, y_d = z_d = 0; from (-1, 1, 0) m with 2 m/s in y}" \
    font ",16" margins 0.08,0.97,0.1,0.86 spacing 0.12,0.15
  set key at graph 0.5, graph -0.45  # low panels
  set xlabel seconds; set ylabel "error [m]"
  set xrange [0:10]; set yrange [-2.2:1.8]
  do for [k = 1:3] {
    set title "Error, ".name(k)
    plot file(k) using 1:5 with lines ls 1 title "along the line", "" using 1:6 with lines ls 2 title "across, y", \
         "" using 1:7 with lines ls 3 lw 1.2 title "across, z"
  }
  set title "Path across the line, seen along it"
  set xlabel "y [m]"; set ylabel "z [m]"
  set xrange [-0.2:1.6]; set yrange [-0.5:0.3]; set xtics 0.4
  plot for [k = 1:3] file(k) using 6:7 with lines ls k lw 1.5 title name(k)
  set title "Spectrum of the force across the line"
  set xlabel "frequency [Hz]"; set ylabel "energy [N^2 s^2]"
  set logscale y; set format y "10^{%L}"; set xtics auto
  set xrange [0:25]; set yrange [1e-3:1e5]
  plot for [k = 1:3] file(k).".spectrum" using 1:2 with lines ls k title name(k)
  set title "Lyapunov function"
  set xlabel seconds; set ylabel "V [J]"
  set xrange [0:10]; set yrange [1e-4:1e2]
  plot for [k = 1:3] file(k) using 1:8 with lines ls k lw (k == 1 ? 5 : k == 2 ? 3 : 1) title name(k)
  unset multiplot
}
