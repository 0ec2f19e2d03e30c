# Draws the data of the example bullet_bridge in the current folder: track, fly and swing, as .svg and .png.

load system("dirname '".ARG0."'")."/../support/figures.gp"

do for [i = 1:2] {
  do for [name in "track fly"] {
    eval figure(i, name, 1300, 800)
    what = name eq "track" ? "A chain in Bullet" : "A humanoid in free flight in Bullet"
    eval four(what." under computed torque")
    set xlabel seconds
    # All curves begin with rounding errors, which are below the range of the axis.
    set logscale y; set format y "10^{%L}"
    set title "Largest error of a joint"
    set ylabel "error [rad]"
    set yrange [1e-5:*]
    plot name.".dat" using 1:2 with lines ls 1 notitle
    set title "How far Bullet's joints give way"
    set ylabel "gap [m], slip [m/s]"
    set yrange [1e-7:*]
    plot name.".dat" using 1:3 with lines ls 1 title "gap", "" using 1:5 with lines ls 2 title "slip"
    unset logscale; set format y; set autoscale y
    if (name eq "track") {
      set title "Energy"
      set ylabel "energy [J]"
      plot name.".dat" using 1:6 with lines ls 1 title "kinetic", "" using 1:7 with lines ls 2 title "potential"
    } else {
      set title "Change of the angular momentum"
      set ylabel "change [10^{-3} kg m^2/s]"
      plot name.".dat" using 1:($9 * 1e3) with lines ls 3 notitle
    }
    set title "Energy that is not from the motors"
    set ylabel "energy [J]"
    plot name.".dat" using 1:8 with lines ls 3 notitle
    unset multiplot
  }

  eval figure(i, "swing", 1300, 440)
  eval two("Five free seconds of the chain")
  set title "Change of the energy"
  set ylabel "change [J]"
  set yrange [-0.2:0.3]
  plot "swing.dat" using 1:8 with lines ls 2 title "Bullet", \
       "swing_generalized.dat" using 1:2 with lines ls 1 title "corio"
  set autoscale y
  set title "Widest gap of a joint"
  set ylabel "gap [mm]"
  plot "swing.dat" using 1:($3 * 1e3) with lines ls 2 notitle
  unset multiplot
}
