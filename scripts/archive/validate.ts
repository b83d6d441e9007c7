import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ArchivedField } from '../../src/edges/archive/custom-values.ts'
import {
  LineProblem,
  MAX_LINE,
  type ParsedLine,
  parseLine,
} from '../../src/edges/archive/parse-line.ts'
import type { Part } from '../../src/edges/archive/part.ts'
import { PARTS } from '../../src/edges/archive/parts.ts'
import {
  type ReferenceName,
  referenceKey,
  referenceKind,
} from '../../src/edges/archive/references.ts'
import { fold } from '../../src/platform/lib/text.ts'
import { type ArchiveFolder, describeFile, listFolder, readLines, sha256Of } from './folder.ts'
import { MANIFEST, partFile } from './manifest.ts'
import { showProgress } from './progress.ts'

/** What does not fit in an archive, and what to do. `line` is null for a file as a whole. */
type Problem = {
  readonly file: string
  readonly line: number | null
  readonly reason: string
}

/** More say nothing new. */
const MAX_PROBLEMS = 100
/** Bytes that no attachment has. */
const MAX_FILE = 32 * 1024 * 1024

class TooMany extends Error {}

/**
 * Checks a whole archive before anything of it is written: digests, every line, every name and number that a line
 * refers to, and that no bug depends on itself. `isWhole` is false for what changed since a time, whose lines refer to
 * bugs of earlier archives.
 */
export async function validateArchive(
  archive: ArchiveFolder,
  addedLines: ReadonlyMap<string, readonly string[]>,
): Promise<Problem[]> {
  const problems: Problem[] = []
  const report = (problem: Problem) => {
    problems.push(problem)
    if (problems.length >= MAX_PROBLEMS) {
      throw new TooMany()
    }
  }
  try {
    await checkFiles(archive, report)
    // lines of files that are not what the manifest says would only repeat it
    if (problems.length === 0) {
      await checkLines(archive, addedLines, report)
    }
  } catch (error) {
    if (!(error instanceof TooMany)) {
      throw error
    }
  }
  return problems
}

type Report = (problem: Problem) => void

