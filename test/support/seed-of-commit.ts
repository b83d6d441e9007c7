import { spawnSync } from 'node:child_process'

/**
 * The seed of the random worlds of a run: another one for each commit, so that the worlds vary, and the same for
 * one commit, so that what was green once stays green. `VISIBILITY_SEED` replaces it.
 */
export function seedOfCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' })
  const seed = Number.parseInt(stdout ?? '', 16)
  return String(seed > 0 ? seed : 1)
}
