/**
 * Writes the Worker as it is deployed into `dist/`, with source maps, and the files of its pages. wrangler runs it
 * before
 * each upload.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BUILD_FOLDER, bundleWorker } from './bundle.ts'
import { runCommand } from './command.ts'
import { PUBLIC_FOLDER, writeAssets } from './page-assets.ts'

runCommand(async () => {
  const files = await bundleWorker('deployed')
  mkdirSync(BUILD_FOLDER, { recursive: true })
  for (const { name, contents } of files) {
    writeFileSync(join(BUILD_FOLDER, name), contents)
  }
  await writeAssets(true)
  // wrangler uploads every module of the folder, old ones too
  const names = new Set([basename(PUBLIC_FOLDER), ...files.map(({ name }) => name)])
  for (const old of readdirSync(BUILD_FOLDER).filter((name) => !names.has(name))) {
    rmSync(join(BUILD_FOLDER, old), { recursive: true })
  }
})
