import { spawnSync } from 'node:child_process'

/**
 * The seed of the random worlds of a run. It is that of the commit: worlds vary, and a green commit stays
 * green. `VISIBILITY_SEED` replaces it.
 */
export function seedOfCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' })
  const seed = Number.parseInt(stdout ?? '', 16)
  return String(seed > 0 ? seed : 1)
}
