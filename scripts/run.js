// Runs the script that the first argument names. Plain JavaScript, because an old Node refuses TypeScript unread.
import { readFileSync } from 'node:fs'

if (process.features.typescript) {
  const [name] = process.argv.splice(2, 1)
  await import(`./${name}.ts`)
} else {
  const file = new URL('../package.json', import.meta.url)
  const { engines } = JSON.parse(readFileSync(file, 'utf8'))
  process.stderr.write(
    `Lacewing needs Node ${engines.node}, and this is ${process.version}. Run npm ci, which installs one that npm start uses.\n`,
  )
  process.exitCode = 1
}
