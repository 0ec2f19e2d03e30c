"""Identifies a simulated arm from noisy torques, and draws what the estimate predicts: identify.png."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import corio

model = corio.zoo.serial_chain(4)
rng = np.random.default_rng(3)


def motion(t, phase):
    w = 1.0 + np.arange(model.nv)
    angle = np.outer(t, w) + phase
    return 0.7 * np.sin(angle), 0.7 * w * np.cos(angle), -0.7 * w**2 * np.sin(angle)


def measured(x):
    return corio.rnea(model, *x) + 0.2 * rng.standard_normal(x[0].shape)


t = np.linspace(0, 20, 4000)
x = motion(t, rng.uniform(0, 2 * np.pi, model.nv))
samples = corio.StreamingLeastSquares(10 * len(model.bodies))
samples.add(corio.inverse_dynamics_regressor(model, *x), measured(x) - model.armature * x[2])
base = corio.BaseParameters(samples)
estimate = corio.estimate(samples, base)

# The columns of the base parameters, of another motion, times the estimate.
x = motion(t[:800], rng.uniform(0, 2 * np.pi, model.nv))
predicted = corio.inverse_dynamics_regressor(model, *x)[..., base.columns] @ estimate.beta + model.armature * x[2]
true = corio.rnea(model, *x)
print(f"{base.size} base parameters of {10 * len(model.bodies)}, condition {estimate.condition:.0f}")
print(f"rms error of the prediction {np.sqrt(np.mean((predicted - true) ** 2)):.4f} N m, of the measurements 0.2 N m")

figure, axes = plt.subplots(model.nv, sharex=True, figsize=(8, 7), layout="constrained")
for i, one in enumerate(axes):
    one.plot(t[:800], measured(x)[:, i], ".", ms=2, color="0.7", label="measured")
    one.plot(t[:800], predicted[:, i], label="predicted")
    one.set(ylabel=f"joint {i + 1} (N m)")
axes[0].set(title="Torques of a motion that was not used")
axes[0].legend(loc="lower right")
axes[-1].set(xlabel="time (s)")
figure.savefig("identify.png", dpi=120)
