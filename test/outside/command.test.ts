import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const PRINTER = `import('./scripts/command.ts').then(({ runCommand }) => runCommand(async () => {
  for await (const _ of process.stdin);
  await new Promise((written) => process.stdout.write('to nobody', written))
  process.stderr.write('done')
}))`

test('a command does its work to the end when what reads its output has ended before it', async () => {
  const child = spawn(process.execPath, ['-e', PRINTER], { cwd: root })
  child.stdout.destroy()
  child.stdin.end()
  const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ complaints, code }).toEqual({ complaints: 'done', code: 0 })
})
