import type { Member, Part } from '../src/edges/archive/part.ts'
import { PARTS, TABLES_LEFT_OUT } from '../src/edges/archive/parts.ts'
import { referenceKind } from '../src/edges/archive/references.ts'

/** The rows of "Parts" in archive.md: what the lines of each part say. */
export function partRows(): string {
  return PARTS.map(
    (part) => `| \`${part.name}\` | ${part.summary} | ${describeMembers(part)} |\n`,
  ).join('')
}

/** The rows of "What is left out". */
export function leftOutRows(): string {
  const columns = PARTS.flatMap(({ name, leftOut }) =>
    Object.entries(leftOut).map(([column, why]) => [`\`${name}\`: \`${column}\``, why]),
  )
  const tables = Object.entries(TABLES_LEFT_OUT).map(([table, why]) => [`\`${table}\``, why])
  return [...tables, ...columns].map(([what, why]) => `| ${what} | ${why} |\n`).join('')
}

function describeMembers({ members, lists, hasCustomFields }: Part): string {
  const listed = lists.map(({ name, members: of, most }) => {
    const [only] = of
    const item = only?.name === '' ? describeType(only) : `{${of.map(describeMember).join(', ')}}`
    const bound = Number.isFinite(most) ? ` (at most ${most.toLocaleString('en')})` : ''
    return `\`${name}\` list of ${item}${bound}`
  })
  const custom = hasCustomFields ? ['`cf_…` the custom fields that have a value'] : []
  return [...members.map(describeMember), ...listed, ...custom].join(', ')
}

function describeMember(member: Member): string {
  const isOptional = !member.column.notNull || member.column.default !== undefined
  return `\`${member.name}\` ${describeType(member)}${isOptional ? '?' : ''}`
}

function describeType({ form, reference, isCredential }: Member): string {
  const type =
    reference === null
      ? form.expected
          .replace(/^an? | such as .*| without .*| above .*/g, '')
          .replace('true or false', 'boolean')
      : `*${referenceKind(reference.kind).noun}*`
  return isCredential ? `${type} (credentials)` : type
}
