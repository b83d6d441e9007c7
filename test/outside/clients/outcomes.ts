import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const PAGE = join(import.meta.dirname, '../../../docs/clients.md')

/** Registers the test of a command of a client; what stands in the table is `works`, or a known `limit` of it. */
export type TestCommand = (
  command: string,
  run: () => unknown,
  options?: { readonly limit?: string },
) => void

/**
 * Describes a client by the commands that it is tested with. The outcome of each is a row of docs/clients.md, and
 * the last test compares these rows with that page. A client that is not installed is skipped, except in CI.
 */
export function describeClient(
  client: string,
  isInstalled: boolean,
  describeCommands: (testCommand: TestCommand) => void,
): void {
  if (!isInstalled) {
    process.stderr.write(`${client} is not installed: its tests are skipped, except in CI.\n`)
  }
  describe.skipIf(!isInstalled && process.env.CI !== 'true')(client, () => {
    const outcomes = new Map<string, string>()
    describeCommands((command, run, { limit } = {}) => {
      outcomes.set(command, 'not tried')
      test(command, async () => {
        outcomes.set(command, '**fails**')
        await run()
        outcomes.set(command, limit ?? 'works')
      })
    })
    const folder = process.env.CLIENT_OUTCOMES
    if (folder === undefined) {
      test('is in docs/clients.md with exactly these outcomes (npm run clients)', () => {
        const tried = [...outcomes].filter(([, outcome]) => outcome !== 'not tried')
        const rows = readRows(client)
        expect(rows).toEqual(expect.arrayContaining(tried.map((row) => rowOf(client, row))))
        expect(rows).toHaveLength(outcomes.size)
      })
    }
    afterAll(() => {
      if (folder !== undefined) {
        const file = join(folder, `${client.replaceAll(/[^\w.]+/g, '-')}.json`)
        writeFileSync(file, JSON.stringify([...outcomes].map((row) => rowOf(client, row))))
      }
    })
  })
}

function rowOf(client: string, [command, outcome]: readonly [string, string]): string {
  return `| ${client} | ${command.replaceAll('|', '\\|')} | ${outcome} |`
}

function readRows(client: string): string[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`| ${client} | `))
}
