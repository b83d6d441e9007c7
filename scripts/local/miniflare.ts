import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const file = require.resolve('miniflare')
const url = pathToFileURL(file).href

/**
 * Lines of Miniflare, and what stands in their place. By itself it copies what it has of a configuration for each of
 * hundreds of modules, half a gigabyte in all and four tenths of the processor time of a start; and it waits for ever
 * for a runtime that ended while it was told its configuration, because a stream that is destroyed never finishes.
 */
export const CHANGES: readonly (readonly [line: string, better: string])[] = [
  ['MIN_SINGLE_SEGMENT_GROWTH = 4096', 'MIN_SINGLE_SEGMENT_GROWTH = 8388608'],
  [
    'await (0, import_node_events3.once)(runtimeProcess.stdin, "finish")',
    'await Promise.race([(0, import_node_events3.once)(runtimeProcess.stdin, "finish"), processExitPromise])',
  ],
]

const hooks = registerHooks({
  load(loadedUrl, context, next) {
    const loaded = next(loadedUrl, context)
    return loadedUrl === url ? { ...loaded, source: change(`${loaded.source}`) } : loaded
  },
})

/** Miniflare with these changes. */
// an import would scan the file for names and keep 30 MB for that
export const MINIFLARE: typeof import('miniflare') = require(file)

hooks.deregister()

function change(source: string): string {
  return CHANGES.reduce((changed, [line, better]) => changed.replace(line, () => better), source)
}
