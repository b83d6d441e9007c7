/** One field of a change, as a message presents it. */
export type PresentedChange = {
  readonly field: string
  readonly removed: string
  readonly added: string
}

/** A row of history that the owner of the webhook may see. */
export type ChangeRow = {
  readonly field: string
  readonly removed: string
  readonly added: string
  /** Whether it is a select field, where `---` and `--` mean no value. */
  readonly isSelect: boolean
}

/** The names of the fields of attachments in history and in messages. */
const ATTACHMENT_FIELDS: Readonly<Record<string, string>> = {
  'attachments.description': 'description',
  'attachments.filename': 'file_name',
  'attachments.mimetype': 'content_type',
  'attachments.ispatch': 'is_patch',
  'attachments.isprivate': 'is_private',
  'attachments.isobsolete': 'is_obsolete',
}

const FLAGS = 'flagtypes.name'
const FLAG = /^(?<name>.*?)(?<status>[?+-])(?:\((?<requestee>.*)\))?$/s
const SELECT_FIELDS = ['priority', 'target_milestone']
const NO_VALUE = /^--?-$/

/**
 * Presents the changes of a message: fields by the names of the message, flags one by one, rows without a difference
 * left out.
 */
export function presentChanges(rows: readonly ChangeRow[]): PresentedChange[] {
  return rows
    .flatMap((row) => (row.field === FLAGS ? splitFlags(row) : [presentField(row)]))
    .filter(({ removed, added }) => removed !== added)
}

function presentField({ field, removed, added, isSelect }: ChangeRow): PresentedChange {
  const hasNoValue = isSelect || SELECT_FIELDS.includes(field)
  const present = (value: string) => (hasNoValue && NO_VALUE.test(value) ? '' : value)
  return {
    field: ATTACHMENT_FIELDS[field] ?? field,
    removed: present(removed),
    added: present(added),
  }
}

/** One change for each name of a flag; several flags of one name are joined by a comma and a blank. */
function splitFlags({ removed, added }: ChangeRow): PresentedChange[] {
  const [before, after] = [groupFlags(removed), groupFlags(added)]
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].map((name) => ({
    field: `flag.${name}`,
    removed: before.get(name)?.join(', ') ?? '',
    added: after.get(name)?.join(', ') ?? '',
  }))
}

function groupFlags(list: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const item of list.split(', ')) {
    const { name, status, requestee } = FLAG.exec(item)?.groups ?? {}
    if (name !== undefined && status !== undefined) {
      const value = requestee === undefined ? status : `${status} (${requestee})`
      values.set(name, [...(values.get(name) ?? []), value])
    }
  }
  return values
}
