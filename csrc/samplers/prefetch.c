/* SPDX-License-Identifier: MIT
 * Arrays of noise, each drawn by a thread while the caller works. docs/samplers.md, "Array
 * by array".
 *
 * All prefetches are in one list, so that a fork finds their threads: it stops them, wipes
 * what they drew, and keeps the prefetches locked until it is done. */
#include "samplers/prefetch.h"
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "generator/forks.h"
#include "generator/owned_pages.h"
#include "samplers/sampler.h"

#include <stdlib.h>
#include <string.h>

static _Atomic(uint64_t) list_lock; /* see cydp_owner_lock */
static cydp_prefetch *list;
static bool watches_forks;

static size_t value_bytes(const cydp_prefetch *prefetch) {
  return prefetch->n * cydp_sampler_value_bytes(prefetch->sampler);
}

static cydp_large_fill next_fill(const cydp_prefetch *prefetch, void *out) {
  return (cydp_large_fill){prefetch->sampler, &prefetch->ahead->key, prefetch->work_mode,
                           out, prefetch->n};
}

/* Parts are begun in their order. */
static cydp_status draw_part(void *self, size_t i) {
  const cydp_prefetch *prefetch = self;
  cydp_large_fill fill = next_fill(prefetch, prefetch->ahead->values);
  atomic_fetch_add(&prefetch->ahead->begun, 1);
  if (atomic_load(&prefetch->ahead->stop))
    return CYDP_ERROR_UNDECIDED; /* ends the loop; nobody reads it */
  return cydp_fill_part(&fill, i);
}

static void draw(void *self) {
  const cydp_prefetch *prefetch = self;
  cydp_large_fill fill = next_fill(prefetch, prefetch->ahead->values);
  prefetch->ahead->status =
      cydp_parallel_for(draw_part, self, cydp_fill_parts(&fill), prefetch->threads);
}

static void wipe_values(cydp_prefetch *prefetch) {
  cydp_ahead *ahead = prefetch->ahead;
  cydp_large_fill fill = next_fill(prefetch, ahead->values);
  size_t begun = atomic_exchange(&ahead->begun, 0);
  if (begun < cydp_fill_parts(&fill))
    fill.n = begun * cydp_fill_part_values(&fill);
  cydp_wipe(ahead->values, fill.n * cydp_sampler_value_bytes(fill.sampler));
}

/* Reads the key of the next array and starts to draw it. If there is no thread, the array
 * is drawn when it is asked for; if there is no key, the key is read then, too. */
static void begin(cydp_prefetch *prefetch) {
  cydp_ahead *ahead = prefetch->ahead;
  if (prefetch->n <= CYDP_SMALL_CALL)
    return;
  ahead->keyed = cydp_rng_key(prefetch->rng, &ahead->key) == CYDP_OK;
  ahead->drawing = ahead->keyed && cydp_thread_start(&ahead->thread, draw, prefetch);
}

static void wipe(cydp_prefetch *prefetch) {
  cydp_ahead *ahead = prefetch->ahead;
  ahead->drawing = ahead->keyed = false;
  cydp_wipe(&ahead->key, sizeof ahead->key);
  wipe_values(prefetch);
}

/* Ends the drawing and wipes what was drawn; where nothing is drawn, values are wiped. */
static void stop(cydp_prefetch *prefetch) {
  cydp_ahead *ahead = prefetch->ahead;
  if (!ahead->keyed)
    return;
  if (ahead->drawing) {
    atomic_store(&ahead->stop, true);
    cydp_thread_join(&ahead->thread);
    atomic_store(&ahead->stop, false);
  }
  wipe(prefetch);
}

/* A forked child whose pages were not wiped finds its parent's. */
static void lock(cydp_prefetch *prefetch) {
  cydp_ahead *ahead = prefetch->ahead;
  uint64_t owner = cydp_owner(prefetch->wiped);
  cydp_owner_lock(&ahead->lock, owner);
  if (ahead->owner != owner) {
    if (ahead->owner != 0)
      wipe(prefetch);
    ahead->owner = owner;
  }
}

/* Returns false in a child that a raw clone has made since `lock`. After a fork, the child's
 * locks are its parent's, and free: see cydp_owner_lock. */
static bool unlock(cydp_prefetch *prefetch) {
  return cydp_owner_unlock(&prefetch->ahead->lock, cydp_owner(prefetch->wiped));
}

static void lock_list(void) { cydp_owner_lock(&list_lock, cydp_process_id()); }

static void unlock_list(void) { (void)cydp_owner_unlock(&list_lock, cydp_process_id()); }

