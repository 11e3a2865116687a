/* SPDX-License-Identifier: MIT
 *
 * Loops for vectors. */
#ifndef CYDP_BASE_INDEPENDENT_H
#define CYDP_BASE_INDEPENDENT_H

/* Stands before a loop none of whose iterations reads what another one writes; compilers
 * that cannot see this do not vectorise it. Arrays may be the same array. */
#ifdef __clang__
#define CYDP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CYDP_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif
