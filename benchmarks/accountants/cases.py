"""Plans that were published, or are like published ones, each with its source."""

from collections.abc import Sequence
from typing import NamedTuple


class Item(NamedTuple):
    """Releases of one kind. All accountants read it; sensitivities are 1.

    `number` is sigma of Gaussian noise, else epsilon. `share`, a fraction as text, is the
    probability of a row to be in the sample of a release; `categories` are those of a response.
    """

    kind: str
    number: float
    count: int
    share: str = "1"
    categories: int = 2


class Case(NamedTuple):
    """A plan, what it is, where it stands, and the epsilon that stands there, if one does."""

    title: str
    source: str
    delta: float
    items: Sequence[Item]
    published: float | None = None


def sgd(sigma: float, share: str, steps: int) -> list[Item]:
    return [Item("gaussian", sigma, steps, share)]


_TUTORIAL = "TensorFlow Privacy, README of its tutorials"
_OPACUS = "Opacus, README of its MNIST example"
_DE = "De et al. 2022, arXiv:2204.13650; jax_privacy, experiments/image_classification/configs"
CASES = {
    "abadi": Case(
        "DP-SGD, sigma 4, 1 % of the rows, 10^4 steps", "Abadi et al. 2016, arXiv:1607.00133", 1e-5,
        sgd(4, "1/100", 10_000), 1.26,
    ),
    "tutorial": Case(
        "DP-SGD, MNIST, sigma 1.12, 256 of 60,000 rows, 14,062 steps", _TUTORIAL, 1e-5,
        sgd(1.12, "256/60000", 14_062), 2.92,
    ),
    "tutorial, less noise": Case(
        "DP-SGD, MNIST, sigma 0.6, 256 of 60,000 rows, 7,031 steps", _TUTORIAL, 1e-5,
        sgd(0.6, "256/60000", 7_031), 9.74,
    ),
    "opacus": Case(
        "DP-SGD, MNIST, sigma 1.3, 0.4 % of the rows, 3,750 steps", _OPACUS, 1e-5,
        sgd(1.3, "1/250", 3_750), 1.19,
    ),
    "opacus, less noise": Case(
        "DP-SGD, MNIST, sigma 0.7, 0.4 % of the rows, 11,250 steps", _OPACUS, 1e-5,
        sgd(0.7, "1/250", 11_250), 7.10,
    ),
    "cifar": Case(
        "DP-SGD, CIFAR-10, sigma 10, 4,096 of 50,000 rows, 725 steps", _DE, 1e-5,
        sgd(10, "4096/50000", 725), 1.0,
    ),
    "imagenet": Case(
        "DP-SGD, ImageNet, sigma 2.5, 16,384 of 1,281,167 rows, 71,589 steps", _DE, 8e-7,
        sgd(2.5, "16384/1281167", 71_589), 8.0,
    ),
    "prv": Case(
        "DP-SGD, sigma 0.8, 0.5 % of the rows, 1,000 steps", "prv_accountant, README", 1e-6,
        sgd(0.8, "1/200", 1_000),
    ),
    "census": Case(
        "6 discrete Gaussian releases of rho 2.56 together, one for each geographic level",
        "like the 2020 Census redistricting data, persons: Abowd et al. 2022, arXiv:2204.08986",
        1e-10, [Item("discrete gaussian", 1.0825318, 6)], 17.14,
    ),
    "gboard": Case(
        "one Gaussian release of rho 0.81", "like Gboard's Spanish model: Deployments Registry",
        1e-10, [Item("gaussian", 0.785675, 1)], 8.9,
    ),
    "wikimedia": Case(
        "one discrete Gaussian release of rho 0.015",
        "like Wikimedia's page views by country: analytics.wikimedia.org/published/datasets", 1e-7,
        [Item("discrete gaussian", 5.773503, 1)],
    ),
    "mobility": Case(
        "30 days of 6 Laplace releases of epsilon 0.44",
        "like Google's mobility reports: Aktay et al. 2020, arXiv:2004.04145", 1e-6,
        [Item("laplace", 0.44, 180)],
    ),
    "gaussians": Case(
        "10^6 Gaussian releases of sigma 1,000", "none", 1e-6, [Item("gaussian", 1000, 10**6)]
    ),
    "geometric": Case(
        "500 discrete Laplace releases of epsilon 0.05", "none", 1e-6,
        [Item("discrete laplace", 0.05, 500)],
    ),
    "responses": Case(
        "100 randomized responses of epsilon 0.5", "none", 1e-6, [Item("response", 0.5, 100)]
    ),
    "categories": Case(
        "30 randomized responses of epsilon 1 on 100 categories", "none", 1e-6,
        [Item("response", 1, 30, categories=100)],
    ),
    "sampled laplace": Case(
        "1,000 Laplace releases of epsilon 1, each on 1 % of the rows", "none", 1e-6,
        [Item("laplace", 1, 1_000, "1/100")],
    ),
    "mixed": Case(
        "10 Gaussian releases of sigma 5, 20 Laplace of epsilon 0.05, 10 discrete Laplace of 0.1",
        "none", 1e-6,
        [Item("gaussian", 5, 10), Item("laplace", 0.05, 20), Item("discrete laplace", 0.1, 10)],
    ),
    "training and counts": Case(
        "the MNIST tutorial's steps, and 50 discrete Gaussian counts of sigma 20", "none", 1e-5,
        [*sgd(1.12, "256/60000", 14_062), Item("discrete gaussian", 20, 50)],
    ),
}  # fmt: skip
