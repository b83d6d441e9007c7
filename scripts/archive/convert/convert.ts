import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../command.ts'
import { RawBugs } from '../fetch/raw-bugs.ts'
import { listFolder } from '../folder.ts'
import type { Manifest } from '../manifest.ts'
import { buildArchive } from '../source/build-archive.ts'
import type { Mapping } from '../source/mapping.ts'
import { Notes } from '../source/notes.ts'
import type { SourceBug, SourceStructure } from '../source/shapes.ts'
import { convertCsv } from './csv.ts'
import { convertGitHub } from './github.ts'
import { convertXml } from './xml.ts'

/** What a source tells of itself beside its bugs. */
type Described = { readonly name?: string; readonly structure?: Partial<SourceStructure> }

export type Conversion = {
  /** A file, a folder or an address. */
  readonly from: string
  readonly key: string | undefined
  /** Where the bytes of attachments go, under their digests. */
  readonly folder: string
  readonly mapping: Mapping
  readonly notes: Notes
  /** Is told what the source says of itself, at any time. */
  describe(described: Described): void
}

const KINDS = { xml: convertXml, github: convertGitHub, csv: convertCsv } as const

export type Kind = keyof typeof KINDS

export function isKind(name: string): name is Kind {
  return Object.hasOwn(KINDS, name)
}

const NOTHING: SourceStructure = {
  ...{ products: [], fields: [], keywords: [], groups: [], classifications: [], people: [] },
  defaults: {},
}

/** Bugs of which the state is written down at once. */
const BATCH = 100

/** Makes an archive of files of another kind. It begins anew each time. */
export async function convert(
  kind: Kind,
  {
    from,
    key,
    to,
    mapping,
  }: { from: string; key: string | undefined; to: string; mapping: Mapping },
): Promise<{ manifest: Manifest; mapping: Mapping }> {
  const present = await listFolder(to)
  if (present.length > 0) {
    throw new CommandError(`${to} is not empty: it has ${present.slice(0, 5).join(', ')}.`)
  }
  const unfinished = join(to, 'unfinished')
  mkdirSync(unfinished, { recursive: true })
  const folder = join(to, 'files')
  mkdirSync(folder)
  const notes = new Notes()
  let described: Described = {}
  const describe = (more: Described) => {
    described = { ...described, ...more, structure: { ...described.structure, ...more.structure } }
  }
  const raw = new RawBugs(join(unfinished, 'bugs.ndjson'), 0)
  try {
    let batch: SourceBug[] = []
    for await (const bug of KINDS[kind]({ from, key, folder, mapping, notes, describe })) {
      batch.push(bug)
      if (batch.length === BATCH) {
        raw.append(batch)
        batch = []
      }
    }
    raw.append(batch)
    if (raw.size === 0) {
      throw new CommandError(`${from} has no bugs.`)
    }
    const moment = `${new Date().toISOString().slice(0, 19)}Z`
    const structure = { ...NOTHING, ...described.structure }
    const source = { name: described.name ?? from, moment, since: null, structure }
    return await buildArchive(to, { ...source, bugs: () => raw.all() }, mapping, notes)
  } finally {
    raw.close()
    rmSync(unfinished, { recursive: true, force: true })
  }
}
