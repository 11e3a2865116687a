/* SPDX-License-Identifier: MIT */
#include "mechanisms/kernels.h"

#define GRID_NOISE cydp_grid_noise_avx512
#include "mechanisms/grid_noise_lanes.h"
