import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const file = require.resolve('miniflare')
const url = pathToFileURL(file).href

/** By how many bytes the buffer of a configuration grows: as installed, and more than the whole needs. */
export const [GROWTH, LARGE_GROWTH] = ['4096', '8388608'].map(
  (bytes) => `MIN_SINGLE_SEGMENT_GROWTH = ${bytes}`,
) as [string, string]

const hooks = registerHooks({
  load(loadedUrl, context, next) {
    const loaded = next(loadedUrl, context)
    const isIt = loadedUrl === url && loaded.source
    return isIt ? { ...loaded, source: `${loaded.source}`.replace(GROWTH, LARGE_GROWTH) } : loaded
  },
})

/**
 * Miniflare with room for a whole configuration. By itself it copies what it has of one for each of hundreds of
 * modules, half a gigabyte in all: four tenths of the processor time of a start.
 */
// an import would scan the file for names and keep 30 MB for that
export const MINIFLARE: typeof import('miniflare') = require(file)

hooks.deregister()
