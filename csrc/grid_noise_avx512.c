/* SPDX-License-Identifier: MIT */
#define GRID_NOISE cydp_grid_noise_avx512
#include "grid_noise.h"
