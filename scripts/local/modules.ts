import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identifyBuild } from '../build-version.ts'
import { ROOT } from '../wrangler.ts'

/** A module as the runtime takes it. */
export type WorkerModule = { type: 'ESModule'; path: string; contents: string }

type Bundle = { digest: string; modules: WorkerModule[]; assets: string[] }

/** What a bundle is made of, and what changes with the installed packages. */
const SOURCES = [
  'src/**/*.*',
  'docs/**/*.md',
  'scripts/{bundle,documentation-texts,page-assets,virtual-module}.ts',
  'node_modules/.package-lock.json',
  '{package-lock,tsconfig}.json',
]

/** `npm ci` deletes it. */
const FOLDER = join(ROOT, 'node_modules/.cache/lacewing')

/**
 * The modules of the Worker; the files of its pages are written beside. Both are made anew when a source, a package or
 * the version has changed, because that takes half of a start. Throws a CommandError when the build fails.
 */
export async function loadModules(
  form: 'deployed' | 'readable',
  digest = digestSources(),
): Promise<WorkerModule[]> {
  const file = join(FOLDER, `${form}.json`)
  const known = readBundle(file)
  if (known?.digest === digest && known.assets.every((path) => existsSync(join(ROOT, path)))) {
    return known.modules
  }
  const { writeAssets } = await import('../page-assets.ts')
  const { bundleWorker, toModules } = await import('../bundle.ts')
  const assets = await writeAssets(false)
  const modules = toModules(await bundleWorker(form)).map((module) => ({
    ...module,
    contents: Buffer.from(module.contents).toString(),
  }))
  writeBundle(file, { digest, modules, assets })
  return modules
}

/** Tells other sources of a bundle from those that it was made of. */
export function digestSources(): string {
  const hash = createHash('sha256').update(identifyBuild())
  for (const name of globSync(SOURCES, { cwd: ROOT }).sort()) {
    const contents = readFileSync(join(ROOT, name))
    hash.update(`\n${name} ${contents.length}\n`).update(contents)
  }
  return hash.digest('hex')
}

function readBundle(file: string): Bundle | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Bundle
  } catch {
    return null
  }
}

/** In one step, because several servers may start at once. */
function writeBundle(file: string, bundle: Bundle): void {
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(bundle))
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // in a folder that is read-only, each start makes its own
  }
}
