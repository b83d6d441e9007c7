import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * hono's router for patterns like ours, which its faster one refuses. What it finds for a path without
 * parameters is kept: that is the same for every request.
 */
export class KeepingRouter<Handler> implements Router<Handler> {
  readonly name = 'KeepingRouter'
  readonly #patterns = new TrieRouter<Handler>()
  readonly #literals = new Set<string>()
  readonly #kept = new Map<string, Result<Handler>>()

  add(method: string, path: string, handler: Handler): void {
    this.#patterns.add(method, path, handler)
    this.#kept.clear()
    if (!/[:*]/.test(path)) {
      this.#literals.add(path)
    }
  }

  match(method: string, path: string): Result<Handler> {
    const name = `${method} ${path}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      return kept
    }
    const found = this.#patterns.match(method, path)
    if (this.#literals.has(path) && METHODS.has(method)) {
      this.#kept.set(name, found)
    }
    return found
  }
}

/** Others are made up by who asks, and there is no end to them. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