static void before_fork(void) {
  lock_list();
  for (cydp_prefetch *each = list; each; each = each->next) {
    lock(each);
    stop(each);
  }
}

static void after_fork(void) {
  for (cydp_prefetch *each = list; each; each = each->next)
    unlock(each);
  unlock_list();
}

/* A child that runs no fork handlers may find any state of the list: each is whole. */
static cydp_status enlist(cydp_prefetch *prefetch) {
  cydp_status status = CYDP_OK;
  lock_list();
  if (!watches_forks)
    status = cydp_around_forks(before_fork, after_fork);
  if (status == CYDP_OK) {
    watches_forks = true;
    prefetch->next = list;
    list = prefetch;
  }
  unlock_list();
  return status;
}

static void delist(const cydp_prefetch *prefetch) {
  lock_list();
  cydp_prefetch **link = &list;
  while (*link != prefetch)
    link = &(*link)->next;
  *link = prefetch->next;
  unlock_list();
}

cydp_status cydp_prefetch_new(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                              cydp_work_mode work_mode, unsigned threads,
                              cydp_prefetch **out) {
  if (n > PTRDIFF_MAX / 2 / sizeof(int64_t))
    return CYDP_ERROR_MEMORY;
  cydp_prefetch *prefetch = malloc(sizeof *prefetch);
  if (!prefetch)
    return CYDP_ERROR_MEMORY;
  void *pages;
  *prefetch = (cydp_prefetch){
      .sampler = sampler, .n = n, .rng = rng, .work_mode = work_mode, .threads = threads};
  size_t bytes = sizeof *prefetch->ahead + value_bytes(prefetch);
  cydp_status status = cydp_owned_pages_new(bytes, &pages, &prefetch->wiped);
  if (status != CYDP_OK) {
    free(prefetch);
    return status;
  }
  prefetch->ahead = pages;
  status = enlist(prefetch);
  if (status != CYDP_OK) {
    cydp_owned_pages_free(pages, bytes, 0);
    free(prefetch);
    return status;
  }
  lock(prefetch);
  begin(prefetch);
  unlock(prefetch);
  *out = prefetch;
  return CYDP_OK;
}

/* The values are wiped; to write zeros over all of them would fault in pages that were
 * never used. */
static void free_pages(cydp_prefetch *prefetch) {
  cydp_owned_pages_free(prefetch->ahead, sizeof *prefetch->ahead + value_bytes(prefetch),
                        sizeof *prefetch->ahead);
}

void cydp_prefetch_free(cydp_prefetch *prefetch) {
  if (!prefetch)
    return;
  cydp_prefetch_drop(prefetch);
  delist(prefetch);
  free_pages(prefetch);
  free(prefetch);
}

/* Sets out to the array that the thread draws. */
static cydp_status finish(cydp_prefetch *prefetch, void *out) {
  cydp_ahead *ahead = prefetch->ahead;
  cydp_thread_join(&ahead->thread);
  if (ahead->status == CYDP_OK)
    memcpy(out, ahead->values, value_bytes(prefetch));
  return ahead->status;
}

/* Draws it now. */
static cydp_status draw_now(cydp_prefetch *prefetch, void *out) {
  cydp_large_fill fill = next_fill(prefetch, out);
  cydp_status status = CYDP_OK;
  if (!prefetch->ahead->keyed)
    status = cydp_rng_key(prefetch->rng, &prefetch->ahead->key);
  if (status == CYDP_OK)
    status = cydp_parallel_for(cydp_fill_part, &fill, cydp_fill_parts(&fill),
                               prefetch->threads);
  return status;
}

cydp_status cydp_prefetch_next(cydp_prefetch *prefetch, void *out) {
  if (prefetch->n <= CYDP_SMALL_CALL)
    return cydp_sampler_fill(prefetch->sampler, prefetch->n, prefetch->rng,
                             prefetch->work_mode, 1, out);
  lock(prefetch);
  cydp_status status =
      prefetch->ahead->drawing ? finish(prefetch, out) : draw_now(prefetch, out);
  begin(prefetch);
  if (!prefetch->ahead->drawing) /* else the next array is written over this one */
    wipe_values(prefetch);
  bool held = unlock(prefetch);
  return status == CYDP_OK && !held ? CYDP_ERROR_FORKED : status;
}

void cydp_prefetch_drop(cydp_prefetch *prefetch) {
  lock(prefetch);
  stop(prefetch);
  cydp_owned_pages_discard(prefetch->ahead->values, value_bytes(prefetch));
  unlock(prefetch);
}
