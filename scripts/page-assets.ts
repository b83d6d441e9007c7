import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { CommandError } from './command.ts'
import { virtualModule } from './virtual-module.ts'
import { ROOT } from './wrangler.ts'

/** Where the platform, and the local server in its place, find what pages load. */
export const PUBLIC_FOLDER = join(ROOT, 'dist/public')

const SOURCES = ['style.css', 'patch.css', 'script.js', 'icon.svg']

/** For every path, because names carry a digest of the content. */
const HEADERS = `/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
`

export const assetsModule = virtualModule('lacewing:assets', async () => {
  const paths = Object.fromEntries(
    (await buildAssets()).map(({ name }) => [name.replace(/-.*$/, ''), `/assets/${name}`]),
  )
  return `export const assets = ${JSON.stringify(paths)}`
})

/** Writes the files of pages, and deletes those of other contents if `isAlone`. Returns their paths below the root. */
export async function writeAssets(isAlone: boolean): Promise<string[]> {
  const folder = join(PUBLIC_FOLDER, 'assets')
  const files = await buildAssets()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(PUBLIC_FOLDER, '_headers'), HEADERS)
  for (const { name, contents } of files) {
    writeFileSync(join(folder, name), contents)
  }
  const names = new Set(files.map(({ name }) => name))
  for (const old of readdirSync(folder).filter((name) => isAlone && !names.has(name))) {
    rmSync(join(folder, old))
  }
  return [...names].map((name) => relative(ROOT, join(folder, name)))
}

async function buildAssets(): Promise<{ name: string; contents: Uint8Array }[]> {
  // a start that bundles nothing does not load it
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: SOURCES.map((name) => `src/edges/pages/assets/${name}`),
    outdir: PUBLIC_FOLDER,
    entryNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox120', 'safari17'],
    write: false,
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw new CommandError(`The files of the pages do not build.\n${error.message}`)
  })
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
}
