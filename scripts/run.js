// Runs the script that the first argument names. Plain JavaScript of 2020, because an old Node refuses what is newer
// unread.
import { readFileSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { engines, dependencies } = readPackage('')

function readPackage(folder) {
  return JSON.parse(readFileSync(`${root}${folder}package.json`, 'utf8'))
}

function installedVersion(name) {
  try {
    return readPackage(`node_modules/${name}/`).version
  } catch {
    return null
  }
}

/** What the user has to do first, or null. */
function findObstacle() {
  if (!process.features.typescript) {
    return `Lacewing needs Node ${engines.node}, and this is ${process.version}. Run npm ci, without --ignore-scripts: it installs one that npm start uses.`
  }
  const names = Object.keys(dependencies)
  const missing = names.filter((name) => installedVersion(name) === null)
  if (missing.length > 0) {
    return `Lacewing lacks the packages ${missing.join(', ')}. Run npm ci.`
  }
  const others = names.filter((name) => installedVersion(name) !== dependencies[name])
  return others.length > 0
    ? `Lacewing needs other versions of ${others.join(', ')} than are installed. Run npm ci.`
    : null
}

const obstacle = findObstacle()
if (obstacle !== null) {
  process.stderr.write(`${obstacle}\n`)
  process.exitCode = 1
} else {
  // a third of a start would go into compiling the same code again; processes of this one inherit the variable
  const cache = process.env.NODE_COMPILE_CACHE ?? `${root}node_modules/.cache/lacewing/compiled`
  process.env.NODE_COMPILE_CACHE = cache
  modules.enableCompileCache(cache)
  const [name] = process.argv.splice(2, 1)
  try {
    await import('./drizzle-imports.js')
    await import(`./${name}.ts`)
  } catch (error) {
    const [, left] = /^Cannot find package '(.+?)'/.exec(error.message) ?? []
    if (left === undefined) {
      throw error
    }
    process.stderr.write(
      `This command needs the package ${left}, which npm ci --omit=dev leaves out. Run npm ci.\n`,
    )
    process.exitCode = 1
  }
}
