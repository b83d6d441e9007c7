import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild'
import { readBuildVersion } from './build-version.ts'
import { CommandError } from './command.ts'
import { documentationModule } from './documentation-texts.ts'
import { assetsModule } from './page-assets.ts'
import { ROOT } from './wrangler.ts'

export type BundledFile = {
  name: string
  contents: Uint8Array<ArrayBuffer>
  /** Whether the entry imports it, itself or through others; what only `import()` names waits for its first use. */
  isNeededAtStart: boolean
}

/** The module that the runtime starts; it is the first of the files of a bundle. */
export const ENTRY = 'worker.mjs'

/** Where wrangler finds what it uploads. */
export const BUILD_FOLDER = join(ROOT, 'dist')

const BUILD = readBuildVersion()

const RUNTIME: BuildOptions = {
  // of packages with code for several places, that for Workers
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  define: {
    ...(BUILD && {
      BUILD_VERSION: JSON.stringify(BUILD.version),
      BUILD_COMMIT: JSON.stringify(BUILD.commit),
    }),
    'process.env.NODE_ENV': '"production"',
    'navigator.userAgent': '"Cloudflare-Workers"',
  },
}

/**
 * Bundles the Worker into modules of JavaScript, the entry first: minified and with source maps as for a
 * deployment, or `readable`, with useful names and lines in stack traces. What the code loads by `import()` becomes a
 * module of its own. Only one bundle can be made at a time. Throws a CommandError with the output of the bundler when
 * the build fails.
 */
export async function bundleWorker(form: 'deployed' | 'readable'): Promise<BundledFile[]> {
  const isDeployed = form === 'deployed'
  try {
    const { outputFiles, metafile } = await build({
      ...RUNTIME,
      absWorkingDir: ROOT,
      entryPoints: ['src/worker.ts'],
      outdir: BUILD_FOLDER,
      chunkNames: '[name]-[hash]',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2024',
      minify: isDeployed,
      // several times as large as the code, and the local runtime does not use them
      sourcemap: isDeployed,
      plugins: [requiredBuiltins, documentationModule.forBundler, assetsModule.forBundler],
      jsx: 'automatic',
      jsxImportSource: 'hono/jsx',
      metafile: true,
      write: false,
      logLevel: 'silent',
    })
    const needed = findNeededAtStart(metafile)
    return outputFiles
      .map(({ path, contents }) => {
        const name = basename(path)
        return { name, contents: new Uint8Array(contents), isNeededAtStart: needed.has(name) }
      })
      .sort((a, b) => Number(b.name === ENTRY) - Number(a.name === ENTRY))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The Worker does not build.\n${reason}`)
  } finally {
    // the process of the bundler would keep its memory
    await stop()
  }
}

/** Turns the files into modules of the runtime, without source maps. */
export function toModules(files: readonly BundledFile[]) {
  return files
    .filter(({ name }) => name.endsWith('.mjs'))
    .map(({ name, contents }) => ({ type: 'ESModule' as const, path: name, contents }))
}

/** Packages in CommonJS `require` modules of Node, which the runtime has for import statements only. */
const requiredBuiltins: Plugin = {
  name: 'required-builtins',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(node:)?(${builtinModules.join('|')})$`)
    onResolve({ filter }, ({ path, kind }) => {
      const name = path.startsWith('node:') ? path : `node:${path}`
      return kind === 'require-call'
        ? { path: name, namespace: 'required-builtin' }
        : { path: name, external: true }
    })
    onLoad({ filter: /^/, namespace: 'required-builtin' }, ({ path }) => ({
      contents: `import builtin from ${JSON.stringify(path)}\nmodule.exports = builtin`,
    }))
  },
}

/** The names of the entry and of all that it reaches by import statements. */
function findNeededAtStart({ outputs }: Metafile): Set<string> {
  const found = new Set([`${basename(BUILD_FOLDER)}/${ENTRY}`])
  for (const path of found) {
    for (const { kind, path: next, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) {
        found.add(next)
      }
    }
  }
  return new Set([...found].map((path) => basename(path)))
}
