"""DP-SGD for a small neural network, in numpy: one hidden layer, and what it gains.

python examples/dp_sgd_network.py

It answers the question of dp_sgd.py, with the same samples, clip and plan: only the gradient of a
row is another one. docs/teach/dp_sgd.md explains each step.
"""

import numpy as np
from dp_sgd import CLIP, DELTA, NOISE, ONE, SHARE, SIGMOID, STEPS, read_people, train

import cydp
from cydp.sampling import Sampled

FEATURES, HIDDEN = 6, 8
PARAMETERS = FEATURES * HIDDEN + HIDDEN + 1


def first_weights() -> np.ndarray:
    """Return small random weights: a network of zeros would have equal hidden units for ever."""
    random = np.random.default_rng(1)  # public, and no row has a part in it
    return np.rint(random.normal(0, 0.5, PARAMETERS) * ONE).astype(np.int64)


def layers(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of the hidden layer, (features, hidden), and of the output."""
    return weights[: FEATURES * HIDDEN].reshape(FEATURES, HIDDEN), weights[FEATURES * HIDDEN :]


def gradients_of(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the gradient of each row's log loss by all weights, as integers.

    All weights are one vector of PARAMETERS entries, so that a row is clipped as a whole. Integers
    are in units of 1 / ONE for features, weights and units, and of 1 / ONE**2 for gradients.
    """
    hidden_weights, output_weights = layers(weights)
    below = (x @ hidden_weights) // ONE
    units = np.pad(np.maximum(below, 0), ((0, 0), (0, 1)), constant_values=ONE)  # and a constant
    logits = (units @ output_weights) // (ONE * ONE // 64)
    missed = y * ONE - SIGMOID[np.clip(logits, -8 * 64, 8 * 64) + 8 * 64]
    back = missed[:, None] * output_weights[:-1] // ONE * (below > 0)
    of_hidden = x[:, :, None] * back[:, None, :]
    return np.concatenate([of_hidden.reshape(len(x), -1), missed[:, None] * units], axis=1)


def logits_of(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return what trained weights say of each row, above 0 for more than 20,000."""
    hidden_weights, output_weights = layers(weights)
    units = np.maximum(x / ONE @ hidden_weights, 0)
    return units @ output_weights[:-1] + output_weights[-1]


def noise_of(multiplier: int) -> cydp.Gaussian:
    """Return the noise of a step: no row moves the sum by more than CLIP, in L2 norm."""
    return cydp.Gaussian(sigma=multiplier * CLIP, sensitivity=CLIP, coordinates=PARAMETERS)


def compare(noise: cydp.Gaussian, rng: cydp.Generator) -> dict[str, float]:
    """Train both models, with and without noise, and return accuracies on held-out people."""
    x, y = read_people()
    held_out = rng.bernoulli("1/5", len(x))  # row by row, so that no row moves another
    rows, test = (x[~held_out], y[~held_out]), x[held_out]
    network = {"start": first_weights(), "gradients_of": gradients_of}
    logits = {
        "network, private": logits_of(train(*rows, noise, rng, **network), test),
        "network, not private": logits_of(train(*rows, None, rng, **network), test),
        "logistic regression, private": test @ train(*rows, noise, rng),
        "logistic regression, not private": test @ train(*rows, None, rng),
    }
    return {name: float(np.mean((each > 0) == y[held_out])) for name, each in logits.items()}


def main(rng: cydp.Generator | None = None) -> dict[str, float]:
    """Print what both models cost and how often they are right, and return these shares."""
    noise = noise_of(NOISE)
    one, both = (cydp.Plan([(Sampled(noise, SHARE), count)]) for count in (STEPS, 2 * STEPS))
    # Both models read the same rows, so both are paid, before any is read.
    budget = cydp.PrivacyFilter(cydp.ApproxDP(1.5, DELTA, relation="add-remove"))
    budget.charge(both.as_loss(DELTA))
    found = compare(noise, rng or cydp.Generator())
    print(f"{PARAMETERS} weights, {STEPS} steps: epsilon {one.epsilon(DELTA):.3g} at delta {DELTA}")
    print(f"both models together: epsilon {both.epsilon(DELTA):.3g}")
    # To publish an accuracy would cost, as any number does (cydp.count). This is for the lesson.
    for name, share in found.items():
        print(f"accuracy on other people, {name}: {share:.1%}")
    return found


if __name__ == "__main__":
    main()
