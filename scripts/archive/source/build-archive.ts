import type { Manifest } from '../manifest.ts'
import { buildBugs } from './build-bugs.ts'
import { buildStructure } from './build-structure.ts'
import type { Mapping } from './mapping.ts'
import type { Notes } from './notes.ts'
import { Numbers } from './numbers.ts'
import type { SourceBug, SourceStructure } from './shapes.ts'
import { Survey } from './survey.ts'
import { ArchiveWriter } from './writer.ts'

type Source = {
  /** What the tracker is called in the manifest. */
  readonly name: string
  readonly moment: string
  readonly since: string | null
  readonly structure: SourceStructure
  /** All bugs, each once. They are read twice. */
  readonly bugs: () => AsyncIterable<SourceBug>
}

/** What the steps of a build share. */
export type Build = {
  readonly source: Source
  readonly survey: Survey
  readonly mapping: Mapping
  readonly numbers: Numbers
  readonly writer: ArchiveWriter
  readonly notes: Notes
  /** The login of the archive for one of the source. */
  person(login: string): string
}

/** The account in the place of nobody, where the archive needs somebody. */
const NOBODY = 'nobody@nowhere.invalid'

/**
 * Writes the archive of a tracker of another kind into a folder, which has the bytes of attachments. Returns the
 * mapping
 * with the numbers that were given, and with notes of what could not be brought as it was.
 */
export async function buildArchive(
  folder: string,
  source: Source,
  mapping: Mapping,
  notes: Notes,
): Promise<{ manifest: Manifest; mapping: Mapping }> {
  const survey = new Survey()
  for await (const bug of source.bugs()) {
    survey.add(bug)
  }
  for (const [product, groups] of Object.entries(mapping.groups)) {
    survey.addGroups(product, groups)
  }
  survey.findLoops()
  const build: Build = {
    ...{ source, survey, mapping, notes },
    numbers: new Numbers(mapping.numbers),
    writer: new ArchiveWriter(folder),
    person: (login) => (login === '' ? NOBODY : (mapping.people[login] ?? login)),
  }
  const structure = buildStructure(build)
  for await (const bug of source.bugs()) {
    buildBugs(build, structure, bug)
  }
  const { name, moment, since } = source
  const manifest = await build.writer.finish({ source: name, moment, since })
  const numbers = build.numbers.toJSON()
  const groups = survey.groupsByProduct()
  return { manifest, mapping: { ...mapping, groups, notes: notes.list(), numbers } }
}
