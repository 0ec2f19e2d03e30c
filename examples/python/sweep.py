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

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained", gridspec_kw={"width_ratios": (1, 2)})
left.hist2d(np.hypot(place[:, 0], place[:, 1]), place[:, 2], bins=200, cmap="Blues")
left.set(title="Where the last body is", xlabel="distance from the axis (m)", ylabel="height (m)", aspect="equal")
for i, torques in enumerate(gravity.T, 1):  # how many states have a torque, as a width
    count, edges = np.histogram(torques, 200)
    right.stairs(i + 0.4 * count / count.max(), edges, baseline=i - 0.4 * count / count.max(), fill=True, orientation="horizontal")
right.set(title="Torques of gravity", xlabel="joint", ylabel="N m", xlim=(0.5, model.nv + 0.5))
figure.savefig("sweep.png", dpi=120)
