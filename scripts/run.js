// Runs the script that the first argument names. Plain JavaScript, because an old Node refuses TypeScript unread.
import { existsSync, readFileSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { engines, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const missing = Object.keys(dependencies).filter(
  (name) => !existsSync(`${root}node_modules/${name}`),
)
const reason = process.features.typescript
  ? missing.length > 0 && `Lacewing lacks the packages ${missing.join(', ')}. Run npm ci.`
  : `Lacewing needs Node ${engines.node}, and this is ${process.version}. Run npm ci, without --ignore-scripts: it installs one that npm start uses.`

if (reason) {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
} else {
  // a third of a start would go into compiling the same code again; processes of this one inherit the variable
  process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/lacewing/compiled`
  modules.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  const [name] = process.argv.splice(2, 1)
  try {
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