async function checkFiles({ folder, manifest }: ArchiveFolder, report: Report): Promise<void> {
  const announced = new Set([
    MANIFEST,
    ...Object.keys(manifest.parts).map(partFile),
    ...(Object.keys(manifest.files).length > 0 ? ['files'] : []),
  ])
  for (const name of await listFolder(folder)) {
    if (!announced.has(name) && name !== 'files') {
      report({ file: name, line: null, reason: 'is no file of this archive: remove it' })
    }
  }
  for (const [name, expected] of Object.entries(manifest.parts)) {
    const file = partFile(name)
    try {
      const { size } = statSync(join(folder, file))
      const found =
        size === expected.bytes
          ? await describeFile(join(folder, file), 4 * MAX_LINE)
          : { lines: 0, bytes: size, sha256: '' }
      for (const member of ['bytes', 'sha256', 'lines'] as const) {
        if (found[member] !== expected[member]) {
          const reason = `has ${member} ${found[member]}, and the manifest says ${expected[member]}: copy the archive again`
          report({ file, line: null, reason })
          break
        }
      }
    } catch (error) {
      report({ file, line: null, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  let done = 0
  const files = Object.entries(manifest.files)
  for (const [digest, { size }] of files) {
    const file = `files/${digest}`
    const path = join(folder, file)
    const found = statSync(path, { throwIfNoEntry: false })?.size
    if (found !== size || size > MAX_FILE) {
      const reason =
        size > MAX_FILE
          ? `has ${size} bytes, and attachments have at most ${MAX_FILE}`
          : `has ${found ?? 'no'} bytes, and the manifest says ${size}: copy the archive again`
      report({ file, line: null, reason })
    } else if (sha256Of(readFileSync(path)) !== digest) {
      report({
        file,
        line: null,
        reason: 'has another digest than its name: copy the archive again',
      })
    }
    done += 1
    showProgress('checking files', done, files.length)
  }
}

async function checkLines(
  { folder, manifest }: ArchiveFolder,
  addedLines: ReadonlyMap<string, readonly string[]>,
  report: Report,
): Promise<void> {
  const known = new Known(manifest.since !== null)
  const bytes = new Set([...Object.keys(manifest.files), ...manifest.missing])
  const dependencies = new Map<number, number[]>()
  for (const part of PARTS) {
    const file = partFile(part.name)
    let last = 0
    const check = (number: number, text: string) => {
      try {
        const line = parseLine(part, text, known.customFields)
        if (line.id <= last) {
          throw new LineProblem(`id ${line.id} stands behind ${last}: numbers ascend, each once`)
        }
        last = line.id
        known.add(part, line, JSON.parse(text))
        if (part.name === 'attachments' && !bytes.has(String(line.row.sha256))) {
          throw new LineProblem(`digest '${line.row.sha256}' is no file of the manifest`)
        }
        if (part.name === 'bug_relations') {
          dependencies.set(
            line.id,
            line.references
              .filter(({ column }) => column === 'dependsOnId')
              .map(({ key }) => JSON.parse(key)[1]),
          )
        }
      } catch (error) {
        if (!(error instanceof LineProblem)) {
          throw error
        }
        report({ file, line: number, reason: error.message })
      }
    }
    for await (const { number, text } of readLines(folder, part.name)) {
      check(number, text)
      if (number % 1000 === 0) {
        showProgress(`checking ${part.name}`, number, manifest.parts[part.name]?.lines ?? 0)
      }
    }
    for (const text of addedLines.get(part.name) ?? []) {
      check(0, text)
    }
  }
  for (const bug of findLoop(dependencies)) {
    const reason = `bug ${bug} depends on itself through others: remove one of the links`
    report({ file: partFile('bug_relations'), line: null, reason })
  }
}

/** What lines so far have made: the names and numbers that later lines may refer to. */
class Known {
  readonly customFields = new Map<string, ArchivedField>()
  readonly #isPartial: boolean
  readonly #names = new Map<ReferenceName, Set<string>>()
  readonly #ids = new Map<string, Set<number>>()
  readonly #distinct = new Map<string, Set<string>>()

  constructor(isPartial: boolean) {
    this.#isPartial = isPartial
  }

  add(part: Part, line: ParsedLine, given: Record<string, unknown>): void {
    for (const { kind, key, text } of line.references) {
      if (!this.#knows(kind, key)) {
        throw new LineProblem(`${text}: there is no such ${referenceKind(kind).noun}`)
      }
    }
    const { table } = part
    const ids = this.#idsOf(part.name)
    if (part.isAddition) {
      const base = PARTS.find((one) => one.table === table && !one.isAddition)?.name ?? ''
      if (!this.#isPartial && !this.#idsOf(base).has(line.id)) {
        throw new LineProblem(`id: there is no row with the number ${line.id} that this adds to`)
      }
      return
    }
    for (const members of part.distinct) {
      this.#assertDistinct(part, members, given)
    }
    ids.add(line.id)
    this.#learnNames(part, given)
    if (part.name === 'fields' && given.is_custom === true) {
      this.customFields.set(String(given.name), { id: line.id, type: Number(given.type) })
    }
  }

  #knows(kind: ReferenceName, key: string): boolean {
    const { part, nameOf } = referenceKind(kind)
    if (nameOf !== null) {
      return this.#names.get(kind)?.has(key) ?? false
    }
    const isEarlier = this.#isPartial && ['bugs', 'attachments', 'comments'].includes(part)
    return isEarlier || this.#idsOf(part).has(Number(JSON.parse(key)[1]))
  }

  #idsOf(part: string): Set<number> {
    const ids = this.#ids.get(part) ?? new Set<number>()
    this.#ids.set(part, ids)
    return ids
  }

  #assertDistinct(
    { name }: Part,
    members: readonly string[],
    given: Record<string, unknown>,
  ): void {
    if ((given[members.at(-1) ?? ''] ?? null) === null) {
      return
    }
    const place = `${name} ${members.join(' ')}`
    const seen = this.#distinct.get(place) ?? new Set<string>()
    const key = fold(members.map((member) => String(given[member])).join('\0'))
    if (seen.has(key)) {
      const values = members.map((member) => `${member} '${String(given[member]).slice(0, 80)}'`)
      throw new LineProblem(`an earlier line has the same ${values.join(' and ')}`)
    }
    this.#distinct.set(place, seen.add(key))
  }

  #learnNames({ name: part }: Part, given: Record<string, unknown>): void {
    for (const kind of KINDS) {
      const described = referenceKind(kind)
      if (described.part === part && described.nameOf !== null) {
        const scope = kind === 'value' ? given.field : given.product
        const key = referenceKey(kind, String(given.name), SCOPED.has(kind) ? String(scope) : null)
        this.#names.set(kind, (this.#names.get(kind) ?? new Set()).add(key))
      }
    }
  }
}

const SCOPED: ReadonlySet<ReferenceName> = new Set(['value', 'component', 'version', 'milestone'])
const KINDS: readonly ReferenceName[] = [
  ...(['person', 'field', 'value', 'group', 'classification', 'product', 'keyword'] as const),
  ...(['component', 'version', 'milestone'] as const),
]

/** One bug of each loop of dependencies. */
function findLoop(dependencies: ReadonlyMap<number, readonly number[]>): number[] {
  const state = new Map<number, 'open' | 'done'>()
  const loops: number[] = []
  for (const start of dependencies.keys()) {
    const trail: [bug: number, next: number][] = [[start, 0]]
    while (trail.length > 0) {
      const top = trail.at(-1) as [number, number]
      const [bug, next] = top
      if (next === 0 && state.has(bug)) {
        trail.pop()
        continue
      }
      state.set(bug, 'open')
      const other = dependencies.get(bug)?.[next]
      if (other === undefined) {
        state.set(bug, 'done')
        trail.pop()
      } else {
        top[1] += 1
        if (state.get(other) === 'open') {
          loops.push(other)
        } else if (state.get(other) === undefined) {
          trail.push([other, 0])
        }
      }
    }
  }
  return loops
}
