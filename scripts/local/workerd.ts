import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

/** Where Miniflare looks for the program of the runtime. */
const PROGRAM = 'MINIFLARE_WORKERD_PATH'
const WRAPPED_PROGRAM = 'LACEWING_WORKERD'

/**
 * Makes later runtimes of this process end with it, however it ends: by default they go on, with the port
 * and the data, when it is killed. On Windows the system ends the children of a process with it.
 */
export function endRuntimesWithProcess(): void {
  const wrapper = join(import.meta.dirname, 'workerd.sh')
  if (process.platform !== 'win32' && process.env[PROGRAM] !== wrapper) {
    const { [PROGRAM]: given, [WRAPPED_PROGRAM]: wrapped } = process.env
    // the wrapper of another checkout, which would start itself without end
    const isWrapper = given !== undefined && basename(given) === basename(wrapper)
    process.env[WRAPPED_PROGRAM] = (isWrapper ? wrapped : given) ?? locateWorkerd()
    process.env[PROGRAM] = wrapper
  }
}

/** The program that Miniflare runs by itself. */
export function locateWorkerd(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  const { default: program }: { default: string } = require('workerd')
  return program
}
