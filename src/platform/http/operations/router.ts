import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * hono's TrieRouter, because its faster one does not accept all patterns of this API. Matches of paths
 * without parameters are cached: they are the same for every request.
 */
export class CachingRouter<Handler> implements Router<Handler> {
  readonly name = 'CachingRouter'
  readonly #router = new TrieRouter<Handler>()
  readonly #literalPaths = new Set<string>()
  readonly #cache = new Map<string, Result<Handler>>()

  add(method: string, path: string, handler: Handler): void {
    this.#router.add(method, path, handler)
    this.#cache.clear()
    if (!/[:*]/.test(path)) {
      this.#literalPaths.add(path)
    }
  }

  match(method: string, path: string): Result<Handler> {
    const key = `${method} ${path}`
    const cached = this.#cache.get(key)
    if (cached !== undefined) {
      return cached
    }
    const match = this.#router.match(method, path)
    if (this.#literalPaths.has(path) && CACHED_METHODS.has(method)) {
      this.#cache.set(key, match)
    }
    return match
  }
}

/** Clients may send any method, so that a cache of all of them could grow without limit. */
const CACHED_METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
