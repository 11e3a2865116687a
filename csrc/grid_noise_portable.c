/* SPDX-License-Identifier: MIT */
#define GRID_NOISE cydp_grid_noise_portable
#include "grid_noise.h"
