/** `npm run convert`: see HELP. */

import { existsSync, rmSync } from 'node:fs'
import { convert, isKind } from './archive/convert/convert.ts'
import { deliverArchive, workFolder } from './archive/pack-archive.ts'
import { readMapping } from './archive/source/mapping.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseOperand } from './flags.ts'

const HELP = `Makes an archive of files of another tracker.

npm run convert -- FROM --kind xml|github|csv --to TO [--map FILE] [--key KEY]

  FROM         xml: a file that show_bug.cgi?ctype=xml has answered
               github: a folder of answers of the API (issues, comments and events, page by page),
               or an address such as https://api.github.com/repos/OWNER/NAME
               csv: a file whose first row has the names of columns, such as one of Jira
  --to TO      a new folder, or a new file whose name ends in .tar.gz
  --map FILE   what gets other names, and which columns a CSV file has: see docs/move.md
  --key KEY    a token for the address

What could not be brought as it was stands in TO.map.json.
`

const { operand: from, flags } = parseOperand(HELP, 'FROM', {
  kind: { type: 'string' },
  to: { type: 'string' },
  map: { type: 'string' },
  key: { type: 'string' },
})

runCommand(async () => {
  const { kind = '', to, map, key } = flags
  if (!isKind(kind) || to === undefined) {
    return exitWithUsage(
      to === undefined ? '--to is missing.' : '--kind must be xml, github or csv.',
      HELP,
    )
  }
  if (to.endsWith('.tar.gz') && existsSync(to)) {
    throw new CommandError(`${to} exists already.`)
  }
  // it begins anew
  rmSync(`${to}.unfinished`, { recursive: true, force: true })
  const place = { from, key, to: workFolder(to), mapping: readMapping(map) }
  await deliverArchive(to, await convert(kind, place))
})
