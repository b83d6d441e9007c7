import type { Plugin } from 'esbuild'

/** A module that is made while the Worker is bundled or tested, for either of these. */
export function virtualModule(name: string, write: () => string | Promise<string>) {
  const id = `\0${name}`
  const forBundler: Plugin = {
    name,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }))
      onLoad({ filter: /^/, namespace: name }, async () => ({ contents: await write() }))
    },
  }
  // the test runner loads the sources themselves
  const forTests = {
    name,
    resolveId: (asked: string) => (asked === name ? id : undefined),
    load: (asked: string) => (asked === id ? write() : undefined),
  }
  return { forBundler, forTests }
}
