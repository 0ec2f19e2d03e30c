"""How far an arm reaches and how heavy it feels, in a million states: sweep.png."""
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import corio

model = corio.zoo.serial_chain(7)
rng = np.random.default_rng(2)
n = 1_000_000
Q = rng.uniform(-np.pi, np.pi, (n, model.nq))
begin = time.perf_counter()
place = corio.body_pose(model, Q, model.bodies[-1]).translation
gravity = corio.generalized_gravity(model, Q)
print(f"{n} states in {time.perf_counter() - begin:.2f} s")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.hist2d(np.hypot(place[:, 0], place[:, 1]), place[:, 2], bins=200, cmap="Blues")
left.set(title="Where the last body is", xlabel="distance from the axis (m)", ylabel="height (m)", aspect="equal")
right.violinplot(gravity, showextrema=False)
right.set(title="Torques of gravity", xlabel="joint", ylabel="N m")
figure.savefig("sweep.png", dpi=120)
