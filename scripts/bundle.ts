import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join, matchesGlob } from 'node:path'
import { Complaint } from './complaint.ts'
import { wrangler } from './wrangler.ts'

export type BundledFile = { name: string; contents: Uint8Array<ArrayBuffer> }

export type ModuleRule = { type: string; include: string[] }

/**
 * The files of the Worker, made by wrangler's own bundler: as they would be deployed, or `readable`, with
 * the names and lines that stack traces tell. Throws a complaint with the bundler's words when the code
 * does not build.
 */
export async function bundleWorker(form: 'deployed' | 'readable'): Promise<BundledFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const flags = form === 'readable' ? ['--no-minify'] : []
  try {
    const { ok, stdout, stderr } = await wrangler(
      'deploy',
      '--dry-run',
      '--outdir',
      folder,
      ...flags,
    )
    if (!ok) {
      throw new Complaint(`The Worker does not build.\n${stdout}${stderr}`)
    }
    return readdirSync(folder).map((name) => ({
      name,
      contents: new Uint8Array(readFileSync(join(folder, name))),
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The files as the runtime's modules: the script made of `main` first, behind it what it imports, typed
 * by wrangler's rules. Source maps and notes that lie beside them are left out.
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
