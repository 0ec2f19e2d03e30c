"""Draws the Coriolis matrix and the energy of a swinging arm, and dM/dt - 2 C, which is skew: swinging_arm.png."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import corio

model = corio.zoo.serial_chain(7)
q = model.random_configuration(np.random.default_rng(1))
plant, states = corio.Simulation(model, q, np.zeros(model.nv), 1e-3), []
for _ in range(3000):
    plant.advance(np.zeros(model.nv))
    states.append([*plant.q, *plant.v])
Q, V = np.split(np.array(states), 2, axis=1)
t = 1e-3 * np.arange(1, 3001)
energy, (C, M, Mdot) = corio.energy(model, Q, V), corio.coriolis_matrix(model, Q, V)
skew = Mdot - 2 * C

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
left.plot(t, energy.kinetic, label="kinetic")
left.plot(t, energy.potential, label="potential")
left.plot(t, energy.kinetic + energy.potential, "k--", label="sum")
left.set(title="Energy of the arm", xlabel="time (s)", ylabel="J")
left.margins(y=0.2)  # room for the legend
left.legend(loc="upper center", ncol=3)
for axes, matrix, title in ((middle, C[-1], "C at 3 s"), (right, skew[-1], "dM/dt - 2 C at 3 s")):
    size = abs(matrix).max()
    figure.colorbar(axes.imshow(matrix, cmap="RdBu", vmin=-size, vmax=size), ax=axes)
    axes.set(title=title)
figure.savefig("swinging_arm.png", dpi=120)
print("dM/dt - 2 C is skew up to", abs(skew + skew.swapaxes(1, 2)).max())
print("the energy changes by", np.ptp(energy.kinetic + energy.potential), "J")
