import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join, matchesGlob } from 'node:path'
import { CommandError } from './command.ts'
import { runWrangler } from './wrangler.ts'

export type BundledFile = { name: string; contents: Uint8Array<ArrayBuffer> }

export type ModuleRule = { type: string; include: string[] }

/**
 * Bundles the Worker with wrangler: minified as for a deployment, or `readable`, with useful names and
 * lines in stack traces. Works in a folder below `temporary`, which it deletes. Throws a CommandError with the
 * output of the bundler when the build fails.
 */
export async function bundleWorker(
  form: 'deployed' | 'readable',
  temporary = tmpdir(),
): Promise<BundledFile[]> {
  mkdirSync(temporary, { recursive: true })
  const folder = mkdtempSync(join(temporary, 'lacewing-'))
  const flags = form === 'readable' ? ['--no-minify'] : []
  try {
    const { ok, stdout, stderr } = await runWrangler(
      'deploy',
      '--dry-run',
      '--outdir',
      folder,
      ...flags,
    )
    if (!ok) {
      throw new CommandError(`The Worker does not build.\n${stdout}${stderr}`)
    }
    // source maps are several times as large as the code, and the local runtime does not use them
    const names = readdirSync(folder).filter((name) => !name.endsWith('.map'))
    return names.map((name) => ({
      name,
      contents: new Uint8Array(readFileSync(join(folder, name))),
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Turns the files into modules of the runtime: the script of `main` first, then its imports, with the types
 * of wrangler's rules. Source maps and other files are left out.
 */
export function toModules(files: BundledFile[], main: string, rules: ModuleRule[]) {
  const entry = `${basename(main, extname(main))}.js`
  const typed = files.flatMap(({ name, contents }) => {
    const rule = rules.find(({ include }) => include.some((glob) => matchesGlob(name, glob)))
    const type = name === entry ? 'ESModule' : rule?.type
    return type === undefined ? [] : [{ type, path: name, contents }]
  })
  return typed.sort((a, b) => Number(b.path === entry) - Number(a.path === entry))
}
